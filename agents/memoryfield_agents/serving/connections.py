"""Connections that do not wait for ever: for a request, or for a client to take its answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .access_log import GONE, Log, quoted, stamp
from .settings import Settings

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.server import ServerState

_HEAD = b"HTTP/1.1 "
_GO_ON = b"HTTP/1.1 1"
"""The beginning of an answer such as 100: the client waits for it, and nothing follows before."""

_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nretry-after: 1\r\n"
    b"connection: close\r\n\r\n"
)
_LATE = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Joined:
    """A transport that sends the head of an answer together with what follows: one call, not two.

    Something always follows: each answer ends with a write, be it of nothing, or with the end of
    the connection.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        """Stand before a transport."""
        self._transport = transport
        self._held = b""

    def __getattr__(self, name: str) -> Any:
        """All else is the transport's own."""
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send bytes, or hold them if they are a head."""
        if self._held:
            data, self._held = self._held + data, b""
        elif data.startswith(_HEAD) and not data.startswith(_GO_ON):
            self._held = data
            return
        self._transport.write(data)

    def close(self) -> None:
        """End the connection when all is sent."""
        if self._held:
            self.write(b"")
        self._transport.close()


class Connection(H11Protocol):
    """A connection that is looked at now and then, and ended where nothing moves."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        settings: Settings,
        log: Log,
    ) -> None:
        """Begin; see `H11Protocol`."""
        super().__init__(config, server_state, app_state, _loop)
        self._settings = settings
        self._log = log
        self._waiting_since: float | None = None
        self._unsent = 0
        self._unsent_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, if there are not too many."""
        super().connection_made(transport)
        transport = self.transport = cast("asyncio.Transport", Joined(transport))
        self._waiting_since = self.loop.time()
        if len(self.connections) > self._settings.most_connections:
            transport.write(_BUSY)
            transport.close()
            self._tell(503)

    def data_received(self, data: bytes) -> None:
        """Take bytes; the time for a request begins with its first one."""
        if self._is_idle and self._waiting_since is None:
            self._waiting_since = self.loop.time()
        super().data_received(data)
        if not self._is_idle:
            self._waiting_since = None

    def on_response_complete(self) -> None:
        """Wait for the next request, whose time begins with its first byte."""
        self._waiting_since = None
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let whoever makes an answer know that nobody waits for it."""
        if self.scope is not None and self.cycle is not None and not self.cycle.response_complete:
            cast("dict[str, Any]", self.scope)[GONE] = True
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request."""
        self._tell(400)
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def look(self, now: float) -> None:
        """End the connection if it has waited for too long.

        Arguments:
            now: the time of the loop, in seconds.
        """
        since = self._waiting_since
        if since is not None and self._is_idle and now - since > self._settings.head_seconds:
            self._waiting_since = None
            if not self.transport.is_closing():
                self._tell(408)
                self.transport.write(_LATE)
                self.transport.close()
        unsent = self.transport.get_write_buffer_size()
        if not unsent or unsent != self._unsent:
            self._unsent, self._unsent_since = unsent, now if unsent else None
        elif now - (self._unsent_since or now) > self._settings.stall_seconds:
            self.transport.abort()

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _tell(self, status: int) -> None:
        client = self.client[0] if self.client else "-"
        self._log(f"{stamp()} {client} - {quoted('')} {status} 0 0.000 {quoted('')}")
