"""Basic credentials over HTTP: from the environment or a netrc file, for one host, and safely."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.readers.http_asking import all_words, alone, asking
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_readers import open_field
from memoryfield_readers.errors import AccessDenied
from memoryfield_readers.http.credentials import HOST, PASSWORD, USER, Credentials
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

pytestmark = pytest.mark.usefixtures(alone.__name__)

PAGE = b"# A page\n"


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server that wants to know who asks for its page."""
    with FaultyHttp({"/a.md": PAGE}) as made:
        made.fail("/a.md", faults.basic("me", "hidden"), times=None)
        yield made


@pytest.fixture
def netrc(alone: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A netrc file in the home folder."""
    path = tmp_path / ".netrc"
    path.write_text("machine 127.0.0.1 login me password hidden\n", encoding="utf-8")
    return path


def in_environment(alone: pytest.MonkeyPatch, host: str, user: str, password: str) -> None:
    for name, value in ((HOST, host), (USER, user), (PASSWORD, password)):
        alone.setenv(name, value)


def sent(url: str) -> str | None:
    """Who is said to ask for a URL."""
    value = Credentials().headers(url).get("Authorization")
    if value is None:
        return None
    kind, _, coded = value.partition(" ")
    assert kind == "Basic"
    return base64.b64decode(coded).decode("utf-8", "surrogateescape")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:{port}", " 127.0.0.1 "])
def test_credentials_of_the_environment(
    server: FaultyHttp, alone: pytest.MonkeyPatch, host: str
) -> None:
    """They are given to the host that they are for, with or without its port."""
    in_environment(alone, host.format(port=server.port), "me", "hidden")
    with asking() as ask:
        assert ask.get(server.url("/a.md")) == PAGE


def test_credentials_of_a_netrc_file(server: FaultyHttp, netrc: Path) -> None:
    """The one in the home folder is read."""
    with asking() as ask:
        assert ask.get(server.url("/a.md")) == PAGE


def test_another_netrc_file(
    server: FaultyHttp, netrc: Path, alone: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """NETRC names the one that is read, and no other is."""
    other = netrc.rename(tmp_path / "other")
    alone.setenv("NETRC", str(other))
    with asking() as ask:
        assert ask.get(server.url("/a.md")) == PAGE
    alone.setenv("NETRC", str(tmp_path / "none"))
    with asking() as ask:
        assert "that NETRC names" in str(ask.error(server.url("/a.md")).hint)


def test_anonymous_means_no_credentials(
    server: FaultyHttp, netrc: Path, alone: pytest.MonkeyPatch
) -> None:
    """Nothing is sent, even if there is something; the hint says why."""
    in_environment(alone, "127.0.0.1", "me", "hidden")
    with asking(anon=True, authorize=lambda _: {"Authorization": "hidden"}) as ask:
        error = ask.error(server.url("/a.md"))
    assert type(error) is AccessDenied
    assert "--anon" in str(error.hint)
    assert "authorization" not in server.requests[0].headers


def test_what_authorizes_stands_in_place_of_all_others(
    server: FaultyHttp, netrc: Path, alone: pytest.MonkeyPatch
) -> None:
    """A transport with credentials of its own does not mix them with these."""
    with asking(authorize=lambda _: {}) as ask:
        assert ask.error(server.url("/a.md")).hint is None
    assert "authorization" not in server.requests[0].headers


def test_a_denial_says_where_credentials_come_from(server: FaultyHttp) -> None:
    """Who is denied reads what can be done, and not what was tried."""
    with asking() as ask:
        error = ask.error(server.url("/a.md"))
    assert type(error) is AccessDenied
    assert error.message == "401 Unauthorized"
    assert all(each in str(error.hint) for each in ("netrc", HOST, USER, PASSWORD))


def test_wrong_credentials_are_not_told(server: FaultyHttp, alone: pytest.MonkeyPatch) -> None:
    """Neither the user nor the password is in the error, in any spelling."""
    in_environment(alone, "127.0.0.1", "somebody", "mistaken")
    with asking(retries=2) as ask:
        words = all_words(ask.error(server.url("/a.md")))
    coded = base64.b64encode(b"somebody:mistaken").decode()
    assert coded in server.requests[0].headers["authorization"]
    assert not any(each in words for each in ("somebody", "mistaken", coded))
    assert len(server.requests) == 1


def test_credentials_are_not_carried_along(server: FaultyHttp, alone: pytest.MonkeyPatch) -> None:
    """Another host gets none; that host gets its own."""
    in_environment(alone, f"127.0.0.1:{server.port}", "me", "hidden")
    with FaultyHttp({"/a.md": b"elsewhere"}) as other, asking() as ask:
        server.fail("/old", faults.redirect(other.url("/a.md")))
        other.fail("/back", faults.redirect(server.url("/a.md")))
        assert ask.get(server.url("/old")) == b"elsewhere"
        assert ask.get(other.url("/back")) == PAGE
        assert not any("authorization" in each.headers for each in other.requests)


@pytest.mark.parametrize(
    ("url", "who"),
    [
        ("https://field.example/a.md", "me:hidden"),
        ("https://FIELD.example:443/a.md", "me:hidden"),
        ("https://field.example:8443/a.md", None),
        ("http://field.example:443/a.md", None),
        ("https://other.example/a.md", None),
        ("https://sub.field.example/a.md", None),
        ("https://field.example.org/a.md", None),
        ("https://field.example./a.md", None),
    ],
)
def test_one_host_alone(alone: pytest.MonkeyPatch, url: str, who: str | None) -> None:
    """The very host and port, and only where nobody listens."""
    in_environment(alone, "field.example:443", "me", "hidden")
    assert sent(url) == who


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("[::1]:8080", "http://[::1]:8080/"),
        ("[::1]", "https://[::1]/"),
        ("Field.Example", "https://field.example:99/"),
        ("localhost", "http://localhost:1/"),
    ],
)
def test_spellings_of_a_host(alone: pytest.MonkeyPatch, host: str, url: str) -> None:
    """An address of six has its brackets; without a port it is any."""
    in_environment(alone, host, "me", "")
    assert sent(url) == "me:"


@pytest.mark.parametrize("host", ["", "*", "https://field.example", "field.example:x", ":443"])
def test_a_host_that_is_none_gets_nothing(alone: pytest.MonkeyPatch, host: str) -> None:
    """Credentials without a clear host are for nobody."""
    in_environment(alone, host, "me", "hidden")
    assert sent("https://field.example/") is None


def test_only_over_tls_or_to_this_machine(alone: pytest.MonkeyPatch, netrc: Path) -> None:
    """On the open network a password is not sent, and the hint says so."""
    netrc.write_text("machine field.example login me password hidden\n", encoding="utf-8")
    assert sent("https://field.example/") == "me:hidden"
    assert sent("http://field.example/") is None
    assert Credentials().hint("http://field.example/") == "credentials are only sent over https"


def test_a_default_entry_is_for_nobody(netrc: Path) -> None:
    """A netrc file's last resort would give a password to whoever a page points to."""
    netrc.write_text("default login me password hidden\n", encoding="utf-8")
    assert sent("https://field.example/") is None
    assert sent("https://default/") is None


def test_an_entry_without_a_password_is_none(netrc: Path) -> None:
    """Half a pair is not sent."""
    netrc.write_text("machine field.example login me\n", encoding="utf-8")
    assert sent("https://field.example/") is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"machine field.example login me hidden\n", "cannot be understood"),
        (b"nonsense\n", "cannot be understood"),
        (b"machine field.example login me password \xff\xfe\n", ""),
    ],
    ids=["half", "nonsense", "bytes"],
)
def test_a_broken_netrc_file_stands_in_nobodys_way(
    server: FaultyHttp, netrc: Path, content: bytes, words: str
) -> None:
    """A public field is read as if there were none; a denial says what is wrong with the file."""
    netrc.write_bytes(content)
    server.files["/public.md"] = PAGE
    with asking() as ask:
        assert ask.get(server.url("/public.md")) == PAGE
        error = ask.error(server.url("/a.md"))
    assert words in str(error.hint)
    assert "login" not in all_words(error)


