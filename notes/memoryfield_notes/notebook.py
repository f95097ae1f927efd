"""The notes on a field, found by its location: what commands and agents open.

with page_notes("@handbook", told=print) as notes, open_field("@handbook") as field:
    shown = notes.of(field.page("index.md"), field.pages)
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memoryfield_readers import DEFAULT_LIMITS, Limits, LocationError, MemoryfieldError, NotFound

from .places import STDIN, make_folder, place_of
from .presence import is_there
from .showing import PageNotes

if TYPE_CHECKING:
    from memoryfield_readers.holding import Waiting

    from .store import Store


def find_store(
    location: str, store: Path | None = None, *, limits: Limits = DEFAULT_LIMITS
) -> Path | None:
    """The store of notes on a field, if there is one.

    Arguments:
        location: the field, as a person typed it.
        store: the store, if a person named it.
        limits: how many files a field of a lock file may have.

    Raises:
        NotFound: the one that was named is not there.
        LocationError: the location is none, or the store would be a part of the field.
        StoreError: it cannot be seen whether there is one.
        LockFileError, PinMismatch, LimitExceeded: the lock file that it is in is broken.
    """
    if store is None and location == STDIN:
        return None
    path = place_of(location, store, limits=limits)
    if is_there(path):
        return path
    if store is not None:
        raise NotFound("there is no such store of notes", location=str(store))
    return None


def notebook(
    location: str,
    store: Path | None = None,
    *,
    pages: int,
    wait: float | None = None,
    waiting: Waiting | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Store:
    """The store of notes on a field, to be written to; it is made if there is none.

    A new one is empty until it is rebuilt.

    Arguments:
        location: the field, as a person typed it.
        store: the store, if a person named it; its folder must be there.
        pages: how many pages the field has, by which the kind of a new one is chosen.
        wait: seconds to wait for another writer; None for as long as is usual.
        waiting: called with a line for a person, when the wait has lasted two seconds.
        limits: how many files a field of a lock file may have.

    Raises:
        StoreError: it cannot be read, or made.
        LocationError, NotFound: as `place_of` and `make_folder` raise.
    """
    from .opening import open_store
    from .store import DEFAULT_WAIT

    path = place_of(location, store, limits=limits)
    make_folder(path)
    wait = DEFAULT_WAIT if wait is None else wait
    return open_store(path, pages=pages, create=True, wait=wait, waiting=waiting)


def page_notes(
    location: str,
    store: Path | None = None,
    *,
    told: Callable[[MemoryfieldError], None],
    limits: Limits = DEFAULT_LIMITS,
) -> PageNotes:
    """The notes on the pages of a field, for who reads these; without a store, there are none.

    Arguments:
        location: the field, as a person typed it.
        store: the store, if a person named it.
        told: called with what is wrong with the store, which raises nothing.
        limits: how many files a field of a lock file may have.

    Raises:
        LocationError: the store that was named would be a part of the field.
    """
    notes = PageNotes(None, told)
    try:
        path = find_store(location, store, limits=limits)
        if path is None:
            return notes
        from .opening import open_store

        return PageNotes(open_store(path), told)
    except MemoryfieldError as error:
        if store is not None and isinstance(error, LocationError):
            raise
        notes.fail(error)
        return notes
