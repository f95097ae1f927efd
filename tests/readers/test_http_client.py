"""What the HTTP client sends, and the answers it takes: whole ones, or none."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.readers.http_asking import all_words, alone, asking
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import Fault, FaultyHttp
from tests.readers.servers.http_parts import Reply, Request

from memoryfield_readers.errors import (
    AccessDenied,
    LocationError,
    MemoryfieldError,
    NotFound,
    SourceChanged,
    SourceUnavailable,
)
from memoryfield_readers.http import HttpClient
from memoryfield_readers.http.transport import CONNECTIONS
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.sink import MemorySink
from memoryfield_spec import __version__

pytestmark = pytest.mark.usefixtures(alone.__name__)

PAGE = b"# A page\n" + bytes(range(256)) * 300


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server with one page."""
    with FaultyHttp({"/a.md": PAGE}) as made:
        yield made


def test_it_says_who_it_is_and_keeps_no_cookies(server: FaultyHttp) -> None:
    """The own User-Agent is sent, and what a server wants to be remembered is not."""
    server.fail("/a.md", faults.with_headers(Set_Cookie="id=1; Path=/"), times=None)
    with asking() as ask:
        assert ask.get(server.url("/a.md")) == PAGE
        assert ask.get(server.url("/a.md")) == PAGE
    assert {each.headers["user-agent"] for each in server.requests} == {
        f"memoryfield-kit/{__version__}"
    }
    assert {each.headers["accept-encoding"] for each in server.requests} == {"gzip"}
    assert not any("cookie" in each.headers for each in server.requests)


def test_an_answer_says_where_it_came_from(server: FaultyHttp) -> None:
    """The URL to show has no query; names of headers are in lower case."""
    server.answers["/a.md"] = lambda request: Reply(
        200, {"X-Thing": "1", "x-thing": "2", "X-QUERY": request.query}, b"text"
    )
    with asking() as ask:
        answer = ask.answer(server.url("/a.md?sig=abc&x=%2F#part"))
    assert (answer.status, answer.measured) == (200, True)
    assert answer.url == server.url("/a.md")
    assert answer.final_url == server.url("/a.md?sig=abc&x=%2F")
    assert answer.headers["x-query"] == "sig=abc&x=%2F"
    assert answer.headers["x-thing"] == "1, 2"


@pytest.mark.parametrize("url", ["ftp://h/x", "file:///etc/passwd", "/x", "http://", "http:///x"])
def test_only_http_is_asked(url: str) -> None:
    """Anything that is not http or https is refused before anything is sent."""
    with asking() as ask:
        assert isinstance(ask.error(url), LocationError)


@pytest.mark.parametrize(
    "host",
    [
        "h\r\nX: y",
        "a b",
        "[::1",
        "h:99999999",
        "h:0",
        "*.example",
        ".example",
        "\\",
    ],
)
def test_odd_hosts_are_refused(host: str) -> None:
    """A host that is none gives an error of ours, and names no query."""
    with asking() as ask:
        error = ask.error(f"http://{host}/x?key=hidden")
    assert isinstance(error, LocationError)
    assert "hidden" not in all_words(error)


def test_a_name_that_no_name_server_takes_is_an_error() -> None:
    """A label that is too long is found out late, and is an error of ours as well."""
    with asking(retries=2) as ask:
        error = ask.error(f"http://{'a' * 64}.example/x?key=hidden")
        assert ask.waits == []
    assert type(error) is SourceUnavailable
    assert "hidden" not in all_words(error)


def test_a_url_with_a_password_is_refused(server: FaultyHttp) -> None:
    """Credentials never come from a URL, and are not shown."""
    with asking() as ask:
        error = ask.error(server.url("/a.md").replace("://", "://me:hidden@"))
    assert isinstance(error, LocationError)
    assert "hidden" not in all_words(error)
    assert server.requests == []


