"""An HTTP/1.1 server on loopback that answers well, notes every request, and fails on command."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from types import TracebackType
from typing import IO
from urllib.parse import unquote, urlsplit

from tests.readers.servers.http_parts import Reply, Request, Served, answer

_PIECE = 64 * 1024
_FOR_ALL = "*"


class Wire:
    """A connection as a fault sees it, which may send what is no answer at all."""

    def __init__(self, sock: socket.socket, closing: threading.Event) -> None:
        self._socket = sock
        self._closing = closing

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._socket.sendall(data)

    def pause(self, seconds: float) -> None:
        """Do nothing for a while, or until the server is closed."""
        if self._closing.wait(seconds):
            raise ConnectionAbortedError

    def hold(self) -> None:
        """Say nothing until the server is closed."""
        self._closing.wait()
        raise ConnectionAbortedError

    def reset(self) -> None:
        """Break the connection, so that the other side is told."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise ConnectionAbortedError

    def end(self) -> None:
        """Close the connection, as if that were in order."""
        raise ConnectionAbortedError


Fault = Callable[[Request, Reply, Wire], Reply | None]
"""Changes a reply that is about to be sent, or sends what it likes and gives None: then the
connection is closed."""


@dataclass(slots=True)
class _Rule:
    faults: tuple[Fault, ...]
    path: str
    times: int | None
    after: int

    def applies(self, path: str) -> bool:
        """Whether to fail now; counts."""
        if self.path not in (_FOR_ALL, path) or self.times == 0:
            return False
        if self.after:
            self.after -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True


class FaultyHttp:
    """The server; a context manager, whose threads have ended when it is left.

    Attributes:
        files: what it serves, by decoded path with its first slash; may be changed at any time.
        answers: functions that answer in place of files, by decoded path; "*" for all others.
        requests: every request so far, in the order in which they came.
        silent: whether to accept connections and then neither read nor write.
    """

    def __init__(
        self,
        files: Mapping[str, bytes | Served] | None = None,
        *,
        tls: ssl.SSLContext | None = None,
        host: str = "127.0.0.1",
    ) -> None:
        """Listen on a free port.

        Arguments:
            files: what to serve at first.
            tls: speak TLS with this.
            host: the name in its URLs, which must lead to 127.0.0.1.
        """
        self.files: dict[str, bytes | Served] = dict(files or {})
        self.answers: dict[str, Callable[[Request], Reply]] = {}
        self.requests: list[Request] = []
        self.silent = False
        self._tls = tls
        self._rules: list[_Rule] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._open: dict[int, socket.socket] = {}
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self.base = f"{'https' if tls else 'http'}://{host}:{self.port}"
        self._acceptor = threading.Thread(target=self._accept, name="acceptor")
        self._acceptor.start()

    def url(self, path: str) -> str:
        """The URL of an encoded path."""
        return self.base + path

    def fail(self, path: str, *faults: Fault, times: int | None = 1, after: int = 0) -> None:
        """From now on, answer with faults; of several rules for a path the oldest goes first.

        Arguments:
            path: the decoded path; "*" for every one.
            faults: what happens to the reply, one after the other.
            times: how often; None for ever.
            after: how many requests of that path are answered well before.
        """
        with self._lock:
            self._rules.append(_Rule(faults, path, times, after))

    def mend(self) -> None:
        """Forget all faults."""
        with self._lock:
            self._rules.clear()

    def asked(self, path: str | None = None) -> list[Request]:
        """The requests so far, all or those for a decoded path."""
        with self._lock:
            return [r for r in self.requests if path in (None, unquote(r.path))]

    @property
    def connections(self) -> int:
        """How many connections have carried a request."""
        return len({request.connection for request in self.asked()})

    def close(self) -> None:
        """Break all connections and wait for all threads."""
        self._closing.set()
        with contextlib.suppress(OSError):  # wakes the thread that accepts
            socket.create_connection(("127.0.0.1", self.port), 5).close()
        self._acceptor.join()
        self._listener.close()
        with self._lock:
            for sock in self._open.values():
                with contextlib.suppress(OSError):
                    # that of a TLS socket would pull the rug from under the thread that reads
                    socket.socket.shutdown(sock, socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> FaultyHttp:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _accept(self) -> None:
        number = 0
        while True:
            sock, _ = self._listener.accept()
            if self._closing.is_set():
                sock.close()
                return
            number += 1
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                try:
                    sock = self._tls.wrap_socket(
                        sock, server_side=True, do_handshake_on_connect=False
                    )
                except OSError:  # the client has gone already
                    sock.close()
                    continue
            thread = threading.Thread(target=self._serve, args=(sock, number), name=f"c{number}")
            with self._lock:
                self._open[number] = sock
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket, number: int) -> None:
        wire = Wire(sock, self._closing)
        try:
            with sock.makefile("rb") as reader:
                if self.silent:
                    wire.hold()
                if isinstance(sock, ssl.SSLSocket):
                    sock.do_handshake()
                while self._exchange(reader, wire, number):
                    pass
        except OSError:
            pass  # the client has gone, the connection is cut on purpose, or the server is closed
        finally:
            with self._lock:
                del self._open[number]
            sock.close()

    def _exchange(self, reader: IO[bytes], wire: Wire, number: int) -> bool:
        """Answer one request; whether another may follow on the connection."""
        request = _read_request(reader, number)
        if request is None:
            return False
        path = unquote(request.path)
        with self._lock:
            self.requests.append(request)
            rule = next((rule for rule in self._rules if rule.applies(path)), None)
        reply: Reply | None = self._answer(request, path)
        for fault in rule.faults if rule else ():
            if reply is not None:
                reply = fault(request, reply, wire)
        return reply is not None and send_reply(request, reply, wire)

    def _answer(self, request: Request, path: str) -> Reply:
        made = self.answers.get(path)
        if made is None and path not in self.files:
            made = self.answers.get(_FOR_ALL)
        if made is not None:
            return made(request)
        found = self.files.get(path)
        return answer(request, Served(found) if isinstance(found, bytes) else found)


