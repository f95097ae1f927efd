"""Redirects of the HTTP client: few, never to less safety, and never with anyone's secrets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.readers.http_asking import all_words, alone, asking, given
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Reply, Request
from tests.readers.servers.tls import Authority, authority

from memoryfield_readers.errors import NotFound, SourceUnavailable

pytestmark = pytest.mark.usefixtures(alone.__name__)

PAGE = b"# A page\n"
SECRET = {"Authorization": "Bearer hidden"}


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server with one page."""
    with FaultyHttp({"/a.md": PAGE}) as made:
        yield made


@pytest.fixture
def other() -> Iterator[FaultyHttp]:
    """Another one, which is another origin for its port."""
    with FaultyHttp({"/a.md": b"elsewhere"}) as made:
        yield made


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """An authority, made once: that is slow."""
    return authority(tmp_path_factory.mktemp("tls"))


def chain(server: FaultyHttp, length: int) -> str:
    """The first of so many redirects, one behind the other, to the page."""
    for number in range(1, length + 1):
        to = f"/{number - 1}" if number > 1 else "/a.md"
        server.fail(f"/{number}", faults.redirect(to), times=None)
    return server.url(f"/{length}")


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed(server: FaultyHttp, code: int) -> None:
    """The answer names the URL that gave it."""
    server.fail("/old", faults.redirect("/a.md?sig=hidden#part", code))
    with asking() as ask:
        answer = ask.answer(server.url("/old?x=1"), method="HEAD")
    assert answer.url == server.url("/a.md")
    assert answer.final_url == server.url("/a.md?sig=hidden")
    assert [each.method for each in server.requests] == ["HEAD", "HEAD"]
    assert [each.query for each in server.requests] == ["x=1", "sig=hidden"]


@pytest.mark.parametrize(
    ("to", "path"),
    [
        ("b", "/dir/b"),
        ("../b", "/b"),
        ("//127.0.0.1:{port}/b", "/b"),
        ("http://LOCALHOST:{port}/b", "/b"),
        (" /b ", "/b"),
        ("/b c", "/b%20c"),
        ("/ä", "/%C3%A4"),
        ("?b", "/dir/old"),
    ],
)
def test_a_redirect_may_be_relative(server: FaultyHttp, to: str, path: str) -> None:
    """What a location means is seen from the URL that names it, in UTF-8 if it is not ASCII."""
    raw = to.format(port=server.port).encode().decode("latin-1")
    server.fail("/dir/old", faults.redirect(raw))
    server.answers["*"] = lambda request: Reply(200, {}, request.path.encode())
    with asking() as ask:
        assert ask.get(server.url("/dir/old")) == path.encode()


def test_five_redirects_are_followed_and_no_more(server: FaultyHttp) -> None:
    """The sixth is refused, and not tried again."""
    with asking(retries=2) as ask:
        assert ask.get(chain(server, 5)) == PAGE
        error = ask.error(chain(server, 6))
        assert ask.waits == []
    assert type(error) is SourceUnavailable
    assert "sixth" in error.message


def test_a_circle_is_seen(server: FaultyHttp) -> None:
    """A redirect to where one was already ends at once."""
    server.fail("/1", faults.redirect("/2"), times=None)
    server.fail("/2", faults.redirect("/1"), times=None)
    server.fail("/3", faults.redirect("#again"), times=None)
    with asking(retries=2) as ask:
        assert "in a circle" in ask.error(server.url("/1")).message
        assert "in a circle" in ask.error(server.url("/3")).message
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("to", "words"),
    [
        ("ftp://127.0.0.1/x?k=hidden", "neither http nor https"),
        ("file:///etc/passwd", "neither http nor https"),
        ("http://me:hidden@127.0.0.1/", "a user or a password"),
        ("http://hidden@127.0.0.1/", "a user or a password"),
        ("http://127.0.0.1\\@evil.example/?k=hidden", "a user or a password"),
        ("http://[::1?k=hidden", "no valid URL"),
        ("http://127.0.0.1:99999/?k=hidden", "no valid URL"),
        ("http://*.example/?k=hidden", "no valid URL"),
        ("/x\tb?k=hidden", "control characters"),
        ("/x\x00", "control characters"),
        ("", "does not say where"),
    ],
)
def test_a_redirect_to_what_is_no_place_is_refused(server: FaultyHttp, to: str, words: str) -> None:
    """Other schemes, users, and what cannot be read as one URL: refused, and not tried again."""
    server.fail("/old", faults.redirect(to), times=None)
    with asking(retries=2) as ask:
        error = ask.error(server.url("/old"))
    assert type(error) is SourceUnavailable
    assert words in error.message
    assert "hidden" not in all_words(error)
    assert len(server.requests) == 1