@pytest.mark.parametrize("path", ["/ä b/%C3%A9.md", "/a%20b.md?q=a b", "/%25.md", "/a/../b.md"])
def test_paths_are_encoded_as_they_must(server: FaultyHttp, path: str) -> None:
    """What is not ASCII is encoded, what is encoded is let be."""
    server.answers["*"] = lambda request: Reply(200, {}, request.path.encode())
    wanted = {
        "/ä b/%C3%A9.md": b"/%C3%A4%20b/%C3%A9.md",
        "/a%20b.md?q=a b": b"/a%20b.md",
        "/%25.md": b"/%25.md",
        "/a/../b.md": b"/b.md",
    }
    with asking() as ask:
        assert ask.get(server.url(path)) == wanted[path]


@pytest.mark.parametrize("value", ["a\r\nX-Other: 1", "a\nb", "a\x00", "€", " a"])
def test_no_header_can_be_slipped_in(server: FaultyHttp, value: str) -> None:
    """A header that would be two, or none, is not sent, and its value is not told."""
    with asking() as ask:
        error = ask.error(server.url("/a.md"), headers={"X-Token": value + "hidden"})
    assert "header" in error.message
    assert "hidden" not in all_words(error)
    assert server.requests == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (404, NotFound),
        (410, NotFound),
        (401, AccessDenied),
        (403, AccessDenied),
        (412, SourceChanged),
        (400, SourceUnavailable),
        (407, SourceUnavailable),
        (418, SourceUnavailable),
        (500, SourceUnavailable),
        (206, SourceUnavailable),
        (304, SourceUnavailable),
        (300, SourceUnavailable),
        (799, SourceUnavailable),
    ],
)
def test_each_status_has_its_error(
    server: FaultyHttp, status: int, kind: type[MemoryfieldError]
) -> None:
    """Only absent is absent; none of these is tried again."""
    server.fail("/a.md", faults.status(status), times=None)
    with asking(retries=2) as ask:
        error = ask.error(server.url("/a.md?key=hidden"), entry="a.md")
    assert type(error) is kind
    assert str(status) in error.message
    assert error.entry == "a.md"
    assert "hidden" not in all_words(error)
    assert len(server.requests) == 1


def test_wanted_statuses_are_answers(server: FaultyHttp) -> None:
    """Whoever can make use of a status gets it, with its body; also a redirect."""
    server.fail("/a.md", faults.status(416))
    server.fail("/a.md", faults.status(503))
    server.fail("/a.md", faults.redirect("/b"))
    with asking() as ask:
        assert ask.answer(server.url("/a.md"), ok=(200, 416)).status == 416
        assert ask.sink.data == b"failed on command\n"
        assert ask.answer(server.url("/a.md"), ok=(503,)).status == 503
        assert ask.answer(server.url("/a.md"), ok=(302,)).headers["location"] == "/b"


def test_a_head_has_no_body(server: FaultyHttp) -> None:
    """The length that is announced is that of a body which does not come."""
    with asking() as ask:
        answer = ask.answer(server.url("/a.md"), method="HEAD")
        assert answer.headers["content-length"] == str(len(PAGE))
        assert (ask.sink.data, answer.measured) == (b"", True)
        assert ask.get(server.url("/a.md")) == PAGE
    assert server.connections == 1


def test_one_connection_serves_many_requests(server: FaultyHttp) -> None:
    """Twenty requests, some of them with an answer that is not wanted, take one connection."""
    server.fail("/a.md", faults.status(404), after=3)
    server.fail("/a.md", faults.redirect("/a.md?again"), after=3)
    with asking() as ask:
        for _ in range(3):
            assert ask.get(server.url("/a.md")) == PAGE
        ask.error(server.url("/a.md"))
        for _ in range(15):
            assert ask.get(server.url("/a.md")) == PAGE
    assert len(server.requests) == 20
    assert server.connections == 1


