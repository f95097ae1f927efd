"""Fields added to a lock file, and taken out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..field import Field
from ..limits import Limits
from ..opening import open_field
from ..pins.pin import Pins
from ..pins.whole_field import manifest_of
from ..transfer.progress import Watch, unwatched
from .making import check_name, lock_field, place_of, stored_location
from .origins import is_path
from .reading import read_or_new
from .typed import remember_typed
from .values import LockedField, LockFile
from .writing import changing


def add_field(
    path: Path,
    name: str,
    typed: str,
    *,
    pins: Pins,
    limits: Limits,
    storage_options: Mapping[str, Any] | None,
    watch: Watch = unwatched,
    seen: Callable[[Field], None] | None = None,
) -> tuple[LockedField, bool]:
    """Add a field to a lock file, which is made if it is not there.

    Arguments:
        path: the lock file.
        name: what the field is to be called.
        typed: where it is, as a person typed it.
        pins: what it must match.
        limits: how much to take.
        storage_options: how its source is reached.
        watch: is told how far a long transfer is.
        seen: is given the field once it has been read, and before it is closed.

    Returns:
        The entry, and whether it will be known that a person typed its location here.

    Raises:
        LocationError: the name can be none, or the lock file has it already.
        PinMismatch: what came is not what was pinned.
        MemoryfieldError: the field cannot be read, or the lock file not be written.
    """
    check_name(name)
    lock = read_or_new(path, limits=limits)
    lock.require_free(name)
    location = stored_location(typed, lock.path)
    place = place_of(location, lock.path)
    # Opened under its field pin, it would be without its vector indexes, which that does not cover.
    with open_field(
        Path(place) if is_path(location) else place,
        pin=pins.archive,
        limits=limits,
        storage_options=storage_options,
        cache=None,
        watch=watch,
    ) as field:
        if pins.field is not None:
            manifest_of(field, pins.field)
        entry = lock_field(name, location, field)
        if seen is not None:
            seen(field)
    with changing(path, limits=limits) as change:
        change.lock.require_free(name)
        change.write(change.lock.with_field(entry))
    return entry, remember_typed(lock, entry)


def remove_fields(path: Path, names: Iterable[str], *, limits: Limits) -> LockFile:
    """Take fields out of a lock file, all of them or none; what is left of it.

    Raises:
        LocationError: it has no field of such a name.
        LockFileError: it is not there, cannot be read, or not be written.
    """
    with changing(path, limits=limits) as change:
        lock = change.lock
        for name in dict.fromkeys(names):
            lock = lock.without(name)
        change.write(lock)
    return lock
