"""The fields of a lock file, brought here several at a time, each of them proved whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..cache import Cache
from ..errors import MemoryfieldError, PinMismatch, SourceUnavailable
from ..field import Field
from ..limits import Limits
from ..locations import LocalLocation, parse_location
from ..lock import LockedField, LockFile, location_of
from ..locked import locked_source
from ..locked.keeping import keep_files
from ..locked.source import LockedSource, hint_of_contradiction
from ..opening import refusal_of
from ..pins.diagnosis import mismatch_of_names
from ..pins.whole_archive import FETCHED_AGAIN
from ..transfer.progress import Watch, unwatched
from ..transfer.side_by_side import side_by_side
from .archive import is_there
from .out import write_out
from .targets import check_targets

JOBS = 4
"""So many fields are brought at a time, if nobody says."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What became of one field.

    Attributes:
        locked: the field, as the lock file has it.
        how: whether it was in the cache before, was fetched, or failed.
        pages: how many pages it has.
        bytes: bytes of its archive; of what is none, of all of its files.
        path: where it was written to; None if it is in the cache alone.
        notes: what a person should know of it, one line each.
        error: why it failed; None if it did not.
    """

    locked: LockedField
    how: Literal["cached", "fetched", "failed"]
    pages: int = 0
    bytes: int = 0
    path: Path | None = None
    notes: tuple[str, ...] = ()
    error: MemoryfieldError | None = None


def _unwatched(name: str) -> Watch:
    return unwatched


@dataclass(frozen=True, slots=True)
class Fetching:
    """How fields are fetched.

    Attributes:
        cache: where they go, and are looked for.
        limits: how much to take.
        storage_options: how their sources are reached.
        offline: whether to ask nobody, and take the cache, and what is on this machine, alone.
        out: a folder to write them to; None for the cache alone.
        replace: whether what is written there may take the place of something else.
        jobs: how many at a time.
        watch: gives what is told how far a field is, by its name.
        waiting: is told, in words, if another process is being waited for.
    """

    cache: Cache
    limits: Limits
    storage_options: Mapping[str, Any] | None = None
    offline: bool = False
    out: Path | None = None
    replace: bool = False
    jobs: int = JOBS
    watch: Callable[[str], Watch] = _unwatched
    waiting: Callable[[str], None] = field(default=lambda text: None)


def fetch_fields(lock: LockFile, names: Sequence[str], how: Fetching) -> Iterator[Fetched]:
    """Bring fields into the cache, and into a folder if that is wanted; as each is ready.

    What is wrong with one of them keeps no other from being fetched.

    Arguments:
        lock: the lock file.
        names: fields of it.
        how: how they are fetched.

    Raises:
        LocationError: the lock file has no field of a name, or two fields would be written to one
            place; nobody was asked yet.
    """
    wanted = [lock.field(name) for name in dict.fromkeys(names)]
    if how.out is not None:
        check_targets(wanted, how.out)
    for locked, outcome in side_by_side(lambda each: _fetched(lock, each, how), wanted, how.jobs):
        if isinstance(outcome, MemoryfieldError):
            outcome.location = outcome.location or locked.location
            yield Fetched(locked, "failed", error=outcome)
        else:
            yield outcome


def keep(field: Field, cache: Cache) -> None:
    """Put a field that is open, and has been read whole, into a cache."""
    if field.archive_digest() is not None:
        cache.put(field.archive_chunks())
    else:
        keep_files(field, cache)


class _Told:
    """Passes on how far a field is, and notes whether anything was asked for at all."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self.anything = False

    def __call__(self, what: str, done: int, total: int) -> None:
        self.anything = True
        self._watch(what, done, total)