def head_of(request: Request, reply: Reply) -> bytes:
    """The status line and headers of a reply, up to and with the empty line."""
    headers = dict(reply.headers)
    if reply.chunked:
        headers["Transfer-Encoding"] = "chunked"
    elif reply.announced and reply.status not in (204, 304) and reply.status >= 200:
        length = len(reply.body) if reply.length is None else reply.length
        headers.setdefault("Content-Length", str(length))
    if _closes(request, reply):
        headers["Connection"] = "close"
    lines = [f"HTTP/1.1 {reply.status} {reply.reason}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def send_reply(request: Request, reply: Reply, wire: Wire) -> bool:
    """Send a reply; whether the connection stays open."""
    request.status = reply.status
    wire.send(head_of(request, reply))
    if request.method != "HEAD":
        for at in range(0, len(reply.body), _PIECE):
            piece = reply.body[at : at + _PIECE]
            request.sent += len(piece)  # before the client can know of it
            wire.send(b"%x\r\n%b\r\n" % (len(piece), piece) if reply.chunked else piece)
        if reply.chunked and not reply.close:
            wire.send(b"0\r\n\r\n")
    return not _closes(request, reply)


def _closes(request: Request, reply: Reply) -> bool:
    asked = request.headers.get("connection", "").lower() == "close"
    return asked or reply.close or not (reply.announced or reply.chunked)


def _read_request(reader: IO[bytes], number: int) -> Request | None:
    """The next request of a connection; None where it ended."""
    line = reader.readline(65_536).decode("latin-1").split()
    if len(line) != 3:
        return None
    lines = []
    while (header := reader.readline(65_536)) not in (b"\r\n", b"\n", b""):
        lines.append(header)
    parsed = BytesHeaderParser().parsebytes(b"".join(lines))
    headers = {name.lower(): str(value) for name, value in parsed.items()}
    body = reader.read(int(headers.get("content-length", "0")))
    target = urlsplit(line[1] if "://" in line[1] else "//host" + line[1])
    return Request(line[0], target.path or "/", target.query, headers, number, body)
