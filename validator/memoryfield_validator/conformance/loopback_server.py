"""A small HTTP server on loopback that gives files by name, and ranges of them."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

_RANGE = re.compile(r"bytes=([0-9]{1,15})?-([0-9]{1,15})?")
_LOOK_EVERY = 0.05
"""Seconds between two looks at whether the server is to end."""


class Content(NamedTuple):
    """What is given under a path."""

    data: bytes
    kind: str


class LoopbackServer:
    """The server, in a thread of its own.

    Attributes:
        files: what it gives, by the path as it is asked for; may be replaced at any time.
        base: the beginning of its URLs, without a slash at the end.
    """

    def __init__(self) -> None:
        """Listen on a free port; nothing is there yet."""
        self.files: Mapping[str, Content] = {}
        of = self

        class Handler(_Handler):
            owner = of

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_LOOK_EVERY,), name="loopback", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Listen no more."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    owner: LoopbackServer
    protocol_version = "HTTP/1.1"  # so that connections are kept
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body go out together
    timeout = 60

    def do_GET(self) -> None:
        """Give a file, or a range of it."""
        self._answer()

    def do_HEAD(self) -> None:
        """Speak of a file."""
        self._answer()

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""

    def _answer(self) -> None:
        found = self.owner.files.get(self.path)
        if found is None:
            self._send(404, Content(b"There is no such file.\n", "text/plain; charset=utf-8"))
            return
        tag = f'"{hashlib.sha256(found.data).hexdigest()[:32]}"'
        headers = {"ETag": tag, "Accept-Ranges": "bytes"}
        if self.headers.get("If-None-Match") == tag:
            self._send(304, Content(b"", found.kind), headers)
            return
        wanted = self.headers.get("Range")
        if wanted is None or self.headers.get("If-Range", tag) != tag:
            self._send(200, found, headers)
            return
        size = len(found.data)
        span = _span(wanted, size)
        if span is None:
            headers["Content-Range"] = f"bytes */{size}"
            self._send(416, Content(b"", found.kind), headers)
            return
        start, end = span
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
        self._send(206, Content(found.data[start:end], found.kind), headers)

    def _send(
        self, status: int, content: Content, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", content.kind)
        if status != 304:
            self.send_header("Content-Length", str(len(content.data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content.data)


def _span(wanted: str, size: int) -> tuple[int, int] | None:
    """Where a range begins and ends; None where there is nothing of it."""
    match = _RANGE.fullmatch(wanted)
    if match is None:
        return None
    first, last = match.groups()
    if first is None:
        start, end = max(0, size - int(last or 0)), size
    else:
        start, end = int(first), size if last is None else min(size, int(last) + 1)
    return (start, end) if start < end else None
