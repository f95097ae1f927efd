"""Clients that are slow, leave, or come all at once; and an end in good order."""

from __future__ import annotations

import hashlib
import http.client
import os
import random
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.agents.served import SECONDS, Server, folder, page, parts_of, serving, spawned, stopped

from memoryfield_agents.serving import Settings

LARGE = 24 * 1024 * 1024
"""More than the system keeps for a client that does not read."""

HURRIED = Settings(
    follow_changes=False, head_seconds=0.5, idle_seconds=1, stall_seconds=0.5, most_connections=20
)
ASK = b"GET /%s HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    large = random.Random(7).randbytes(LARGE)
    return folder(
        tmp_path_factory.mktemp("clients") / "notes", {"a.md": page("A"), "large.bin": large}
    )


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Server]:
    with serving(place, settings=HURRIED) as found:
        yield found


def until(done: Callable[[], bool]) -> None:
    """Wait for something that comes soon."""
    last = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < last
        time.sleep(0.02)


def ended(client: socket.socket) -> bytes:
    """All that comes until the server ends the connection."""
    found = b""
    try:
        while more := client.recv(65536):
            found += more
    except ConnectionResetError:
        pass
    return found


def drip(client: socket.socket) -> None:
    """Send a byte now and then."""
    for _ in range(2000):
        client.sendall(b"a")
        time.sleep(0.01)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_a_request_that_does_not_come(server: Server, sent: bytes) -> None:
    """The connection ends, and others are answered meanwhile."""
    with server.connected() as client:
        client.sendall(sent)
        assert server.get("/a.md").status == 200
        assert ended(client).startswith(b"HTTP/1.1 408 ")


def test_a_head_that_drips(server: Server) -> None:
    """Each byte is no new reason to wait."""
    with server.connected() as client:
        with pytest.raises(OSError):  # noqa: PT011 - which one depends on when it is noticed
            drip(client)
        assert server.get("/a.md").status == 200


def test_a_connection_that_is_idle(server: Server) -> None:
    """It is kept for another request, and not for ever."""
    with server.connected() as client:
        for _ in range(2):
            client.sendall(ASK % b"a.md")
            found = b""
            while not found.endswith(page("A").encode()):
                found += client.recv(65536)
            assert found.startswith(b"HTTP/1.1 200 OK")
        assert ended(client) == b""


def test_an_answer_that_is_not_read(server: Server) -> None:
    """The connection breaks; the log tells that not all was taken."""
    before = len(server.log)
    with server.connected() as client:
        client.sendall(ASK % b"memoryfield.zip")
        assert server.told("/memoryfield.zip", before).endswith("cut")
        assert len(ended(client)) < LARGE
    assert server.get("/a.md").status == 200


def test_a_client_that_leaves_in_the_middle(server: Server) -> None:
    """Nothing more is made for it, nothing breaks, and nobody else notices."""
    before = len(server.log)
    with server.connected() as client:
        client.sendall(ASK % b"memoryfield.zip")
        assert client.recv(1000).startswith(b"HTTP/1.1 200 OK")
    told = server.told("/memoryfield.zip", before)
    assert told.endswith("cut")
    assert int(told.split('" ')[1].split()[1]) < LARGE
    whole = server.get("/memoryfield.zip")
    assert whole.headers["etag"] == f'"{hashlib.sha256(whole.body).hexdigest()}"'
    assert not any(line.startswith("fault") for line in server.log)


