"""The MCP server over streamable HTTP, behind the same checks as fields served to browsers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from memoryfield_readers import LocationError

from ..fields import Shelf
from ..serving.access_log import AccessLog, Log
from ..serving.authentication import Authentication, Users
from ..serving.bounds import Bounds
from ..serving.hosts import HostCheck, is_loopback
from ..serving.settings import Settings
from .note_stores import NoteStores

if TYPE_CHECKING:
    from starlette.applications import Starlette

PATH: Final = "/mcp"
"""The one path that there is."""

MOST_BODY: Final = 256 * 1024
"""Bytes of a request."""


def refuse_writers(host: str, names: Collection[str] = (), *, users: bool) -> None:
    """Raise where others could write notes of whom nobody knows who they are.

    Arguments:
        host: what is listened on.
        names: what else the server is called: by others, through what stands before it.
        users: whether a password is asked for.

    Raises:
        LocationError: it is reached by others, and no password is asked for.
    """
    others = [each for each in (host, *names) if not is_loopback(each)]
    if others and not users:
        raise LocationError(
            "others than this machine could write notes there",
            location=others[0],
            hint="give --auth-file FILE; --public lets all read, and nobody write",
        )


def mcp_application(
    shelf: Shelf, settings: Settings, log: Log, notes: NoteStores | None = None
) -> Starlette:
    """The application that answers MCP clients; it keeps nothing of them between requests.

    Arguments:
        shelf: the fields; who made it closes it.
        settings: whom to answer, and how much to take on.
        log: takes the lines of the access log.
        notes: the notes on the fields; who made it closes it.
    """
    from mcp.server.streamable_http_manager import (
        StreamableHTTPASGIApp,
        StreamableHTTPSessionManager,
    )
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import Route

    from .server import mcp_server

    # The SDK's own check of hosts is off, since ours stands before it, on every path.
    manager = StreamableHTTPSessionManager(
        mcp_server(shelf, notes),
        json_response=True,
        stateless=True,
        max_request_body_size=MOST_BODY,
    )
    executor = ThreadPoolExecutor(2, "checks passwords")

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            async with manager.run():
                yield
        finally:
            executor.shutdown(wait=False, cancel_futures=True)

    middleware = [
        Middleware(AccessLog, log=log),
        Middleware(HostCheck, allowed=settings.allowed_hosts),
        Middleware(Bounds, settings=settings),
    ]
    if settings.users:
        users = Users(settings.users)
        middleware.append(
            Middleware(Authentication, users=users, executor=executor, open_to_all=frozenset())
        )
    # GET would open a stream for what a server has to say unasked, and this one has nothing.
    route = Route(PATH, endpoint=StreamableHTTPASGIApp(manager), methods=["POST"])
    return Starlette(routes=[route], middleware=middleware, lifespan=lifespan)