def _fetched(lock: LockFile, locked: LockedField, how: Fetching) -> Fetched:
    told = _Told(how.watch(locked.name))
    with ExitStack() as open_field:
        with _held(locked, how):
            had_names = _is_here(locked, how.cache)
            source = locked_source(
                lock,
                locked,
                limits=how.limits,
                storage_options=how.storage_options,
                cache=how.cache,
                offline=how.offline,
                watch=told,
                whole=True,
                keep=True,
                archive_alone=True,
            )
            open_field.callback(source.close)
            found = Field(source, how.limits)
            size = _proved(locked, found)
            had_all = _keep(lock, locked, found, how)
        was_damaged = isinstance(source, LockedSource) and bool(source.damaged)
        came = told.anything or was_damaged or not had_all or not had_names
        if how.offline and not _is_on_this_machine(lock, locked):
            came = False
        notes = found.notes
        is_told = FETCHED_AGAIN in notes
        if locked.archive_pin is not None and had_names and came and not is_told:
            notes = (*notes, "its file in the cache was damaged: it was fetched again")
        path = None
        if how.out is not None:
            path = write_out(locked, found, how.out, replace=how.replace)
        return Fetched(
            locked,
            "fetched" if came else "cached",
            len(found.pages),
            size if found.archive_size is None else found.archive_size,
            path,
            notes,
        )


def _held(locked: LockedField, how: Fetching) -> AbstractContextManager[None]:
    """Keep others from bringing the same files meanwhile; who fetches an archive holds it again."""
    if how.offline or _is_here(locked, how.cache):
        return nullcontext()
    pin = locked.archive_pin or locked.field_pin
    return how.cache.exclusive(pin.sha256, waiting=how.waiting, what=locked.name)


def _is_here(locked: LockedField, cache: Cache) -> bool:
    """Whether the cache has all of a field, as far as names go."""
    if locked.archive_pin is not None:
        return cache.has(locked.archive_pin.sha256)
    return all(map(cache.has, (*locked.manifest.hashes.values(), *locked.indexes.values())))


def _proved(locked: LockedField, found: Field) -> int:
    """Read all of a field, which its source proves; how many bytes it has.

    Raises:
        UnsafeArchive, LimitExceeded: its container is not safe, or too large.
        PinMismatch: a file is not the one that was locked.
        MemoryfieldError: a file cannot be had.
    """
    refusal = refusal_of(found)
    if refusal is not None:
        raise refusal
    names = (*found.pages, *found.attachments, *found.indexes)
    wanted = {**locked.manifest.hashes, **locked.indexes}
    if set(names) != set(wanted):
        missing, added = wanted.keys() - set(names), set(names) - wanted.keys()
        raise mismatch_of_names(
            sorted(missing),
            sorted(added),
            location=locked.location,
            expected=str(locked.field_pin),
        )
    found.prepare_all()
    try:
        return sum(len(piece) for name in names for piece in found.chunks(name))
    except PinMismatch as error:
        if any(True for _ in found.archive_chunks()):  # all of it was hashed before
            error.hint = hint_of_contradiction(locked)
        raise


def _keep(lock: LockFile, locked: LockedField, found: Field, how: Fetching) -> bool:
    """See that the cache has what was fetched; whether it had all of it before.

    Raises:
        SourceUnavailable: it has not, and it was wanted nowhere else.
    """
    had = True
    pin = locked.archive_pin
    if pin is not None and _is_on_this_machine(lock, locked):
        had = is_there(how.cache, pin, how.limits)
        if not had:
            how.cache.put(found.archive_chunks())
    if how.out is None and not how.offline and not _is_here(locked, how.cache):
        why = next((note for note in how.cache.notes if "cannot be written" in note), "")
        raise SourceUnavailable(
            "is the field that was locked, but there is no place to keep it"
            + (f": {why.removesuffix('; going on without')}" if why else ""),
            location=locked.location,
            hint="MEMORYFIELD_CACHE_DIR names another cache, --out a folder",
        )
    return had


def _is_on_this_machine(lock: LockFile, locked: LockedField) -> bool:
    return isinstance(parse_location(location_of(lock, locked)), LocalLocation)
