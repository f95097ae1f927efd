"""The HTTP client waits for an answer, and for its body, as long as it was told: never longer.

None of these tests looks at a clock: what is not stopped in time goes on to a good end, which is
not what they expect.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from tests.readers.http_asking import SHORT, alone, asking
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import Fault, FaultyHttp, Wire, head_of
from tests.readers.servers.http_parts import Reply, Request
from tests.readers.servers.tls import Authority, authority

from memoryfield_readers.errors import SourceUnavailable
from memoryfield_readers.http import connection
from memoryfield_readers.http.exchange import BYTES_A_SECOND, TimedSocket, TimedTlsSocket
from memoryfield_readers.http.trust import tls_context

pytestmark = pytest.mark.usefixtures(alone.__name__)

PAGE = b"x" * 400
PAUSE = 0.01
"""Between two bytes of a server that drips: 400 of them take far longer than is waited."""


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """An authority, made once: that is slow."""
    return authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture(params=["http", "https"])
def server(
    request: pytest.FixtureRequest, trusted: Authority, alone: pytest.MonkeyPatch
) -> Iterator[FaultyHttp]:
    """A server with one page, without and with TLS."""
    alone.setenv("REQUESTS_CA_BUNDLE", str(trusted.ca_file))
    tls = trusted.context if request.param == "https" else None
    with FaultyHttp({"/a.md": PAGE}, tls=tls) as made:
        yield made


@pytest.mark.parametrize(
    "fault",
    [faults.silence, faults.drip_headers(PAUSE)],
    ids=["silence", "drip"],
)
def test_an_answer_must_begin_in_time(server: FaultyHttp, fault: Fault) -> None:
    """Silence and headers that drip are given up."""
    server.fail("/a.md", fault)
    with asking(timeout=SHORT) as ask:
        error = ask.error(server.url("/a.md"))
    assert type(error) is SourceUnavailable
    assert error.message == f"no answer within {SHORT} s"
    assert error.hint == "--timeout SECONDS gives it longer"


def test_interim_answers_do_not_go_on_for_ever(server: FaultyHttp) -> None:
    """A server that only ever says that the answer is to come is given up at once."""
    server.fail("/a.md", faults.informational_flood(None))
    with asking() as ask:
        assert "not HTTP" in ask.error(server.url("/a.md")).message


@pytest.mark.parametrize(
    "fault", [faults.drip(PAUSE), faults.silence_after(100)], ids=["drip", "silence"]
)
def test_a_body_must_come_in_time(server: FaultyHttp, fault: Fault) -> None:
    """A body that drips or stops is given up, and is another reason than a body cut short."""
    server.fail("/a.md", fault)
    with asking(timeout=SHORT) as ask:
        assert "too slow" in ask.error(server.url("/a.md")).message


def in_chunks_that_drip(request: Request, reply: Reply, wire: Wire) -> None:
    """The size of a chunk that has no end."""
    reply.chunked = True
    wire.send(head_of(request, reply) + b"1;")
    for _ in range(400):
        wire.pause(PAUSE)
        wire.send(b"x")
    wire.send(b"\r\nx\r\n0\r\n\r\n")


def trailers_without_end(request: Request, reply: Reply, wire: Wire) -> None:
    """A whole body, and trailers that go on and on."""
    reply.chunked = True
    body = b"x" * BYTES_A_SECOND * 60  # which gives a minute of time
    wire.send(head_of(request, reply) + b"%x\r\n%b\r\n0\r\n" % (len(body), body))
    for _ in range(400):
        wire.pause(PAUSE)
        wire.send(b"X-More: more\r\n")
    wire.send(b"\r\n")


@pytest.mark.parametrize("fault", [in_chunks_that_drip, trailers_without_end])
def test_what_stands_around_a_body_must_come_in_time(server: FaultyHttp, fault: Fault) -> None:
    """Chunk sizes and trailers bring no byte of a body, and no time."""
    server.fail("/a.md", fault)
    with asking(timeout=SHORT) as ask:
        assert "too slow" in ask.error(server.url("/a.md")).message


def test_a_large_body_gets_more_time(server: FaultyHttp) -> None:
    """Time is given for what has come: a body that goes on well may take twice as long."""
    piece = BYTES_A_SECOND // 8

    def steadily(request: Request, reply: Reply, wire: Wire) -> None:
        reply.body = b"x" * piece * 8
        wire.send(head_of(request, reply))
        for _ in range(8):
            wire.pause(SHORT / 2)
            wire.send(b"x" * piece)

    server.fail("/a.md", steadily)
    with asking(timeout=SHORT * 2) as ask:
        assert len(ask.get(server.url("/a.md"))) == piece * 8


def late(request: Request, reply: Reply, wire: Wire) -> Reply:
    """The answer comes after a while."""
    wire.pause(SHORT * 0.7)
    return reply


def test_time_does_not_run_on_for_the_next_request(server: FaultyHttp) -> None:
    """Each request has its own time, on a connection that is kept as well."""
    server.fail("/a.md", late, times=None)
    with asking(timeout=SHORT * 3) as ask:
        for _ in range(5):
            assert ask.get(server.url("/a.md")) == PAGE


def test_a_body_has_time_of_its_own(server: FaultyHttp) -> None:
    """However late the headers were, the body may take as long again."""

    def late_twice(request: Request, reply: Reply, wire: Wire) -> Reply:
        wire.pause(SHORT * 2)
        wire.send(head_of(request, reply))
        wire.pause(SHORT * 2)
        wire.send(reply.body)
        wire.end()
        return reply

    server.fail("/a.md", late_twice)
    with asking(timeout=SHORT * 3) as ask:
        assert ask.get(server.url("/a.md")) == PAGE


def test_a_read_that_timed_out_is_tried_again(server: FaultyHttp) -> None:
    """Time that is over may be a hiccup."""
    server.fail("/a.md", faults.silence)
    with asking(retries=1, timeout=SHORT * 3) as ask:
        assert ask.get(server.url("/a.md")) == PAGE
        assert len(ask.waits) == 1


def test_a_redirect_that_drips_holds_nobody_up(server: FaultyHttp) -> None:
    """What stands in the body of a redirect is not waited for."""
    to_its_end: list[bool] = []

    def dripping(request: Request, reply: Reply, wire: Wire) -> None:
        faults.drip(PAUSE)(request, Reply(302, {"Location": "/b.md"}, PAGE), wire)
        to_its_end.append(True)

    server.files["/b.md"] = b"there"
    server.fail("/a.md", dripping)
    with asking() as ask:
        assert ask.get(server.url("/a.md")) == b"there"
    assert to_its_end == []


def test_a_host_that_accepts_and_stays_silent_is_given_up(server: FaultyHttp) -> None:
    """With TLS, not even its agreement comes; a silent host is tried often just once."""
    server.silent = True
    with asking(retries=1, timeout=SHORT) as ask:
        words = {ask.error(server.url("/a.md")).message for _ in range(3)}
        assert len(ask.waits) == 1
    assert words <= {f"no answer within {SHORT} s", "no agreement on TLS in time"}


def test_an_agreement_on_tls_that_drips_is_given_up(trusted: Authority) -> None:
    """A server that sends its part of a handshake byte by byte is stopped."""
    hello = bytes([22, 3, 3, 1, 0]) + b"\x02" + bytes(255)
    done = threading.Event()

    def drip(listener: socket.socket) -> None:
        accepted, _ = listener.accept()
        with accepted:
            for byte in hello:
                if done.wait(PAUSE):
                    return
                try:
                    accepted.sendall(bytes([byte]))
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener,))
        thread.start()
        with asking(timeout=SHORT) as ask:
            error = ask.error(f"https://127.0.0.1:{listener.getsockname()[1]}/")
        done.set()
        thread.join()
    assert error.message == "no agreement on TLS in time"


def test_an_address_that_is_silent_leaves_time_for_the_next(alone: pytest.MonkeyPatch) -> None:
    """Of several addresses of a host the first that answers is taken; none takes all the time."""
    connect = TimedSocket.connect
    given: list[float] = []

    def deaf(connected: TimedSocket, address: tuple[str, int]) -> None:
        given.append(connected.gettimeout() or 0.0)
        if address[1] == 1:
            raise TimeoutError
        connect(connected, address)

    def several(host: str, port: int, **named: Any) -> list[Any]:
        ports = (1, 1, port)
        return [one for each in ports for one in socket.getaddrinfo(host, each, **named)]

    alone.setattr(connection, "getaddrinfo", several)
    alone.setattr(TimedSocket, "connect", deaf)
    with FaultyHttp({"/a.md": PAGE}) as server, asking(timeout=6) as ask:
        assert ask.get(server.url("/a.md")) == PAGE
    assert [round(each) for each in given] == [2, 3, 6]


def test_no_thread_is_left(server: FaultyHttp) -> None:
    """The client keeps its time without a thread of its own."""
    before = threading.active_count()
    with asking() as ask:
        ask.get(server.url("/a.md"))
        assert {each.name[:1] for each in threading.enumerate()[before:]} <= {"c"}  # the server's


def test_tls_is_spoken_by_sockets_that_keep_to_time() -> None:
    """The module `ssl` makes sockets of our kind, by the way it documents."""
    context = tls_context()
    assert context.sslsocket_class is TimedTlsSocket
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