@pytest.mark.parametrize(
    "request_",
    [
        b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET / HTTP/9.9\r\n\r\n",
        b"GET /a b HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 40_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 40_000, b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
    ids=range(13),
)  # fmt: skip
def test_what_is_no_request(server: Server, request_: bytes) -> None:
    """400, told in the log, and the connection ends."""
    before = len(server.log)
    with server.connected() as client:
        client.sendall(request_)
        assert parts_of(ended(client))[0] in (400, 403, 431)
    until(lambda: len(server.log) > before)


def test_requests_one_after_the_other(server: Server) -> None:
    """Sent all together, they are answered in their order."""
    with server.connected() as client:
        client.sendall(
            ASK % b"a.md"
            + ASK % b"none.md"
            + (ASK % b"a.md").replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        )
        answer = ended(client)
    assert answer.count(b"HTTP/1.1 200 OK") == 2
    assert answer.index(b" 404 ") > answer.index(b" 200 ")


def test_too_many_connections(server: Server) -> None:
    """One more is told to come again; when some end, there is room."""
    with ExitStack() as stack:
        clients = [stack.enter_context(server.connected()) for _ in range(40)]
        refused = sum(ended(client).startswith(b"HTTP/1.1 503 ") for client in clients[20:])
        assert refused == 20
    until(
        lambda: server.raw(
            ASK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") % b"a.md"
        ).startswith(b"HTTP/1.1 200")
    )


def test_an_answer_that_takes_too_long(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """503 says to ask again; pages are answered meanwhile."""
    go_on = threading.Event()
    settings = Settings(follow_changes=False, answer_seconds=0.3, most_requests=3)
    with serving(place, settings=settings) as server:
        from memoryfield_agents.serving import requests as serving_requests

        def wait(*_: object) -> None:
            go_on.wait(SECONDS)
            raise RuntimeError("nobody waits for this")

        monkeypatch.setattr(serving_requests, "ask", wait)
        try:
            with ThreadPoolExecutor(6) as pool:
                slow = [pool.submit(server.get, "/search?q=a") for _ in range(6)]
                answers = [each.result() for each in slow]
            assert {each.status for each in answers} == {503}
            assert all("retry-after" in each.headers for each in answers)
            assert server.get("/a.md").status == 200
        finally:
            go_on.set()


def test_a_fault_of_ours(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """500 without a word of what it was, which stands in the log."""
    from memoryfield_agents.serving import requests as serving_requests

    def fail(*_: object) -> None:
        raise RuntimeError("a secret\nof ours")

    monkeypatch.setattr(serving_requests, "ask", fail)
    with serving(place) as server:
        got = server.get("/search?q=a")
        assert (got.status, b"secret" in got.body) == (500, False)
        assert server.get("/a.md").status == 200
    assert sum("a secret\\\\nof ours" in line or "a secret" in line for line in server.log) == 1


def test_a_thousand_at_once(place: Path) -> None:
    """Each is answered, with 200 or with 503 and when to come again; then all is as before."""
    with spawned("--max-concurrency", "32", place) as server:
        wanted = threading.Barrier(50)
        found: list[tuple[int, bool]] = []

        def ask() -> None:
            with ExitStack() as stack:
                clients = []
                for _ in range(20):
                    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
                    stack.callback(client.close)
                    client.connect()
                    clients.append(client)
                wanted.wait(SECONDS)
                for number, client in enumerate(clients):
                    client.request("GET", "/search?q=a" if number % 2 else "/a.md")
                for client in clients:
                    answer = client.getresponse()
                    answer.read()
                    found.append((answer.status, answer.getheader("Retry-After") is not None))

        threads = [threading.Thread(target=ask) for _ in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 1000
        assert set(found) <= {(200, False), (503, True)}
        assert (200, False) in found
        assert server.get("/a.md").status == 200
        assert stopped(server) == 0
    assert sum('"GET /' in line for line in server.log) == 1001


def test_stopped_during_a_slow_download(place: Path) -> None:
    """It ends with 0 within its time of grace, and the log knows of all requests."""
    with spawned("--grace", "1", place) as server, server.connected() as client:
        assert server.process is not None
        assert server.get("/a.md").status == 200
        client.sendall(ASK % b"memoryfield.zip")
        assert client.recv(100).startswith(b"HTTP/1.1 200 OK")
        os.kill(server.process.pid, signal.SIGTERM)
        assert server.process.wait(SECONDS) == 0
    asked = [line for line in server.log if '"GET /' in line]
    assert len(asked) == 2
    assert asked[1].endswith("cut")
    assert not any("Traceback" in line for line in server.log)


def test_a_download_may_end_in_its_time_of_grace(place: Path) -> None:
    """What is under way is finished, and nothing new begins."""
    with spawned(place) as server, server.connected() as client:
        assert server.process is not None
        client.sendall(ASK % b"large.bin")
        begun = client.recv(100)
        os.kill(server.process.pid, signal.SIGINT)
        body = parts_of(begun + ended(client))[2]
        assert (
            hashlib.sha256(body).digest()
            == hashlib.sha256((place / "large.bin").read_bytes()).digest()
        )
        assert server.process.wait(SECONDS) == 0
    assert not server.log[-1].endswith("cut")
