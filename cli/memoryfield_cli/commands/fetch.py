"""`memoryfield fetch`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import Limits, PinMismatch, Pins, SourceUnavailable, as_unicode

from ..files import LocalPath
from ..options import OFFLINE_OPTION, format_option, limits_option, source_options
from ..output import complain, print_json, warn
from ..progress import several_transfers, transfer_bar

if TYPE_CHECKING:
    from memoryfield_readers.cache import Cache
    from memoryfield_readers.fetching import Fetched, FetchRequest
    from memoryfield_readers.lock import LockFile

_MOST_JOBS = 32
_NOTHING = 1


@click.command(
    epilog="""\b
Examples:
  memoryfield fetch notes=notes.memoryfield.zip
  memoryfield fetch
  memoryfield fetch --locked --out fields/
  memoryfield fetch --offline notes

\b
Environment:
  MEMORYFIELD_CACHE_DIR   the folder of the cache
  MEMORYFIELD_CACHE_SIZE  how much it may hold, such as 5GB
  MEMORYFIELD_LOCK        the lock file, instead of the nearest one
"""
)
@click.argument("requests", nargs=-1, metavar="[NAME | NAME=LOCATION]...")
@click.option("--locked", is_flag=True, help="Fail if anything is asked for that is not locked.")
@OFFLINE_OPTION
@click.option(
    "--out",
    type=LocalPath(file_okay=False),
    metavar="DIR",
    help="Also write each field there: NAME.memoryfield.zip, or NAME/ for what is no archive.",
)
@click.option("--replace", is_flag=True, help="Let --out put fields in the place of what is there.")
@click.option(
    "--jobs",
    type=click.IntRange(1, _MOST_JOBS),
    default=4,
    show_default=True,
    metavar="N",
    help="How many fields to fetch at a time.",
)
@click.option(
    "--lock-file",
    "path",
    type=LocalPath(dir_okay=False),
    metavar="FILE",
    help="The lock file; else the nearest memoryfields.lock, in this folder or above it.",
)
@format_option("text", "json")
@limits_option
@source_options
def command(
    requests: tuple[str, ...],
    locked: bool,
    offline: bool,
    out: Path | None,
    replace: bool,
    jobs: int,
    path: Path | None,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
) -> None:
    """Bring the fields of the lock file here, and prove them.

    All of them, or those that are named, come into the cache. Whatever comes is hashed before it is
    kept: what is not the field that was locked is refused, with exit code 3, and written nowhere.
    What was broken off goes on where it was, if the server allows that; what is in the cache
    already is proved and not asked for again. From then on, all commands read the field without a
    connection.

    NAME=LOCATION asks for a field from a place: one that is not locked yet is, as `lock add` does,
    and one that is locked from another place is refused. All fields are tried; the exit code is the
    highest that one of them has.
    """
    from memoryfield_readers.cache import Cache
    from memoryfield_readers.fetching import Fetching, fetch_fields, parse_request
    from memoryfield_readers.lock import lock_or_here

    if replace and out is None:
        raise click.UsageError("--replace goes with --out")
    cache = Cache.default()
    asked = [parse_request(text) for text in requests]
    lock, added = _agreed(
        path or lock_or_here(),
        asked,
        cache,
        locked=locked,
        offline=offline,
        limits=limits,
        storage_options=storage_options,
    )
    names = list(dict.fromkeys(each.name for each in asked)) or list(lock.fields)
    if not names:
        warn(f"{lock.path}: there is no field in it")
        sys.exit(_NOTHING)
    with several_transfers() as watch:
        how = Fetching(
            cache,
            limits,
            storage_options,
            offline=offline,
            out=out,
            replace=replace,
            jobs=jobs,
            watch=watch,
            waiting=warn,
        )
        exit_code = _tell(names, fetch_fields(lock, names, how), added, form)
    for note in cache.notes:
        warn(note)
    sys.exit(exit_code)


def _agreed(
    path: Path,
    requests: Sequence[FetchRequest],
    cache: Cache,
    *,
    locked: bool,
    offline: bool,
    limits: Limits,
    storage_options: dict[str, Any],
) -> tuple[LockFile, frozenset[str]]:
    """The lock file that has all that is asked for, and the names that were added to it."""
    from memoryfield_readers.fetching import contradictions, keep
    from memoryfield_readers.lock import read_lock
    from memoryfield_readers.lock.adding import add_field
    from memoryfield_readers.lock.reading import read_or_new
    from memoryfield_readers.lock.typed import remember_typed

    from ..locking import say_forgotten

    may_be_new = not locked and all(each.location is not None for each in requests) and requests
    lock = read_or_new(path, limits=limits) if may_be_new else read_lock(path, limits=limits)
    wrong = contradictions(lock, requests, locked=locked)
    if wrong:
        for error in wrong:
            complain(error)
        sys.exit(max(error.exit_code for error in wrong))
    typed = [each.name for each in requests if each.location is not None]
    for name in typed:
        if name in lock.fields and not remember_typed(lock, lock.fields[name]):
            say_forgotten(name)
    missing = {
        each.name: each.location
        for each in requests
        if each.location is not None and each.name not in lock.fields
    }
    for name, location in missing.items():
        if offline:
            raise SourceUnavailable(
                f"the field {name} is not locked yet, and nobody may be asked for it",
                location=location,
                hint="leave out --offline once",
            )
        with transfer_bar() as watch:
            _, remembered = add_field(
                path,
                name,
                location,
                pins=Pins(),
                limits=limits,
                storage_options=storage_options,
                watch=watch,
                seen=lambda field: keep(field, cache),
            )
        warn(f"{name}: was not locked before, and is now, in {path}")
        if not remembered:
            say_forgotten(name)
    lock = read_lock(path, limits=limits) if missing else lock
    return lock.with_typed(lock.field(name).location for name in typed), frozenset(missing)


def _tell(
    names: Sequence[str], outcomes: Iterator[Fetched], added: frozenset[str], form: str
) -> int:
    """Print what became of each field, in the order of the names; the exit code for all."""
    from memoryfield_readers.pins.diagnosis import hint_for_locked

    from ..locking import complain_of, line

    ready: dict[str, Fetched] = {}
    waiting = list(names)
    rows: list[dict[str, Any]] = []
    exit_code = 0
    for outcome in outcomes:
        ready[outcome.locked.name] = outcome
        while waiting and waiting[0] in ready:
            name = waiting.pop(0)
            each = ready[name]
            if each.error is not None:
                exit_code = max(exit_code, each.error.exit_code)
                if isinstance(each.error, PinMismatch):
                    hint_for_locked(each.error, name)
                complain_of(name, each.error)
            for note in each.notes:
                warn(f"{name}: {note}")
            status = "fetched" if name in added and each.how == "cached" else each.how
            rows.append(_as_json(each, status))
            if form == "text":
                width = max(map(len, names))
                line(f"{name:<{width}}  {status:<7}  {_size(each)}".rstrip())
    if form == "json":
        print_json({"version": 1, "fields": rows})
    return exit_code


def _size(each: Fetched) -> str:
    from memoryfield_readers.cache import size_text

    if each.error is not None:
        return ""
    pages = "1 page" if each.pages == 1 else f"{each.pages:,} pages"
    where = "" if each.path is None else f", {each.path}"
    return f"{pages}, {size_text(each.bytes)}{where}"


def _as_json(each: Fetched, status: str) -> dict[str, Any]:
    locked, error = each.locked, each.error
    return {
        "name": locked.name,
        "status": status,
        "location": as_unicode(locked.location),
        "digest": str(locked.field_pin),
        "archive_pin": None if locked.archive_pin is None else str(locked.archive_pin),
        "bytes": None if error is not None else each.bytes,
        "path": None if each.path is None else as_unicode(str(each.path)),
        "error": None if error is None else as_unicode(str(error)),
    }
