"""The time that one request and its answer may take, and sockets that keep to it.

A time-out of a socket counts anew with each byte. Here each read is given what is left until the
deadline, which is the same however many bytes come in the meantime.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Any

from ..transfer.options import LONGER
from .failures import Broken

BYTES_A_SECOND = 16 * 1024
"""A transfer gets a second more for each so many bytes that it has given."""

CONNECT_SECONDS = 10.0
"""How long a connection may take to come about, at most."""

_running = threading.local()


class Exchange:
    """One request and its answer, as the sockets beneath see them.

    Attributes:
        timeout: seconds in which the answer must begin, and its body end, if it is small.
        query: the query of the URL, which nobody between here and the socket is to know.
        public_only: whether to connect to public addresses alone.
        fresh: whether a connection was made for it.
    """

    def __init__(self, timeout: float, query: str, *, public_only: bool) -> None:
        """See the attributes."""
        self.timeout = timeout
        self.query = query
        self.public_only = public_only
        self.fresh = False
        self._until: float | None = None
        self._piece_until: float | None = None
        self._answered = False
        self._received = 0

    def begin(self) -> None:
        """Start the clock, if it does not run: waiting for a free connection does not count."""
        if self._until is None:
            self._until = time.monotonic() + self.timeout

    def answered(self) -> None:
        """Start the clock anew for the body: all headers are there."""
        self._answered = True
        self._until = time.monotonic() + self.timeout

    def next_piece(self) -> None:
        """Start to wait for a piece of the body: it must come within the time for an answer."""
        self._piece_until = time.monotonic() + self.timeout

    def hurry(self, seconds: float) -> None:
        """Give what is left no more than so long."""
        self._until = min(self._until or seconds, time.monotonic() + seconds)

    def received(self, count: int) -> None:
        """Give more time for what has come of the body."""
        self._received += count
        if self._until is not None:
            self._until += count / BYTES_A_SECOND

    def remaining(self) -> float:
        """Seconds that a read may take.

        Raises:
            Broken: there are none left.
        """
        self.begin()
        assert self._until is not None  # noqa: S101 - set by the line above
        until = self._until if self._piece_until is None else min(self._until, self._piece_until)
        left = until - time.monotonic()
        if left <= 0:
            raise self.late()
        return left

    def late(self) -> Broken:
        """What to raise when time is over."""
        if self._answered:
            return Broken(
                f"the transfer stopped or is too slow: {self._received} bytes came in time",
                silent=True,
                hint=LONGER,
            )
        return Broken(f"no answer within {self.timeout:g} s", silent=True, hint=LONGER)


@contextlib.contextmanager
def running(exchange: Exchange) -> Iterator[None]:
    """Let the sockets that this thread reads from keep to the time of an exchange."""
    _running.exchange = exchange
    try:
        yield
    finally:
        del _running.exchange


def current() -> Exchange | None:
    """The exchange of this thread."""
    return getattr(_running, "exchange", None)


@contextlib.contextmanager
def _in_time(connected: socket.socket) -> Iterator[None]:
    """Bound one read by what is left of the time of the exchange."""
    exchange = current()
    if exchange is None:
        yield
        return
    connected.settimeout(exchange.remaining())
    try:
        yield
    except TimeoutError:
        raise exchange.late() from None


class TimedSocket(socket.socket):
    """A socket that reads until the deadline of the exchange, not longer."""

    def recv(self, *args: Any) -> bytes:
        """Receive in time."""
        with _in_time(self):
            return super().recv(*args)

    def recv_into(self, *args: Any) -> int:
        """Receive in time."""
        with _in_time(self):
            return super().recv_into(*args)


class TimedTlsSocket(ssl.SSLSocket):
    """The same with TLS, where a read is bounded even if it needs many packets."""

    def read(self, *args: Any) -> Any:
        """Receive in time; all other ways to receive come here."""
        with _in_time(self):
            return super().read(*args)
