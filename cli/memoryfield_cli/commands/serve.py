"""`memoryfield serve`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import (
    Limits,
    LocationError,
    Pins,
    SourceUnavailable,
    visible,
)

from ..embedding import AUTO, Wish, embedder_options
from ..options import LOCATION, limits_option, pin_options, source_options
from ..output import complain, say, warn
from ..progress import transfer_bar

if TYPE_CHECKING:
    from memoryfield_agents import Shelf
    from memoryfield_agents.serving.access_log import Log


@click.command(
    epilog="""\b
Examples:
  memoryfield serve my-field/
  memoryfield serve --port 0 --frozen notes.memoryfield.zip plans=my-field/
  memoryfield serve --hash-password ada < password.txt
  memoryfield serve --host 0.0.0.0 --auth-file users.txt my-field/
"""
)
@click.argument("locations", type=LOCATION, nargs=-1, metavar="[NAME=]LOCATION...")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port to listen at; 0 takes one that is free.",
)
@click.option(
    "--auth-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Ask for name and password (HTTP Basic); each line of the file is USER:HASH.",
)
@click.option("--public", is_flag=True, help="Let all who reach the host read, without a password.")
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name, beside localhost and the host, by which clients may call this server.",
)
@click.option("--frozen", is_flag=True, help="Serve the fields as they are now, whatever changes.")
@click.option(
    "--max-concurrency",
    "most",
    type=click.IntRange(min=1, max=10_000),
    default=128,
    show_default=True,
    help="How many requests to answer side by side; others get 503.",
)
@click.option(
    "--grace",
    type=click.IntRange(min=1, max=3600),
    default=10,
    show_default=True,
    metavar="SECONDS",
    help="How long answers under way may take when the server is to stop.",
)
@click.option(
    "--log",
    "log_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Append the access log to this file; without it, it goes to stderr.",
)
@click.option(
    "--hash-password",
    "hash_for",
    metavar="USER",
    help="Read a password, print the line of an auth file for this user, and serve nothing.",
)
@embedder_options
@limits_option
@source_options
@pin_options
def command(
    locations: tuple[str, ...],
    host: str,
    port: int,
    auth_file: Path | None,
    public: bool,
    hosts: tuple[str, ...],
    frozen: bool,
    most: int,
    grace: int,
    log_file: Path | None,
    hash_for: str | None,
    wish: Wish,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Serve fields over HTTP, to be read and no more.

    Pages stand at /PAGE.md, the field at /memoryfield.zip and /listing.json, search at /search?q=;
    browsers see rendered pages. Several fields stand below /NAME/. When requests are answered, one
    line on stderr tells the URL and the pin of each field. All is read into memory at start; a
    folder or an archive on this machine is read anew when it has changed, unless it is pinned.

    Only this machine can read what is served, unless another --host is given together with
    --auth-file or --public. SIGTERM and SIGINT stop the server, with exit code 0.
    """
    if hash_for is not None:
        say(_hashed_line(hash_for))
        return
    if not locations:
        raise click.UsageError("which field is to be served?")
    if pins and len(locations) > 1:
        raise click.UsageError("a pin is of one field: give one location")
    _need_packages()
    from memoryfield_agents import Shelf
    from memoryfield_agents.fields import requests_of
    from memoryfield_agents.serving import Settings, running
    from memoryfield_agents.serving.app import application
    from memoryfield_agents.serving.passwords import read_users
    from memoryfield_index.embedders import Options
    from memoryfield_index.searching import Embedders

    users = {} if auth_file is None else read_users(auth_file)
    running.refuse_strangers(host, users=bool(users), public=public)
    settings = running.settings_for(
        Settings(
            allowed_hosts=running.allowed_hosts(hosts),
            users=users,
            most_requests=most,
            grace_seconds=grace,
            follow_changes=not frozen,
        ),
        host,
    )
    requests = requests_of(locations)
    before = running.looks_before(requests, limits)
    name = f"{wish.name or AUTO}:{wish.model}" if wish.model else wish.name or AUTO
    with _log_to(log_file) as log, running.listening(host, port) as listener:
        with transfer_bar() as watch:
            shelf = Shelf(
                requests,
                Embedders(name, Options(code=wish.code)),
                pins=pins,
                limits=limits,
                storage_options=storage_options,
                offline=offline,
                watch=watch,
            )
        with shelf:
            _tell(shelf)
            library = running.library_of(shelf, requests, before, settings, log, limits)
            url = running.url_of(listener)
            running.run(
                application(library, settings, log),
                listener,
                settings,
                log,
                ready=lambda stop: warn(_ready(shelf, url)),
            )


def _need_packages() -> None:
    """Say which packages serving needs, where they are not there."""
    try:
        import markdown_it  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise SourceUnavailable(
            f"serving needs the package {error.name}",
            hint='pip install "memoryfield-kit[serve]"',
        ) from None


def _ready(shelf: Shelf, url: str) -> str:
    """What is served where, in one line."""
    if len(shelf.names) == 1:
        return f"serving {url} {shelf.get().pin}"
    return f"serving {url} " + " ".join(f"{url}{each.name}/ {each.pin}" for each in shelf.fields)


def _tell(shelf: Shelf) -> None:
    """What a person should know of the fields."""
    for held in shelf.fields:
        for note in held.notes:
            warn(f"{held.location}: {note}")
        for problem in held.unread.values():
            complain(problem)


@contextmanager
def _log_to(path: Path | None) -> Iterator[Log]:
    """What takes the lines of the access log."""
    if path is None:
        from memoryfield_agents.serving.access_log import to_stderr

        yield to_stderr
        return
    try:
        file = path.open("ab", buffering=0)  # nothing is kept back, so that closing cannot fail
    except OSError as error:
        raise LocationError(
            f"the log cannot be written: {error.strerror}", location=str(path)
        ) from None
    with file:

        def write(line: str) -> None:
            with suppress(OSError):  # a disk that is full is no reason to stop serving
                file.write(f"{line}\n".encode("ascii", "backslashreplace"))

        yield write


def _hashed_line(user: str) -> str:
    """The line of an auth file for a user whose password is typed, or stands on stdin."""
    from memoryfield_agents.serving.passwords import MOST_PASSWORD, hashed, is_user

    if not is_user(user):
        raise click.UsageError(f"{visible(user)} is no name for a user: no colon, no control code")
    if sys.stdin.isatty():
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        raw = str(password).encode()
    else:
        raw = sys.stdin.buffer.readline(MOST_PASSWORD + 3).removesuffix(b"\n").removesuffix(b"\r")
    if not raw or len(raw) > MOST_PASSWORD:
        raise click.UsageError(f"a password has 1 to {MOST_PASSWORD} bytes")
    return f"{user}:{hashed(raw)}"