BROKEN = {
    "a word too many": (b"machine a.example login me hidden", "cannot be understood near line 1"),
    "further down": (b"\n\nlogin hidden\n", "cannot be understood near line 3"),
    "other bytes": (b"machine a.example login me password hidden\xff\n", "is not UTF-8"),
}


@pytest.mark.parametrize("is_named", [False, True], ids=["at home", "named"])
@pytest.mark.parametrize(("content", "trouble"), BROKEN.values(), ids=BROKEN)
def test_a_note_tells_what_is_wrong_with_a_netrc_file(
    content: bytes, trouble: str, is_named: bool, netrc: Path, alone: pytest.MonkeyPatch
) -> None:
    """What succeeds says it, too: the file and the line, and nothing of what stands there."""
    if is_named:
        netrc = netrc.rename(netrc.with_name("other"))
        alone.setenv("NETRC", str(netrc))
    netrc.write_bytes(content)
    told = (f"the netrc file {netrc} {trouble}; no credentials come from it",)
    archive = zip_bytes(ZipEntry("a.md", PAGE))
    with FaultyHttp({"/x.zip": archive, "/in/memoryfield.zip": archive}) as server:
        for path in ("/x.zip", "/in/"):
            with open_field(server.url(path)) as field:
                assert field.notes[:1] == told
                assert field.page("a.md").raw == PAGE
                assert "hidden" not in "".join(field.notes)
    with FaultyHttp({"/f/listing.md": b"- [a](a.md)\n", "/f/a.md": PAGE}) as server:
        with open_field(server.url("/f/")) as field:
            assert field.notes[:1] == told
        with open_field(server.url("/f/"), storage_options={"anon": True}) as field:
            assert told[0] not in field.notes