def test_many_threads_share_few_connections(server: FaultyHttp) -> None:
    """However many ask at once, no more connections are open than are allowed."""
    open_now: set[int] = set()
    most: list[int] = []
    lock = threading.Lock()

    def counted(request: Request) -> Reply:
        with lock:
            open_now.add(request.connection)
            most.append(len(open_now))
        return Reply(200, {}, request.path.encode())

    server.answers["*"] = counted
    with asking() as ask, ThreadPoolExecutor(24) as threads:

        def one(number: int) -> bytes:
            sink = MemorySink(1000)
            ask.client.fetch(server.url(f"/{number}"), sink)
            return sink.data

        assert list(threads.map(one, range(200))) == [b"/%d" % number for number in range(200)]
    assert max(most) <= CONNECTIONS
    assert threading.active_count() < 100


def test_a_connection_that_died_in_between_costs_no_try(server: FaultyHttp) -> None:
    """A server closes what is idle; that is noticed with the next request, which is not lost."""
    with asking(retries=0) as ask:
        assert ask.get(server.url("/a.md")) == PAGE
        server.fail("/a.md", faults.hang_up)
        assert ask.get(server.url("/a.md")) == PAGE
        assert ask.waits == []


@pytest.mark.parametrize(
    "fault",
    [faults.garbage, faults.huge_header(70_000), faults.many_headers(200)],
    ids=["garbage", "long", "many"],
)
def test_what_is_not_http_is_an_error(server: FaultyHttp, fault: Fault) -> None:
    """An answer that cannot be understood is an error of ours."""
    server.fail("/a.md", fault)
    with asking() as ask:
        error = ask.error(server.url("/a.md"))
        assert type(error) is SourceUnavailable
        assert "not HTTP" in error.message
        assert ask.get(server.url("/a.md")) == PAGE


@pytest.mark.parametrize("interim", ["100 Continue", "103 Early Hints"])
def test_interim_answers_are_passed_over(server: FaultyHttp, interim: str) -> None:
    """The answer is the one behind them, for this request and the next; a flood is an error."""
    server.files["/b.md"] = b"another"
    server.fail("/a.md", faults.informational_flood(3, interim))
    server.fail("/a.md", faults.informational_flood(500, interim))
    with asking() as ask:
        assert ask.get(server.url("/a.md")) == PAGE
        assert ask.get(server.url("/b.md")) == b"another"
        assert "not HTTP" in ask.error(server.url("/a.md")).message


def test_nothing_is_asked_once_it_is_closed(server: FaultyHttp) -> None:
    """A closed client says so, however often it was closed."""
    with asking(retries=3) as ask:
        ask.get(server.url("/a.md"))
        ask.client.close()
        ask.client.close()
        assert "closed" in ask.error(server.url("/a.md")).message
    assert len(server.requests) == 1


def test_no_secret_reaches_a_log(server: FaultyHttp, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever the libraries beneath tell at their most talkative, no query and no token."""
    caplog.set_level(logging.DEBUG)
    server.fail("/a.md", faults.with_headers(**{"Transfer_Encoding": "chunked"}), times=1)
    token = {"Authorization": "Bearer hidden"}
    with asking(authorize=lambda _: token) as ask:
        ask.error(server.url("/a.md?sig=hidden"))
        assert ask.get(server.url("/a.md?sig=hidden")) == PAGE
    assert server.requests[1].query == "sig=hidden"
    assert "/a.md" in caplog.text
    assert "hidden" not in caplog.text


def test_a_client_of_default_patience_waits_by_itself(
    server: FaultyHttp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a way to wait of its own, a client sleeps."""
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    server.fail("/a.md", faults.status(503))
    client = HttpClient(TransferOptions(), location="x")
    sink = MemorySink(1 << 20)
    client.fetch(server.url("/a.md"), sink)
    client.close()
    assert (sink.data, len(slept)) == (PAGE, 1)
