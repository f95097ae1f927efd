"""Run the server: a socket, the answers, and an end in good order."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from memoryfield_readers import DEFAULT_LIMITS, Limits, LocationError, SourceUnavailable, shown

from ..fields import Request, Shelf
from .access_log import Log
from .bounds import MOST_HEAD
from .changes import Seen, places_of, seen
from .hosts import fit_host, is_loopback
from .library import Library
from .settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

Ready = Callable[[Callable[[], None]], None]

_BACKLOG: Final = 2048
_LOOKS: Final = 5
"""Connections are looked at once in so many tenths of a second."""


def looks_before(
    requests: Sequence[Request], limits: Limits = DEFAULT_LIMITS
) -> tuple[Seen | None, ...]:
    """What the places of fields look like, to be taken before the fields are opened."""
    return tuple(None if path is None else seen(path, limits) for path in places_of(requests))


def library_of(
    shelf: Shelf,
    requests: Sequence[Request],
    before: Sequence[Seen | None],
    settings: Settings,
    log: Log,
    limits: Limits = DEFAULT_LIMITS,
) -> Library:
    """The fields of a shelf ready to be served; those that are pinned are not followed.

    Arguments:
        shelf: the fields.
        requests: how they were asked for, in the same order.
        before: what `looks_before` gave.
        settings: whether and how often to look.
        log: is told what cannot be read anew.
        limits: how much is looked at.
    """
    places = [
        None if held.pinned or not settings.follow_changes else place
        for held, place in zip(shelf.fields, places_of(requests), strict=True)
    ]
    return Library(
        shelf, log, places=places, before=before, limits=limits, seconds=settings.look_seconds
    )


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Arguments:
        host: an address or a name.
        port: its port; 0 for one that is free.

    Raises:
        LocationError: there is no such host.
        SourceUnavailable: nothing can listen there.
    """
    place = f"{host}:{port}"
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise LocationError(f"there is no such host: {error}", location=place) from None
    family, kind, protocol, _, address = sorted(found, key=lambda each: each[0] != socket.AF_INET)[
        0
    ]
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise SourceUnavailable(
            f"nothing can listen there: {error.strerror}",
            location=place,
            hint="--port 0 takes a port that is free",
        ) from None
    return listener


def address_of(listener: socket.socket) -> tuple[str, int]:
    """The address and the port at which a socket listens."""
    name = listener.getsockname()
    return str(name[0]), int(name[1])


def url_of(listener: socket.socket) -> str:
    """The address at which a socket listens, as a URL."""
    host, port = address_of(listener)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def settings_for(settings: Settings, host: str) -> Settings:
    """The same, where the name that the server was given is one that it may be called by."""
    unspecified = host in ("", "0.0.0.0", "::")  # noqa: S104 - it is compared, and not bound
    names = settings.allowed_hosts if unspecified else settings.allowed_hosts | {host.lower()}
    return replace(settings, allowed_hosts=names)


def allowed_hosts(names: Iterable[str]) -> frozenset[str]:
    """The names that a server may be called by, as they are compared.

    Raises:
        LocationError: one of them can be the name of no host, so that it would allow nothing.
    """
    found = {name: fit_host(name) for name in names}
    for name, fit in found.items():
        if fit is None:
            raise LocationError(
                f"--allow-host {shown(name)} is no name of a host",
                hint="give the name alone, without scheme, port, path or wildcard",
            )
    return frozenset(fit for fit in found.values() if fit is not None)


def run(
    app: ASGIApp,
    listener: socket.socket,
    settings: Settings,
    log: Log,
    ready: Ready = lambda stop: None,
) -> None:
    """Serve until SIGTERM or SIGINT; what is under way may end within its time of grace.

    A second signal ends the server at once. The socket is closed.

    Arguments:
        app: what answers.
        listener: a socket that listens.
        settings: how long to wait for what.
        log: takes the lines of the access log.
        ready: is called when requests are answered, with what stops the server, which any thread
            may call.
    """
    server = _server(app, settings, log, ready)
    quiet = logging.getLogger("uvicorn.error")
    before = quiet.level
    quiet.setLevel(logging.CRITICAL + 1)  # requests are told of by our own log
    _allow_many_files()
    try:
        with _stopping(server), listener:
            asyncio.run(server.serve(sockets=[listener]))
    finally:
        quiet.setLevel(before)


def _server(app: ASGIApp, settings: Settings, log: Log, ready: Ready) -> Any:
    import uvicorn

    from .connections import Connection

    class Server(uvicorn.Server):
        """A server that looks at its connections, and leaves signals to us."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            ready(self.stop)

        def stop(self) -> None:
            self.should_exit = True

        async def on_tick(self, counter: int) -> bool:
            if counter % _LOOKS == 0:
                now = asyncio.get_running_loop().time()
                for connection in list(self.server_state.connections):
                    if isinstance(connection, Connection):
                        connection.look(now)
            return await super().on_tick(counter)

    config = uvicorn.Config(
        app,
        http=functools.partial(Connection, settings=settings, log=log),  # type: ignore[arg-type]
        ws="none",
        lifespan="on",
        loop="asyncio",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=max(1, round(settings.idle_seconds)),
        timeout_graceful_shutdown=max(1, round(settings.grace_seconds)),
        h11_max_incomplete_event_size=MOST_HEAD,
    )
    return Server(config)


@contextmanager
def _stopping(server: Any) -> Iterator[None]:
    """Let signals stop a server in good order meanwhile."""

    def stop(number: int, frame: FrameType | None) -> None:
        server.force_exit = server.should_exit
        server.should_exit = True

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _allow_many_files() -> None:
    """Let this process have as many connections open as the system allows it."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 16_384 if hard == resource.RLIM_INFINITY else min(hard, 16_384)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def refuse_strangers(host: str, *, users: bool, public: bool) -> None:
    """Raise where others could read without anybody having decided so.

    Raises:
        LocationError: the host is reached by others, and neither password nor consent is given.
    """
    if is_loopback(host) or users or public:
        return
    raise LocationError(
        "others than this machine could read what is served there",
        location=host,
        hint="give --auth-file FILE, or say --public if all may read it",
    )