def test_a_note_tells_that_a_netrc_file_is_not_there(
    alone: pytest.MonkeyPatch, tmp_path: Path, netrc: Path
) -> None:
    """One that is named was meant to be there; one at home need not be."""
    known, missing = Credentials(), Credentials()
    url = "https://field.example/"
    assert (known.headers(url), known.notes) == ({}, ())
    netrc.unlink()
    assert (missing.headers(url), missing.notes) == ({}, ())
    alone.setenv("NETRC", str(tmp_path / "none"))
    named = Credentials()
    assert named.headers(url) == {}
    assert named.notes == (
        f"the file that NETRC names is not there: {tmp_path / 'none'}; no credentials come from it",
    )


def test_a_home_that_is_no_folder_is_not_told(
    alone: pytest.MonkeyPatch, tmp_path: Path, netrc: Path
) -> None:
    """There, nobody has put a file that could have been meant; one in its place may be."""
    alone.setenv("HOME", str(netrc))
    nowhere = Credentials()
    assert (nowhere.headers("https://field.example/"), nowhere.notes) == ({}, ())
    alone.setenv("HOME", str(tmp_path))
    netrc.unlink()
    netrc.mkdir()
    folder = Credentials()
    assert folder.headers("https://field.example/") == {}
    assert "cannot be read: is a directory" in folder.notes[0]


def test_a_folder_in_place_of_a_netrc_file(server: FaultyHttp, netrc: Path) -> None:
    """It is as good as none, and a denial says so."""
    netrc.unlink()
    netrc.mkdir()
    with asking() as ask:
        assert "cannot be read" in str(ask.error(server.url("/a.md")).hint)


@pytest.mark.parametrize("password", ["pä€s🔑", "a\r\nX-Other: 1", "a:b", "\udcff", " "])
def test_any_password_is_sent_as_it_is(
    server: FaultyHttp, alone: pytest.MonkeyPatch, password: str
) -> None:
    """UTF-8, coded: nothing in a password can end a header or begin another one."""
    in_environment(alone, "127.0.0.1", "mé", password)
    assert sent("https://127.0.0.1/") == f"mé:{password}"
    with asking() as ask:
        ask.error(server.url("/a.md"))
    assert "x-other" not in server.requests[0].headers
    coded = server.requests[0].headers["authorization"].removeprefix("Basic ")
    assert base64.b64decode(coded) == f"mé:{password}".encode("utf-8", "surrogateescape")


def test_a_user_with_a_colon_cannot_be_said(alone: pytest.MonkeyPatch) -> None:
    """What stands behind the colon would be taken for the password."""
    in_environment(alone, "field.example", "me:you", "hidden")
    assert sent("https://field.example/") is None
