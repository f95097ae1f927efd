"""Whatever a server sends, the check of it ends, is bounded, and gives nothing away."""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.readers.servers.faulty_http import Wire
from tests.readers.servers.http_parts import Reply, Request
from tests.validator.served_field import ServedField, as_json, html, served_field

from memoryfield_readers import AccessDenied, LimitExceeded, SourceUnavailable, visible
from memoryfield_validator.server_check import check_server, server_checked
from memoryfield_validator.server_check.asking import Answer, Stopped
from memoryfield_validator.server_check.raw_request import raw_get
from memoryfield_validator.server_check.search_answer import read_search_answer

PASSWORD = "correct-horse-battery"


def endless(request: Request, reply: Reply, wire: Wire) -> None:
    """A body without an end, as fast as it goes."""
    wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/markdown\r\n\r\n")
    while True:
        wire.send(b"x" * 65_536)


def dripping(request: Request, reply: Reply, wire: Wire) -> None:
    """A body that comes byte by byte."""
    wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/markdown\r\nContent-Length: 99999\r\n\r\n")
    while True:
        wire.send(b"x")
        wire.pause(0.05)


def dripping_head(request: Request, reply: Reply, wire: Wire) -> None:
    """Headers that come byte by byte."""
    wire.send(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while True:
        wire.send(b"x")
        wire.pause(0.05)


def silent(request: Request, reply: Reply, wire: Wire) -> None:
    """No answer."""
    wire.hold()


def garbage(request: Request, reply: Reply, wire: Wire) -> None:
    """What is no HTTP."""
    wire.send(b"\x00\xff\x1b[2J\r\n\r\n" * 9)
    wire.end()


ENDINGS = [
    *((path, fault) for path in ("*", "/heat.md")
      for fault in (endless, dripping, dripping_head, silent, garbage)),
    ("/memoryfield.zip", dripping),
    ("/memoryfield.zip", garbage),
    ("/search", silent),
    ("/search", garbage),
]  # fmt: skip


@pytest.mark.parametrize(("path", "fault"), ENDINGS, ids=[f"{f.__name__} {p}" for p, f in ENDINGS])
def test_check_ends(path: str, fault: Any) -> None:
    """Some or all answers never end: the check does, and says what was not checked."""
    with served_field() as server:
        server.fail(path, fault, times=None)
        checked = server_checked(
            server.root,
            storage_options={"anon": True, "timeout": 0.15, "retries": 0},
            ignore=["MF706"],
            seconds=1.2,
        )
    if checked.report is None:
        assert checked.error is not None
    else:
        assert checked.report.unread


@pytest.mark.parametrize("fault", [dripping, dripping_head, silent, endless],
                         ids=lambda fault: fault.__name__)  # fmt: skip
def test_requests_by_hand_end(fault: Any) -> None:
    """So do the requests that try to leave the root."""
    with served_field() as server:
        server.fail("/x", fault, times=None)
        answer = raw_get(server.root, "/x", {}, seconds=0.2, most=100_000)
    assert answer.late == (fault is not endless)
    assert len(answer.body) <= 100_000


def test_deadline_is_told() -> None:
    """Where nothing was asked in time, there is no report."""
    with served_field() as server, pytest.raises(Stopped) as raised:
        server.check(seconds=1e-9)
    assert raised.value.location == server.root


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'{"results":' * 50_000,
        b'{"results": [' + b"1," * 100_000 + b"1]}",
        b"\xff\xfe",
        b"",
        b'{"results": [{"filename": "\\ud800.md", "frontmatter": {}}]}',
        b'{"results": [], "results": 3}',
        b"9" * 5000,
        b'{"results": [{"filename": "a.md", "frontmatter": null, "score": ' + b"9" * 400 + b"}]}",
    ],
    ids=["deep", "deep objects", "no objects", "not UTF-8", "empty", "half", "twice", "digits",
         "large"],
)  # fmt: skip
def test_odd_json(body: bytes) -> None:
    """What is no answer to a search is told, once a way, and in a line."""
    with served_field() as server:
        server.changed_query(lambda query: Reply(200, {}, body))
        report = server.check("MF704")
    assert report.findings
    assert len(report.findings) <= 4
    assert all(visible(each.message) == each.message for each in report.findings)


def test_ten_thousand_results() -> None:
    """Many results are many, and no more than that."""
    with served_field() as server:
        one = {"filename": "plain.md", "frontmatter": None}
        server.changed_query(lambda query: as_json({"results": [one] * 10_000}))
        assert server.check("MF704").findings == ()


def test_an_answer_without_end_is_not_taken() -> None:
    """A search that gives more than can be taken is not judged, and that is told."""
    with served_field() as server:
        server.fail("/search", endless, times=None)
        with pytest.raises(SourceUnavailable, match="more than"):
            server.check("MF704")
        options = {"anon": True, "retries": 0}
        checked = server_checked(server.root, storage_options=options, select=["MF702", "MF704"])
    report = checked.report
    assert report is not None
    assert checked.notes[0].startswith("checked MF702 in ")
    assert report.findings == ()
    assert report.unread
    assert all(type(error) in (SourceUnavailable, Stopped) for error in report.unread)


@given(st.binary(max_size=300) | st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["results", "filename", "frontmatter", "score", "x"]), inner, max_size=4),
    max_leaves=12).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_any_answer_can_be_read(body: bytes) -> None:
    """No answer to a search makes the check fail."""
    read = read_search_answer(Answer("search?q=", 200, {}, body, "http://x/"), {})
    assert len({problem.way for problem in read.problems}) == len(read.problems)


