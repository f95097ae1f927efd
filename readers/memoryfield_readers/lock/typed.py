"""Which locations of a lock file a person has chosen on this machine.

A lock file may come from someone else, and may then name public places alone. What a person typed
here is remembered, as a hash: nobody reads from it where someone has been.
"""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

from ..errors import LocationError
from ..homes import place_at_home
from ..locations import parse_location
from ..locations.foreign import require_shareable
from .making import location_of
from .origins import is_path
from .values import LockedField, LockFile

STATE_VARIABLE = "MEMORYFIELD_STATE_DIR"
"""Names the folder for what this program remembers."""

_FILE = "typed-locations"
_MOST_BYTES = 4 * 1024 * 1024


def state_folder() -> Path:
    """Where this program remembers what no cache may forget; it need not exist."""
    return _state_place()[0]


def make_in_state(*names: str) -> Path:
    """A folder for what this program remembers, or one below it, which is made if need be.

    Raises:
        OSError: it is not there and cannot be made, or it would lie in a home that is not there.
    """
    folder, problem = _state_place()
    if problem is not None:
        raise FileNotFoundError(errno.ENOENT, problem, str(folder))
    folder = folder.joinpath(*names)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _state_place() -> tuple[Path, str | None]:
    path, problem = place_at_home(STATE_VARIABLE, _of_this_user)
    return Path(os.path.abspath(path)), problem


def _of_this_user() -> Path:
    from platformdirs import user_state_path

    return user_state_path("memoryfield", appauthor=False)


def is_trusted(lock: LockFile, field: LockedField) -> bool:
    """Whether a field may come from anywhere: from this machine, and from its own network.

    It may if it lies in the lock file's own folder, whatever links lead through, or if a person
    typed its location on this machine, or for this run.
    """
    if field.location in lock.typed:
        return True
    if is_path(field.location) and not os.path.isabs(field.location):
        folder = os.path.realpath(lock.path.parent)
        target = os.path.realpath(location_of(lock, field))
        if target == folder or target.startswith(folder.rstrip(os.sep) + os.sep):
            return True
    return _hash(field.location) in _remembered()


def require_trust(lock: LockFile, field: LockedField, location: str) -> bool:
    """Refuse what someone else's lock file may not name; whether it may come from anywhere.

    Arguments:
        lock: the lock file.
        field: a field of it.
        location: what is to be opened for it: a URL, or an absolute path.

    Raises:
        LocationError: it is no public place, and no person has typed it here.
    """
    if is_trusted(lock, field):
        return True
    try:
        require_shareable(parse_location(location))
    except LocationError as error:
        again = f"`memoryfield lock remove {field.name}`, then `memoryfield lock add`"
        error.hint = f"if you trust it: `memoryfield fetch {field.name}=LOCATION` with it typed"
        if is_path(field.location) and not os.path.isabs(field.location):
            error.hint = f"if you trust it: {again} with the place it leads to"
            if _is_below_as_written(field.location):
                raise LocationError(
                    "is a link, or lies below one, that leads out of the folder of the lock file, "
                    "and comes from someone else",
                    location=field.location,
                    hint=error.hint,
                ) from None
        raise
    return False


def _is_below_as_written(path: str) -> bool:
    parts = os.path.normpath(path).split(os.sep)
    return parts[0] != os.pardir


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
    try:
        folder = make_in_state()
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
