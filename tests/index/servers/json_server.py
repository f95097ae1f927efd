"""A server on this machine that takes and gives JSON, in a thread."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its method, path, headers (names in small letters) and JSON body."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; a body that is no string is sent as JSON, and None closes the connection."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class Unanswered(Exception):
    """The connection is to be closed without an answer."""


class JsonServer(ABC):
    """Answers every request with what a function says.

    Attributes:
        asked: every request so far.
        fault: where it is set and returns a reply, that is the answer.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.fault: Callable[[Asked], Reply | None] | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @abstractmethod
    def answer(self, asked: Asked) -> Reply:
        """What is answered where nothing is to fail."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _reply(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        said = self.fault(asked) if self.fault is not None else None
        return said if said is not None else self.answer(asked)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._take()

            def do_POST(self) -> None:
                self._take()

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

            def _take(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = json.loads(content) if content else None
                try:
                    reply = outer._reply(Asked(self.command, self.path, headers, body))
                except Unanswered:
                    self.close_connection = True
                    return
                text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
                sent = text.encode("utf-8")
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

        return Handler