@pytest.mark.parametrize("target", ["/", "http://127.0.0.1:1/x", "//[", "/\x1b[2J", "file:///etc"])
def test_redirects_are_bounded(target: str) -> None:
    """In a circle, to nobody, to no URL: the check ends."""
    with served_field() as server:
        server.change("*", lambda request, reply: Reply(302, {"Location": target}, b""))
        checked = server_checked(server.root, storage_options={"anon": True, "retries": 0})
    assert checked.report is None
    assert isinstance(checked.error, SourceUnavailable)


def test_nothing_moves_the_cursor() -> None:
    """What a server puts into headers stands in a message escaped, and cut."""
    odd = "\x1b[2J\u202e" + "y" * 5000
    with served_field() as server:
        for name in ("Content-Type", "ETag", "WWW-Authenticate", "Content-Range"):
            server.change("/heat.md", lambda request, reply, name=name: _with(reply, name, odd))  # type: ignore[misc]
        report = server.check()
    assert report.findings or report.unread
    for each in report.findings:
        assert visible(each.message) == each.message
        assert len(each.message) < 1001


def _with(reply: Reply, name: str, value: str) -> Reply:
    reply.headers[name] = value.encode("utf-8").decode("latin-1")
    return reply


def test_a_huge_root_is_not_taken() -> None:
    """A root without an end is beyond the limits."""
    with served_field() as server:
        server.fail("/", endless, times=None)
        with pytest.raises(LimitExceeded, match="limit"):
            server.check("MF702")


def test_a_bomb_for_an_archive() -> None:
    """An archive that is none, or a bomb, is a finding; pages are then known by a list."""
    with served_field() as server:
        server.change("/memoryfield.zip", lambda request, reply: Reply(
            200, {"Content-Type": "application/zip"}, b"PK\x03\x04" + b"\x00" * 5000))  # fmt: skip
        report = server.check("MF701", "MF703")
    assert [each.rule for each in report.findings] == ["MF703"]


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedField]:
    """A server that asks for a password, which the environment has."""
    pair = base64.b64encode(f"ada:{PASSWORD}".encode()).decode()

    def guard(request: Request, reply: Reply) -> Reply:
        if request.headers.get("authorization") == f"Basic {pair}":
            return reply
        return Reply(401, {"WWW-Authenticate": 'Basic realm="x"'}, b"")

    with served_field() as server:
        server.change("*", guard)
        monkeypatch.setenv("MEMORYFIELD_HTTP_HOST", f"127.0.0.1:{server.port}")
        monkeypatch.setenv("MEMORYFIELD_HTTP_USER", "ada")
        monkeypatch.setenv("MEMORYFIELD_HTTP_PASSWORD", PASSWORD)
        yield server


def test_credentials_are_given(guarded: ServedField) -> None:
    """With them everything can be asked, the paths that leave the root, too."""
    report = guarded.check(storage_options={"anon": False})
    assert (report.findings, report.unread) == ((), ())
    assert report.digest == guarded.digest
    statuses = {each.status for each in guarded.asked("/etc/passwd")}
    assert 401 not in statuses


def test_without_credentials_only_the_question_for_them_is_judged(guarded: ServedField) -> None:
    """Basic is asked for, as it should be; all else could not be checked."""
    report = guarded.check()
    assert report.findings == ()
    assert [type(error) for error in report.unread] == [AccessDenied]


def test_credentials_are_never_told(guarded: ServedField) -> None:
    """Neither in a finding nor in an error nor in a note, and to no other host."""
    with served_field() as other:
        away = {"Location": f"http://localhost:{other.port}/heat.md?key={PASSWORD}"}
        guarded.change("/heat.md", lambda request, reply: Reply(302, away, b""))
        checked = server_checked(guarded.root, storage_options={"retries": 0, "timeout": 5})
        assert not any("authorization" in each.headers for each in other.asked())
    assert checked.report is not None
    told = json.dumps(checked.report.to_json()) + repr((checked.report.unread, checked.notes))
    assert PASSWORD not in told
    assert base64.b64encode(f"ada:{PASSWORD}".encode()).decode() not in told


def test_a_page_to_log_in_is_told_whatever_else_fails() -> None:
    """A server behind a login in HTML breaks MF707, and nothing of it passes for checked."""
    with served_field() as server:
        server.answers.clear()
        server.files.clear()
        server.answers["*"] = lambda request: html('<form><input type="password"></form>')
        report = server.check()
    assert "MF707" in {each.rule for each in report.findings}
    assert report.digest is None


def test_a_connection_that_is_closed_is_an_answer() -> None:
    """A server may close the connection on a path that means ill."""
    listener = socket.create_server(("127.0.0.1", 0))

    def close_it() -> None:
        listener.accept()[0].close()

    thread = threading.Thread(target=close_it)
    thread.start()
    port = listener.getsockname()[1]
    answer = raw_get(f"http://127.0.0.1:{port}/", "/../x", {}, seconds=5, most=1000)
    thread.join()
    listener.close()
    assert (answer.status, answer.late) == (None, False)
    with pytest.raises(SourceUnavailable):
        raw_get(f"http://127.0.0.1:{port}/", "/../x", {}, seconds=5, most=1000)


def test_paths_are_sent_as_they_are() -> None:
    """No step of a path that leaves the root is tidied away before it is sent."""
    with served_field() as server:
        check_server(server.root, select=["MF706"], storage_options={"anon": True})
        sent = {request.path for request in server.asked()}
    for part in ("/../../", "/%2e%2e/", "/..\\..\\", "/%252e%252e%252f", "/%c0%ae", "%00", "%0a"):
        assert any(part in path for path in sent), part
