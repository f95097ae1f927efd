"""The application: a request, looked up among the names of the fields that are held."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from memoryfield_readers import MemoryfieldError, visible

from ..answers import json_bytes
from .access_log import AccessLog, Log
from .authentication import Authentication, Users
from .bounds import Bounds, ReadOnly
from .hosts import HostCheck
from .library import Library
from .replies import Reply, plain, send_reply
from .requests import Request, Workers, front, missing, one_file
from .requests import archive as archive_reply
from .requests import fields as fields_reply
from .requests import listing as listing_reply
from .requests import search as search_reply
from .requests import static as static_reply
from .settings import Settings
from .targets import BadTarget, Target, query_of, target_of

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import Receive, Scope, Send

_HEALTH: Final = "healthz"
_LOOK_SECONDS: Final = 5.0
"""So long a request waits for a field to be read anew; then it is answered from the old one."""


def application(library: Library, settings: Settings, log: Log) -> Starlette:
    """The application that serves fields.

    Arguments:
        library: the fields.
        settings: whom to answer, and how much to take on.
        log: takes the lines of the access log.
    """
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import BaseRoute, Match

    workers = Workers()
    served = Served(library, workers)

    class Everything(BaseRoute):
        """All paths: what they mean is decided by the bytes that were sent (MF706)."""

        def matches(self, scope: Scope) -> tuple[Match, Scope]:
            return (Match.FULL if scope["type"] == "http" else Match.NONE), {}

        async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
            await served(scope, receive, send)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            workers.close()

    middleware = [
        Middleware(AccessLog, log=log),
        Middleware(Bounds, settings=settings),
        Middleware(HostCheck, allowed=settings.allowed_hosts),
    ]
    if settings.users:
        users = Users(settings.users)
        public = frozenset({f"/{_HEALTH}"})
        middleware.append(
            Middleware(Authentication, users=users, executor=workers.quick, open_to_all=public)
        )
    middleware.append(Middleware(ReadOnly))
    return Starlette(routes=[Everything()], middleware=middleware, lifespan=lifespan)


class Served:
    """The innermost application: finds what is asked for, and makes the answer."""

    def __init__(self, library: Library, workers: Workers) -> None:
        """Serve a library; what takes long is done by workers."""
        self._library = library
        self._workers = workers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await send_reply(await self._reply(scope), scope, send)

    async def _reply(self, scope: Scope) -> Reply:
        from starlette.datastructures import Headers

        try:
            target = target_of(scope["raw_path"])
            query = query_of(scope["query_string"])
            request = Request(
                scope["method"], query, Headers(scope=scope), datetime.now(UTC), self._workers
            )
            reply = await self._found(target, request)
        except BadTarget as error:
            return plain(error.status, error.reason)
        except MemoryfieldError as error:
            # Only what is made of a whole field comes here; its files are all in memory.
            return plain(404, f"this field cannot give that: {visible(error.message)}")
        if reply is None:
            return plain(400 if target.doubtful else 404, "there is nothing of this name")
        return reply

    async def _found(self, target: Target, request: Request) -> Reply | None:
        path = target.path
        several = len(self._library.names) != 1
        if path == _HEALTH:
            body = json_bytes({"status": "ok"})
            headers = (("content-type", "application/json"), ("cache-control", "no-store"))
            return Reply(200, headers, body)
        if path.startswith("-/"):
            return static_reply(path.removeprefix("-/"), request)
        if not several:
            return await self._of_field(
                self._library.names[0], path, request, several=False, doubtful=target.doubtful
            )
        if not path:
            return fields_reply(self._library.fields, request)
        name, slash, rest = path.partition("/")
        if self._library.get(name) is None:
            return None
        if not slash:
            return Reply(308, (("location", f"/{name}/"), ("cache-control", "no-store")))
        return await self._of_field(name, rest, request, several=True, doubtful=target.doubtful)

    async def _of_field(
        self, name: str, path: str, request: Request, *, several: bool, doubtful: bool
    ) -> Reply | None:
        if path.startswith("-/"):
            return static_reply(path.removeprefix("-/"), request)
        if self._library.is_due(name):
            look = self._workers.look(lambda: self._library.look(name))
            await asyncio.wait({look}, timeout=_LOOK_SECONDS)
        files = self._library.get(name)
        if files is None:
            return None
        if not path:
            return await front(files, request, several=several)
        if path == "memoryfield.zip":
            return await archive_reply(files, request)
        if path == "search":
            return await search_reply(files, request, several=several)
        if path == "listing.json":
            return await listing_reply(files, request)
        file = files.get(path)
        if file is not None:
            return await one_file(files, file, request, several=several)
        if doubtful or "/" in path:
            return None
        return missing(files, request, several=several)
