"""A client for benchmarks: many requests over connections that stay open, and how long each took.

It is one thread of Python, and what it does itself is part of each figure: a server that is much
faster than it is cannot be measured.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles

_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)
_HANGS = 600


@dataclass(frozen=True, slots=True)
class Load:
    """How a server bore it.

    Attributes:
        rate: answers a second.
        half: milliseconds within which half of them came.
        most: milliseconds within which 99 of 100 came.
        statuses: which statuses there were.
    """

    rate: float
    half: float
    most: float
    statuses: frozenset[int]


class _Work:
    """What is to be asked, and what came of it."""

    def __init__(self, requests: Sequence[bytes], seconds: float, count: int) -> None:
        self.requests = requests
        self.ends = time.perf_counter() + seconds if seconds else float("inf")
        self.count = count
        self.asked = 0
        self.took: list[float] = []
        self.statuses: set[int] = set()

    def next(self) -> bytes | None:
        """The next request; None when it is enough."""
        if time.perf_counter() >= self.ends or (self.count and self.asked >= self.count):
            return None
        self.asked += 1
        return self.requests[self.asked % len(self.requests)]


class _Connection(asyncio.Protocol):
    """One connection: asks, waits for the whole answer, asks again."""

    def __init__(self, work: _Work, ended: asyncio.Future[bool]) -> None:
        self._work = work
        self._ended = ended
        self._got = bytearray()
        self._missing = 0
        self._since = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._ask()

    def _ask(self) -> None:
        request = self._work.next()
        if request is None:
            self._transport.close()
            self._ended.set_result(True)
            return
        self._since = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        if self._missing:
            self._missing -= len(data)
        else:
            self._got += data
            end = self._got.find(b"\r\n\r\n")
            if end < 0:
                return
            status = int(self._got[9:12])
            self._work.statuses.add(status)
            length = None if status == 304 else _LENGTH.search(self._got, 0, end)
            if length is None and status != 304:
                raise ValueError(bytes(self._got[:end]))
            self._missing = int(length[1]) if length else 0
            self._missing -= len(self._got) - end - 4
            self._got.clear()
        if self._missing == 0:
            self._work.took.append(time.perf_counter() - self._since)
            self._ask()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._ended.done():
            self._ended.set_result(False)


def request(port: int, path: str, *headers: str) -> bytes:
    """A GET request, with further lines of its head."""
    lines = (f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Accept: */*", *headers, "", "")
    return "\r\n".join(lines).encode("ascii")


def load(
    port: int, requests: Sequence[bytes], connections: int, *, seconds: float = 0, count: int = 0
) -> Load:
    """Ask for some time, or so many times.

    Arguments:
        port: where the server is, on this machine.
        requests: what is asked, in turn.
        connections: how many there are at a time.
        seconds: after so many, nothing more is asked.
        count: so many requests are made.
    """
    work = _Work(requests, seconds, count)

    async def one() -> bool:
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[bool] = loop.create_future()
        await loop.create_connection(lambda: _Connection(work, ended), "127.0.0.1", port)
        return await ended

    async def one_after_the_other() -> None:
        while not await one():  # a server may end a connection after some requests
            pass

    async def all_of_them() -> None:
        async with asyncio.timeout(_HANGS):
            await asyncio.gather(*(one_after_the_other() for _ in range(connections)))

    since = time.perf_counter()
    asyncio.run(all_of_them())
    passed = time.perf_counter() - since
    most = quantiles(work.took, n=100)[-1] if len(work.took) > 1 else work.took[0]
    return Load(
        len(work.took) / passed, 1000 * median(work.took), 1000 * most, frozenset(work.statuses)
    )
