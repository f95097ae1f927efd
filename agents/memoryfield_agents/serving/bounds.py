"""How much is done side by side, how long it may take, and that no request brings a body."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from .replies import busy, plain, send_reply
from .settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_HEAD: Final = 16_384
"""Bytes of the headers of a request."""

_METHODS = ("GET", "HEAD")
_ALLOW = (("allow", ", ".join(_METHODS)),)


class Bounds:
    """An application that takes so many requests at a time, and answers the others at once."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        """Stand before an application."""
        self._app = app
        self._most = settings.most_requests
        self._seconds = settings.answer_seconds
        self._now = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, or answer 503."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if has_body(scope):
            receive, send = _closing(receive, send)
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEAD:
            await send_reply(plain(431, "the headers are too long"), scope, send)
            return
        if self._now >= self._most:
            await send_reply(busy(), scope, send)
            return
        self._now += 1
        try:
            await self._in_time(scope, receive, send)
        finally:
            self._now -= 1

    async def _in_time(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False
        try:
            async with asyncio.timeout(self._seconds) as limit:

                async def watched(message: Message) -> None:
                    nonlocal begun
                    begun = True
                    limit.reschedule(None)  # who takes it slowly is the connection's matter
                    await send(message)

                await self._app(scope, receive, watched)
        except TimeoutError:
            if begun:
                raise
            await send_reply(busy("that took too long"), scope, send)


class ReadOnly:
    """An application to which only GET and HEAD exist, without a body."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 405 or 413, or hand on."""
        if scope["type"] == "http":
            if scope["method"] not in _METHODS:
                await send_reply(plain(405, "there is only GET and HEAD", _ALLOW), scope, send)
                return
            if has_body(scope):
                await send_reply(plain(413, "a request has no body here"), scope, send)
                return
        await self._app(scope, receive, send)


def has_body(scope: Scope) -> bool:
    """Whether a request says that a body follows."""
    for name, value in scope["headers"]:
        if name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0 ")):
            return True
    return False


def _closing(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """Say that the connection ends with an answer to a body of which not all was taken.

    Nobody waits for the rest then.
    """
    taken = False

    async def taking() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request" and not message.get("more_body", False):
            taken = True
        return message

    async def closing(message: Message) -> None:
        if message["type"] == "http.response.start" and not taken:
            message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
        await send(message)

    return taking, closing
