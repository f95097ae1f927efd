"""What is answered: a status, headers and bytes, and how they are sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

Headers = tuple[tuple[str, str], ...]

PLAIN: Final = "text/plain; charset=utf-8"
PAGE_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""For our own pages: no script at all, from nowhere."""

FILE_POLICY: Final = "default-src 'none'; frame-ancestors 'none'; sandbox"
"""For all else, should a browser show it."""

_ALWAYS: Headers = (
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
)

MOST_PIECE: Final = 65_536
"""Bytes that are handed on at a time, so that a slow client holds no more of them."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Bytes that are made when they are sent.

    Attributes:
        size: how many there are.
        pieces: makes them, one piece after the other.
        slow: whether a thread makes them, so that others need not wait for it.
    """

    size: int
    pieces: Callable[[], Iterable[bytes]]
    slow: bool = False

    async def made(self) -> AsyncIterator[bytes]:
        """The pieces."""
        pieces = iter(self.pieces())
        if not self.slow:
            for piece in pieces:
                yield piece
            return
        while gathered := await asyncio.to_thread(_gathered, pieces):
            yield gathered


def _gathered(pieces: Iterator[bytes]) -> bytes:
    """The next pieces as one, as many as are handed on at a time: most are short."""
    found = bytearray()
    for piece in pieces:
        found += piece
        if len(found) >= MOST_PIECE:
            break
    return bytes(found)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Attributes:
        status: its status.
        headers: its headers, beside those that all answers have; names in lower case.
        body: its content; None for an answer that has none, such as 304.
    """

    status: int
    headers: Headers = ()
    body: bytes | Stretch | None = b""


def plain(status: int, text: str, headers: Headers = ()) -> Reply:
    """A short text for who gets no page."""
    body = text.encode("utf-8", "replace") + b"\n"
    return Reply(status, (("content-type", PLAIN), ("cache-control", "no-store"), *headers), body)


def busy(text: str = "too much to do just now") -> Reply:
    """For who should ask again a little later."""
    return plain(503, text, (("retry-after", "1"),))


async def send_reply(reply: Reply, scope: Scope, send: Send) -> None:
    """Send an answer; of one to HEAD the headers alone."""
    names = {name for name, _ in reply.headers}
    headers = [*_ALWAYS, *reply.headers]
    if "content-security-policy" not in names:
        headers.append(("content-security-policy", FILE_POLICY))
    body = reply.body
    if body is not None:
        size = body.size if isinstance(body, Stretch) else len(body)
        headers.append(("content-length", str(size)))
    raw = [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": reply.status, "headers": raw})
    if scope["method"] == "HEAD" or body is None:
        await send({"type": "http.response.body", "body": b""})
        return
    if isinstance(body, Stretch) and body.size <= MOST_PIECE and not body.slow:
        body = b"".join(body.pieces())  # at once: most pages are short
    if isinstance(body, Stretch):
        async for piece in body.made():
            view = memoryview(piece)
            for at in range(0, len(view), MOST_PIECE):
                part = bytes(view[at : at + MOST_PIECE])
                await send({"type": "http.response.body", "body": part, "more_body": True})
                await asyncio.sleep(0)  # others have their turn, and it is seen who has left
        await send({"type": "http.response.body", "body": b""})
    else:
        await send({"type": "http.response.body", "body": body})


@dataclass(frozen=True, slots=True)
class Refusal:
    """An application that has one answer to all requests."""

    reply: Reply

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Give it."""
        await send_reply(self.reply, scope, send)