def test_a_redirect_without_a_target_is_refused(server: FaultyHttp) -> None:
    """A status that promises one, and no location."""
    server.fail("/old", faults.status(302))
    with asking() as ask:
        assert "does not say where" in ask.error(server.url("/old")).message


def test_never_from_https_to_http(
    server: FaultyHttp, trusted: Authority, alone: pytest.MonkeyPatch
) -> None:
    """The other way round is fine, and so is from https to https."""
    alone.setenv("REQUESTS_CA_BUNDLE", str(trusted.ca_file))
    with FaultyHttp({"/a.md": PAGE}, tls=trusted.context) as safe, asking(retries=2) as ask:
        safe.fail("/down", faults.redirect(server.url("/a.md?k=hidden")), times=None)
        error = ask.error(safe.url("/down"))
        assert f"from https to http, `{server.url('/a.md')}`" in error.message
        assert "hidden" not in all_words(error)
        assert server.requests == []
        server.fail("/up", faults.redirect(safe.url("/across")))
        safe.fail("/across", faults.redirect("/a.md"))
        assert ask.get(server.url("/up")) == PAGE


def test_a_token_is_not_carried_to_another_origin(server: FaultyHttp, other: FaultyHttp) -> None:
    """Another port is another origin; what is no secret goes along, and a secret does not."""
    server.fail("/old", faults.redirect(other.url("/a.md")))
    sent = {"Authorization": "Basic hidden", "Cookie": "hidden", "If-None-Match": '"x"'}
    with asking(authorize=given({server.base: {"X-Token": "hidden"}})) as ask:
        assert ask.get(server.url("/old"), headers=sent) == b"elsewhere"
    assert server.requests[0].headers["x-token"] == "hidden"
    assert server.requests[0].headers["authorization"] == "Basic hidden"
    assert other.requests[0].headers["if-none-match"] == '"x"'
    assert "hidden" not in str(other.requests[0])


def test_another_name_of_the_host_is_another_origin(server: FaultyHttp) -> None:
    """Host, port and scheme make an origin, not where they lead to."""
    server.fail("/old", faults.redirect(f"http://localhost:{server.port}/a.md"))
    with asking(authorize=given({server.base: SECRET})) as ask:
        assert ask.get(server.url("/old")) == PAGE
    assert [each.headers.get("authorization") for each in server.requests] == [
        "Bearer hidden",
        None,
    ]


def test_each_origin_is_given_what_is_its_own(server: FaultyHttp, other: FaultyHttp) -> None:
    """On the way back, the first one gets its token again."""
    server.fail("/old", faults.redirect(other.url("/b")))
    other.fail("/b", faults.redirect(server.url("/a.md")))
    known = {server.base: SECRET, other.base: {"Authorization": "Bearer theirs"}}
    with asking(authorize=given(known)) as ask:
        assert ask.get(server.url("/old")) == PAGE
    tokens = [each.headers.get("authorization") for each in [*server.requests, *other.requests]]
    assert tokens == ["Bearer hidden", "Bearer hidden", "Bearer theirs"]


def test_an_error_names_the_url_that_gave_it(server: FaultyHttp, other: FaultyHttp) -> None:
    """After a redirect it is not clear who refuses: the message says it, without the query."""
    server.fail("/old", faults.redirect(other.url("/gone?k=hidden")), times=None)
    with asking() as ask:
        error = ask.error(server.url("/old"), entry="old")
        assert type(error) is NotFound
        assert error.message == f"404 Not Found (from `{other.url('/gone')}`)"
        other.fail("/gone", faults.hang_up)
        broken = ask.error(server.url("/old"))
    assert broken.message.endswith(f"(from `{other.url('/gone')}`)")
    assert "hidden" not in all_words(error) + all_words(broken)


def test_a_retry_starts_from_the_first_url(server: FaultyHttp) -> None:
    """A signed target may be over by then: it is asked for anew."""
    targets = iter(["/a.md?sig=1", "/a.md?sig=2"])

    def signed(request: Request) -> Reply:
        return Reply(302, {"Location": next(targets)}, b"")

    server.answers["/old"] = signed
    server.fail("/a.md", faults.status(503))
    with asking(retries=1) as ask:
        assert ask.answer(server.url("/old")).final_url == server.url("/a.md?sig=2")
    assert [each.path for each in server.requests] == ["/old", "/a.md"] * 2
