"""The fields of a lock file: each at the commit or version that was locked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from memoryfield_readers import Limits, MemoryfieldError
from memoryfield_readers.lock import LockedField, LockFile, location_of, read_lock
from memoryfield_readers.lock.typed import require_trust

from ..values import Refused, Target
from .places import target_of

_ENDINGS = (".lock", ".toml")


def is_lock(path: str) -> bool:
    """Whether a path names a lock file: a file that ends in `.lock` or `.toml`."""
    return path.lower().endswith(_ENDINGS) and os.path.isfile(path)


def locked_in(path: str, limits: Limits, *, is_here: bool = True) -> Iterator[Target | Refused]:
    """The fields of a lock file, in the order of their names.

    Arguments:
        path: the lock file.
        limits: how many files a field may have.
        is_here: whether paths are read on this machine.

    Raises:
        LockFileError, PinMismatch, LimitExceeded: it is no lock file, or a broken one.
    """
    lock = read_lock(Path(path), limits=limits)
    for name in sorted(lock.fields):
        yield locked_target(lock, lock.fields[name], limits, is_here=is_here)


def locked_target(
    lock: LockFile, field: LockedField, limits: Limits, *, is_here: bool = True
) -> Target | Refused:
    """A field of a lock file; its field pin is its version.

    What someone else's lock file may not name is refused, as everywhere else.
    """
    place = location_of(lock, field)
    named = f"{lock.path}: {field.name}"
    try:
        trusted = require_trust(lock, field, place)
    except MemoryfieldError as error:
        return Refused(named, error)
    found = target_of(place, limits, trusted=trusted, is_here=is_here)
    if isinstance(found, Refused):
        return Refused(named, found.error)
    return Target(found.location, str(field.field_pin), found.host, trusted=trusted)
