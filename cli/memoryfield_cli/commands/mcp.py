"""`memoryfield mcp`."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import Limits, LocationError, Pins, SourceUnavailable

from ..embedding import AUTO, Wish, embedder_options
from ..files import LocalPath
from ..options import LOCATION, limits_option, pin_options, source_options
from ..output import warn
from ..progress import transfer_bar

if TYPE_CHECKING:
    from memoryfield_agents import Shelf
    from memoryfield_agents.mcp_server.note_stores import NoteStores
    from memoryfield_agents.serving import Settings


@click.command(
    epilog="""\b
Examples:
  memoryfield mcp my-field/
  memoryfield mcp notes=notes.memoryfield.zip fields/a fields/b
  memoryfield mcp --http --port 0 my-field/
  memoryfield mcp --notes my-field/
"""
)
@click.argument("locations", type=LOCATION, nargs=-1, metavar="[[NAME=]LOCATION]...")
@click.option("--http", is_flag=True, help="Serve streamable HTTP at /mcp, not stdin and stdout.")
@click.option(
    "--host",
    metavar="HOST",
    show_default="127.0.0.1",
    help="With --http: where to listen.",
)
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    show_default="8000",
    help="With --http: the port; 0 for one that is free.",
)
@click.option(
    "--allow-host",
    "allowed",
    multiple=True,
    metavar="NAME",
    help="With --http: a name, beside those of this machine, that clients call the server by.",
)
@click.option(
    "--auth-file",
    type=LocalPath(dir_okay=False),
    metavar="FILE",
    help="With --http: who may read, in lines of user:hash; see serve --hash-password.",
)
@click.option("--public", is_flag=True, help="With --http: let others than this machine read.")
@click.option("--notes", "settable", is_flag=True, help="Let clients set notes on pages, too.")
@click.option(
    "--store",
    type=LocalPath(dir_okay=False),
    metavar="FILE",
    help="Where the notes on the one field are.",
)
@embedder_options
@limits_option
@source_options
@pin_options
def command(
    locations: tuple[str, ...],
    http: bool,
    host: str | None,
    port: int | None,
    allowed: tuple[str, ...],
    auth_file: Path | None,
    public: bool,
    settable: bool,
    store: Path | None,
    wish: Wish,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Let agents search and read fields over MCP.

    The fields are those that are given, each under its own name or the one before the `=`; without
    any, all of the nearest lock file. No other field can be reached, and no field can be changed.

    Notes that readers of this machine have left on pages are shown with them. With --notes, a
    client can set them, and nothing else; that needs --auth-file where others can ask.

    A client starts this as a process, and speaks with it over stdin and stdout; it ends with 0
    when the client goes, or at SIGTERM or SIGINT. With --http it listens on the loopback; on
    another host it needs --auth-file or --public.

    Each field is answered from the snapshot that was read at start. A client can have it read
    anew, but not one that is pinned, by --pin or a lock file: that never changes.
    """
    if not http and (host or port is not None or allowed or auth_file or public):
        raise click.UsageError("--host, --port, --allow-host, --auth-file, --public go with --http")
    if pins and len(locations) != 1:
        raise click.UsageError("a pin is of one field: give one location")
    if store is not None and len(locations) != 1:
        raise click.UsageError("a store of notes is of one field: give one location")
    with ExitStack() as stack:
        place = None
        if not http:
            from memoryfield_agents.mcp_server.stdio import wire

            place = stack.enter_context(wire())
        _need_packages()
        how = {
            "pins": pins,
            "limits": limits,
            "storage_options": storage_options,
            "offline": offline,
        }
        texts = locations or _locked(limits)

        def opened() -> tuple[Shelf, NoteStores]:
            shelf = stack.enter_context(_shelf(texts, wish, how))
            return shelf, stack.enter_context(_notes(shelf, store, limits, settable=settable))

        if place is not None:
            from memoryfield_agents.mcp_server.stdio import serve_stdio

            shelf, notes = opened()
            serve_stdio(shelf, place, notes)
            return
        where = host or "127.0.0.1"
        settings = _settings(where, allowed, auth_file, public=public, settable=settable)
        shelf, notes = opened()
        _serve_http(shelf, notes, where, 8000 if port is None else port, settings)


def _need_packages() -> None:
    from importlib.util import find_spec

    for name in ("mcp", "starlette", "uvicorn"):
        if find_spec(name) is None:
            raise SourceUnavailable(
                f"MCP needs the package {name}", hint='pip install "memoryfield-kit[mcp]"'
            )


def _locked(limits: Limits) -> tuple[str, ...]:
    """All fields of the nearest lock file, by their names there."""
    from memoryfield_readers.lock import find_lock, read_lock

    path = find_lock()
    if path is None:
        raise click.UsageError(
            "which fields? Give locations, or make a lock file with `memoryfield lock add`"
        )
    names = tuple(read_lock(path, limits=limits).fields)
    if not names:
        raise LocationError("there is no field in it", location=str(path))
    return tuple(f"@{name}" for name in names)


def _shelf(texts: tuple[str, ...], wish: Wish, how: dict[str, Any]) -> Shelf:
    """The fields, read; what a person should know of each is told on stderr."""
    from memoryfield_agents.fields import Shelf, requests_of
    from memoryfield_index.embedders import Options
    from memoryfield_index.searching import Embedders

    named = wish.name or AUTO
    if wish.model is not None:
        named = f"{named}:{wish.model}"
    requests = requests_of(texts)
    with transfer_bar() as watch:
        shelf = Shelf(requests, Embedders(named, Options(code=wish.code)), watch=watch, **how)
    for held in shelf.fields:
        for note in (*held.notes, *map(str, held.unread.values())):
            warn(held.told(note))
    return shelf


def _notes(shelf: Shelf, store: Path | None, limits: Limits, *, settable: bool) -> NoteStores:
    """The notes on the fields; what stands in the way of reading them is told on stderr."""
    from memoryfield_agents.mcp_server.note_stores import NoteStores

    notes = NoteStores.of(shelf, store, settable=settable, limits=limits)
    for held in shelf.fields:
        trouble = notes.trouble(held)
        if trouble is not None:
            warn(trouble)
    return notes


def _settings(
    host: str,
    allowed: tuple[str, ...],
    auth_file: Path | None,
    *,
    public: bool,
    settable: bool,
) -> Settings:
    from memoryfield_agents.mcp_server.over_http import refuse_writers
    from memoryfield_agents.serving import Settings
    from memoryfield_agents.serving.passwords import read_users
    from memoryfield_agents.serving.running import allowed_hosts, refuse_strangers, settings_for

    users = {} if auth_file is None else read_users(auth_file)
    refuse_strangers(host, users=bool(users), public=public)
    names = allowed_hosts(allowed)
    if settable:
        refuse_writers(host, names, users=bool(users))
    return settings_for(Settings(allowed_hosts=names, users=users, answer_seconds=60.0), host)


def _serve_http(shelf: Shelf, notes: NoteStores, host: str, port: int, settings: Settings) -> None:
    from memoryfield_agents.mcp_server.over_http import PATH, mcp_application
    from memoryfield_agents.serving.access_log import to_stderr
    from memoryfield_agents.serving.running import listening, run, url_of

    with listening(host, port) as listener:

        def ready(*_: object) -> None:
            warn(f"answers MCP clients at {url_of(listener).rstrip('/')}{PATH}")
            for held in shelf.fields:
                warn(f"{held.name}: {held.pin}")

        app = mcp_application(shelf, settings, to_stderr, notes)
        run(app, listener, settings, to_stderr, ready=ready)
