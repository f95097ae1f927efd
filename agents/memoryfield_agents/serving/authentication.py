"""Who may read: HTTP Basic, against hashes (MF707)."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import secrets
from collections.abc import Mapping
from concurrent.futures import Executor
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from .passwords import MOST_PASSWORD, PasswordHash
from .replies import plain, send_reply

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_MOST_CREDENTIALS: Final = 4096
_MOST_KNOWN: Final = 64
_ASK = (("www-authenticate", 'Basic realm="memoryfield", charset="UTF-8"'),)


class Users:
    """Names and password hashes; what was found right is not worked out anew at each request."""

    def __init__(self, users: Mapping[str, str]) -> None:
        """Take the texts of hashes by name, as `read_users` gives them."""
        self._hashes = {user: PasswordHash.parse(text) for user, text in users.items()}
        self._key = secrets.token_bytes(32)
        self._known: dict[bytes, str] = {}
        # As much work as for the others, or the time it takes would tell who is one of them.
        self._stranger = max(self._hashes.values(), key=attrgetter("work")).of_nobody()

    def known(self, header: str) -> str | None:
        """The user of an `Authorization` that was found right before; None for any other."""
        return self._known.get(self._mark(header))

    def check(self, header: str) -> str | None:
        """The user whom an `Authorization` proves; None where it proves none.

        A name that there is not takes as long as a wrong password.
        """
        found = credentials(header)
        if found is None:
            return None
        user, password = found
        known = self._hashes.get(user)
        fits = (known or self._stranger).fits(password)
        if known is None or not fits:
            return None
        while len(self._known) >= _MOST_KNOWN:
            self._known.pop(next(iter(self._known)), None)
        self._known[self._mark(header)] = user
        return user

    def _mark(self, header: str) -> bytes:
        return hmac.digest(self._key, header.encode("latin-1", "replace"), "sha256")


def credentials(header: str) -> tuple[str, bytes] | None:
    """User and password of an `Authorization`; None where it is not of HTTP Basic."""
    scheme, _, text = header.strip().partition(" ")
    if scheme.lower() != "basic" or len(text) > _MOST_CREDENTIALS:
        return None
    try:
        raw = base64.b64decode(text.strip(), validate=True)
        user, colon, password = raw.partition(b":")
        if not colon or len(password) > MOST_PASSWORD:
            return None
        return user.decode(), password
    except (binascii.Error, ValueError):
        return None


class Authentication:
    """An application that answers only those who prove who they are."""

    def __init__(
        self, app: ASGIApp, users: Users, executor: Executor, open_to_all: frozenset[str]
    ) -> None:
        """Stand before an application.

        Arguments:
            app: what is asked if all is well.
            users: who may.
            executor: where hashes are worked out.
            open_to_all: paths that anyone may ask for.
        """
        self._app = app
        self._users = users
        self._executor = executor
        self._open = open_to_all

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 401, or hand on."""
        if scope["type"] == "http" and scope["path"] not in self._open:
            user = await self._user(scope)
            if user is None:
                await send_reply(plain(401, "who are you?", _ASK), scope, send)
                return
            scope["memoryfield.user"] = user
        await self._app(scope, receive, send)

    async def _user(self, scope: Scope) -> str | None:
        found = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(found) != 1:
            return None
        header = found[0].decode("latin-1")
        user = self._users.known(header)
        if user is not None or credentials(header) is None:
            return user
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._users.check, header)
