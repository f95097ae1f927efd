"""From what a person typed to a field of a lock file, if that is what it names."""

from __future__ import annotations

import os
from pathlib import Path

from ..display import shown
from ..errors import LocationError, MemoryfieldError
from ..limits import DEFAULT_LIMITS, Limits
from .finding import find_lock
from .reading import read_lock
from .values import LOCK_NAME, MARK, LockedField, LockFile, is_field_name


def locked_field(
    text: str, *, start: Path | None = None, limits: Limits = DEFAULT_LIMITS
) -> tuple[LockFile, LockedField] | None:
    """The field of the nearest lock file that a text names; None where it is a location.

    `@NAME` is always a field. A bare `NAME` is one if the lock file has it; what else it could be
    is a path. Without a lock file that can be read, paths that exist are what they have always
    been.

    Arguments:
        text: what was typed.
        start: where to look for the lock file; None for the folder that the program runs in.
        limits: how many files a field may have.

    Raises:
        LocationError: there is no such field, or both a field and a path of that name.
        LockFileError, PinMismatch, LimitExceeded: the lock file is broken, and it is needed.
    """
    if text.startswith(MARK) and "/" not in text and os.sep not in text:
        return _marked(text, start, limits)
    if not is_field_name(text):
        return None
    path = find_lock(start)
    if path is None:
        return None
    is_there = os.path.lexists(text)
    try:
        lock = read_lock(path, limits=limits)
    except MemoryfieldError:
        if is_there:
            return None
        raise
    if text not in lock.fields:
        return None
    if is_there:
        raise LocationError(
            f"is both a path and a field of {path}",
            location=text,
            hint=f"write ./{text} or {MARK}{text}",
        )
    return lock, lock.fields[text]


def _marked(text: str, start: Path | None, limits: Limits) -> tuple[LockFile, LockedField]:
    name = text.removeprefix(MARK)
    if not is_field_name(name):
        raise LocationError(
            f"{shown(text)} names no field of a lock file",
            hint=f"write {MARK}NAME, or ./{MARK}… if it is a path",
        )
    path = find_lock(start)
    if path is None:
        raise LocationError(
            f"there is no {LOCK_NAME} here or above, in which {shown(name)} could be",
            location=text,
            hint="`memoryfield lock add NAME LOCATION` makes one",
        )
    lock = read_lock(path, limits=limits)
    return lock, lock.field(name)
