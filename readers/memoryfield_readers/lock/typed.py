"""Which locations of a lock file a person has chosen on this machine.

A lock file may come from someone else, and may then name public places alone. What a person typed
here is remembered, as a hash: nobody reads from it where someone has been.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from .making import location_of
from .origins import is_path
from .values import LockedField, LockFile

STATE_VARIABLE = "MEMORYFIELD_STATE_DIR"
"""Names the folder for what this program remembers."""

_FILE = "typed-locations"
_MOST_BYTES = 4 * 1024 * 1024


def state_folder() -> Path:
    """Where this program remembers what no cache may forget; it need not exist."""
    named = os.environ.get(STATE_VARIABLE)
    if named:
        return Path(os.path.abspath(named))
    from platformdirs import user_state_path

    return user_state_path("memoryfield", appauthor=False)


def is_trusted(lock: LockFile, field: LockedField) -> bool:
    """Whether a field may come from anywhere: from this machine, and from its own network.

    It may if it lies in the lock file's own folder, whatever links lead through, or if a person
    typed its location on this machine.
    """
    if is_path(field.location) and not os.path.isabs(field.location):
        folder = os.path.realpath(lock.path.parent)
        target = os.path.realpath(location_of(lock, field))
        if target == folder or target.startswith(folder.rstrip(os.sep) + os.sep):
            return True
    return _hash(field.location) in _remembered()


def remember(location: str) -> bool:
    """Keep in mind that a person typed a location here.

    Arguments:
        location: as the lock file has it: an absolute path or a URL.

    Returns:
        Whether that could be written.
    """
    line = f"\n{_hash(location)}\n".encode()  # whatever the file ends in
    if _hash(location) in _remembered():
        return True
    folder = state_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        descriptor = os.open(folder / _FILE, flags, 0o600)
        try:
            os.write(descriptor, line)  # in one call: no line lands in that of another process
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return _hash(location) in _remembered()


def remember_typed(lock: LockFile, field: LockedField) -> bool:
    """Keep in mind that a person typed the location of a field, if it is not trusted anyway.

    Returns:
        Whether it is trusted from now on.
    """
    return is_trusted(lock, field) or remember(field.location)


def _hash(location: str) -> str:
    return hashlib.sha256(location.encode("utf-8", "surrogateescape")).hexdigest()


def _remembered() -> frozenset[str]:
    """The hashes of what was typed; none where that cannot be read."""
    try:
        with open(state_folder() / _FILE, "rb") as file:
            data = file.read(_MOST_BYTES)
    except OSError:
        return frozenset()
    return frozenset(data.decode("ascii", "replace").split())
