"""What stands before moto's server: rights that moto does not enforce, and failures on command."""

from __future__ import annotations

import contextlib
import http.client
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import parse_qs, unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, as it came."""

    method: str
    bucket: str
    key: str
    query: Mapping[str, str]
    headers: Mapping[str, str]

    @property
    def lists(self) -> bool:
        """Whether it asks for a listing."""
        return self.method == "GET" and not self.key


@dataclass(frozen=True, slots=True)
class Given:
    """An answer, as it goes: `length` is what it announces, if that is another one."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    length: int | None = None


Rule = Callable[[Asked, Given], Given | None]
"""Gives another answer than the store's, or None to let it pass."""


def refusal(status: int, code: str, extra: str = "", **headers: str) -> Given:
    """An error as S3 words it; underscores in the names of headers are hyphens."""
    text = f"<Error><Code>{code}</Code><Message>secret words</Message>{extra}</Error>"
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Given(status, {"Content-Type": "application/xml", **named}, text.encode())


class S3Gate:
    """A proxy on loopback; a context manager.

    Attributes:
        asked: every request that came.
        rules: what is changed; the first rule that gives an answer wins.
        public: buckets that need no credentials.
        unlisted: buckets whose readers may not list, and are not told what is missing.
        payers: buckets whose requester pays.
        page_keys: how many keys one page of a listing holds, if not a thousand.
        unconditional: whether conditions on what is written are passed over, as some stores do.
        refuse_writes: what is refused before the store hears of it, as `rules` are after; one may
            also do something of its own before a write.
        losses: for each write that is to be lost on its way, from the first on, whether the store
            takes it before the connection breaks; None lets one pass.
        hold: keeps an answer back while a rule waits for it; set when the gate is closed.
    """

    def __init__(self, port: int) -> None:
        self.asked: list[Asked] = []
        self.rules: list[Rule] = []
        self.public: set[str] = set()
        self.unlisted: set[str] = set()
        self.payers: set[str] = set()
        self.page_keys: int | None = None
        self.unconditional = False
        self.refuse_writes: list[Rule] = []
        self.losses: list[bool | None] = []
        self._writing = threading.Lock()
        self.hold = threading.Event()
        self._upstream = port
        gate = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # one packet for head and body

            def do_GET(self) -> None:
                gate.answer(self)

            def do_HEAD(self) -> None:
                gate.answer(self)

            def do_PUT(self) -> None:
                gate.answer(self)

            def handle_expect_100(self) -> bool:
                go_on = super().handle_expect_100()
                self.wfile.flush()
                return go_on

            def log_message(self, *_: object) -> None:
                """Nothing: the tests look at what was asked."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> S3Gate:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.hold.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def fail(self, given: Given, *, times: int = 1, key: str | None = None) -> None:
        """Give an answer so many times, to every request or to those for a key."""
        left = [given] * times

        def rule(asked: Asked, _: Given) -> Given | None:
            return left.pop() if left and key in (None, asked.key) else None

        self.rules.append(rule)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        parts = urlsplit(handler.path)
        _, bucket, *rest = parts.path.split("/", 2)
        query = {name: values[0] for name, values in parse_qs(parts.query, True).items()}
        headers = {name.lower(): value for name, value in handler.headers.items()}
        key = unquote(rest[0]) if rest else ""
        asked = Asked(handler.command, unquote(bucket), key, query, headers)
        self.asked.append(asked)
        loss = self.losses.pop(0) if asked.method == "PUT" and self.losses else None
        body = _body_of(handler) if asked.method == "PUT" else None
        if loss is False:
            handler.close_connection = True
            return
        with self._writing if body is not None else contextlib.nullcontext():
            # A store compares and writes in one step, and moto in two.
            given = self._refused(asked) or self._passed_on(handler, asked, body)
        if loss:
            handler.close_connection = True
            return
        if asked.bucket in self.unlisted and given.status == 404:
            given = refusal(403, "AccessDenied")
        for rule in self.rules:
            changed = rule(asked, given)
            if changed is not None:
                given = changed
                break
        self._send(handler, given)

    def _refused(self, asked: Asked) -> Given | None:
        if asked.bucket not in self.public and "authorization" not in asked.headers:
            return refusal(403, "AccessDenied")
        if asked.bucket in self.unlisted and asked.lists:
            return refusal(403, "AccessDenied")
        if asked.bucket in self.payers and asked.headers.get("x-amz-request-payer") != "requester":
            return refusal(403, "AccessDenied")
        if any(name.startswith(("x-amz-checksum", "x-amz-sdk-checksum")) for name in asked.headers):
            return refusal(401, "Unauthorized")  # as stores do that do not know these
        if asked.method == "PUT":
            found = (rule(asked, Given(200)) for rule in self.refuse_writes)
            return next((given for given in found if given is not None), None)
        return None

    def _passed_on(
        self, handler: BaseHTTPRequestHandler, asked: Asked, body: bytes | None
    ) -> Given:
        connection = http.client.HTTPConnection("127.0.0.1", self._upstream, timeout=30)
        try:
            # Moto wants a signature for what is not public, and never looks whose it is.
            signature = "AWS4-HMAC-SHA256 Credential=gate/20260101/us-east-1/s3/aws4_request"
            headers = {**dict(handler.headers.items()), "Authorization": signature}
            headers.pop("Expect", None)
            if body is not None and self.unconditional:
                headers.pop("If-Match", None)
                headers.pop("If-None-Match", None)
            paged = asked.lists and self.page_keys is not None
            path = f"{handler.path}&max-keys={self.page_keys}" if paged else handler.path
            connection.request(handler.command, path, body, headers)
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        kept = {
            name: value
            for name, value in answer.headers.items()
            if name.lower() not in ("connection", "content-length", "transfer-encoding", "server")
        }
        if handler.command == "HEAD" and answer.status == 404:
            kept["x-amz-request-id"] = "gate"  # as S3 has it; moto's looks like a web server's
        length = answer.headers.get("Content-Length")
        return Given(answer.status, kept, data, None if length is None else int(length))

    def _send(self, handler: BaseHTTPRequestHandler, given: Given) -> None:
        length = len(given.body) if given.length is None else given.length
        handler.send_response(given.status)
        for name, value in given.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(length))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(given.body)
            handler.close_connection = length != len(given.body)


def _body_of(handler: BaseHTTPRequestHandler) -> bytes:
    return handler.rfile.read(int(handler.headers["Content-Length"]))
