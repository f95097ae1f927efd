"""The file that a store is: looked at with suspicion, and put in its place whole or not at all."""

from __future__ import annotations

import hashlib
import os
import stat
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from memoryfield_readers.atomic import (
    check_writable,
    give_owner,
    move_over,
    opened_directory,
    rename_file,
)
from memoryfield_readers.beside import beside
from memoryfield_readers.system_errors import reason_of

from .errors import StoreError

MOST_BYTES = 512 * 1024 * 1024
"""Bytes of a JSON store: it is read as a whole."""

SQLITE_HEADER: Final = b"SQLite format 3\0"
HEAD_BYTES = 100
"""Bytes of the header of an SQLite database."""

OPENING = threading.Lock()
"""Held while a file is looked at that may be a database, and while one takes its place.

Whoever closes a file lets go of all locks that the process has on it (POSIX), those of SQLite
among them: what is in `IN_USE` must not be opened in another way.
"""

IN_USE: Counter[tuple[int, int]] = Counter()
"""How many connections this process has to a database, by device and inode."""

KEPT_OPEN = os.name != "nt"
"""Whether a file may stay open: on Windows it could not be replaced then."""

_SIDE_FILES = ("-journal", "-wal", "-shm")
_MOST_NAME_BYTES = 255
_MODE = 0o600
_COMMON = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _COMMON
_WRITE = os.O_WRONLY | _COMMON


class CutOff(StoreError):
    """A writer was ended in the middle: the next one undoes that, and a reader cannot."""


def lock_path(path: Path) -> Path:
    """The lock file of a store, beside it."""
    name = os.fsencode(f".{path.name}.lock")
    if len(name) <= _MOST_NAME_BYTES:
        return path.with_name(f".{path.name}.lock")
    return path.with_name(f".{hashlib.sha256(name).hexdigest()}.lock")


def status_of(path: Path) -> os.stat_result:
    """The status of the file of a store.

    Raises:
        StoreError: nothing is there, or something else than a file.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError as error:
        raise StoreError(
            "is not there any more",
            location=str(path),
            hint="put it back, or run the command again to begin anew",
        ) from error
    except OSError as error:
        raise unreadable(error, path) from error
    return checked_status(status, path)


def checked_status(status: os.stat_result, path: Path) -> os.stat_result:
    """The status of an entry, if it is a file.

    Raises:
        StoreError: it is something else.
    """
    if stat.S_ISREG(status.st_mode):
        return status
    is_link = stat.S_ISLNK(status.st_mode)
    raise StoreError(
        "is a symbolic link, and no store is read or written through one"
        if is_link
        else "is no file, and so no store of notes",
        location=str(path),
        hint="name the file that it leads to" if is_link else "name another path",
    )


def opened(path: Path) -> tuple[int, os.stat_result]:
    """A file that is no database, open for reading, and its status.

    Raises:
        StoreError: it is no file, is a database, or cannot be opened.
    """
    with OPENING, ExitStack() as undo:
        before = status_of(path)
        if not IN_USE[before.st_dev, before.st_ino]:
            descriptor, status = _opened(path)
            undo.callback(os.close, descriptor)
            try:
                head = os.read(descriptor, len(SQLITE_HEADER))
                os.lseek(descriptor, 0, os.SEEK_SET)
            except OSError as error:
                raise unreadable(error, path) from error
            if head != SQLITE_HEADER:
                undo.pop_all()
                return descriptor, status
    raise StoreError("was replaced just now", location=str(path), hint="try again")


def _opened(path: Path) -> tuple[int, os.stat_result]:
    try:
        descriptor = os.open(path, _READ)
    except OSError as error:
        raise unreadable(error, path) from error
    with ExitStack() as undo:
        undo.callback(os.close, descriptor)
        status = checked_status(os.fstat(descriptor), path)
        undo.pop_all()
    return descriptor, status


def head_of(path: Path) -> bytes:
    """What a file begins with; of a database that this process has open, no more than that.

    Raises:
        StoreError: it is no file, or cannot be read.
    """
    with OPENING:
        return head_within(path)


def head_within(path: Path) -> bytes:
    """The same, for who holds `OPENING`."""
    status = status_of(path)
    if IN_USE[status.st_dev, status.st_ino]:
        return SQLITE_HEADER
    descriptor, _ = _opened(path)
    try:
        return os.read(descriptor, HEAD_BYTES)
    except OSError as error:
        raise unreadable(error, path) from error
    finally:
        os.close(descriptor)


def whole(descriptor: int, path: Path) -> bytes:
    """All bytes of an open file.

    Raises:
        StoreError: they are too many, or cannot be read.
    """
    try:
        if os.fstat(descriptor).st_size > MOST_BYTES:
            raise too_large(path)
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise unreadable(error, path) from error
    if len(data) > MOST_BYTES:
        raise too_large(path)
    return data


def put(
    path: Path,
    data: bytes,
    like: os.stat_result | None,
    *,
    over: bool,
    check: Callable[[Path], None] | None = None,
) -> os.stat_result:
    """Have a file at a path, whole and on the disk; its status.

    Arguments:
        path: where; its folder is there.
        data: what it is to hold.
        like: the status of the file that it follows, for its mode and owner; None for a file that
            is for its owner alone.
        over: whether to replace what is there.
        check: looks at the new file before it takes the place, and raises if it must not.

    Raises:
        FileExistsError: something is there, and is not to be replaced.
        StoreError: it cannot be written; what was there is as it was.
    """
    if data.startswith(SQLITE_HEADER):
        _check_alone(path)
    try:
        with opened_directory(path.parent) as folder:
            if over:
                check_writable(folder, path.name)
            with ExitStack() as stack:
                made = stack.enter_context(beside(path, folder=False, mode=_MODE))
                status = _write(made, data, like)
                if check is not None:
                    check(made)
                with OPENING:  # what `beside` holds it by is closed now
                    if over:
                        move_over(folder, made.name, folder, path.name)
                    else:
                        rename_file(folder, made.name, path.name)
                    stack.close()
            try:
                folder.sync()
            except OSError as error:
                raise StoreError(
                    f"was written, but may not be on the disk: {reason_of(error)}",
                    location=str(path),
                    hint="see what it holds before you try again",
                ) from error
    except FileExistsError:
        raise
    except OSError as error:
        raise StoreError(
            f"cannot be written: {reason_of(error)}; nothing was changed",
            location=str(path),
            hint="see that there is room, and that its folder may be written",
        ) from error
    return status


def _write(made: Path, data: bytes, like: os.stat_result | None) -> os.stat_result:
    descriptor = os.open(made, _WRITE)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if like is not None and hasattr(os, "fchmod"):
            give_owner(descriptor, like)
            os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
        os.fsync(descriptor)
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _check_alone(path: Path) -> None:
    """See that no journal lies beside a place: SQLite would take it for the new database's.

    Raises:
        StoreError: one does.
    """
    for ending in _SIDE_FILES:
        beside_it = path.with_name(path.name + ending)
        if os.path.lexists(beside_it):
            raise StoreError(
                f"cannot be written: {beside_it.name!a} lies beside it, of a database that was "
                "there before; nothing was changed",
                location=str(path),
                hint="move that file to where the database is now, or away",
            )


def unreadable(error: OSError, path: Path) -> StoreError:
    """The error of a file that cannot be read."""
    return StoreError(
        f"cannot be read: {reason_of(error)}",
        location=str(path),
        hint="see that it is there, and that you may read it",
    )


def too_large(path: Path) -> StoreError:
    """The error of a JSON store that is too large."""
    return StoreError(
        f"has more than {MOST_BYTES} bytes, too many for a store that is one JSON file; "
        "nothing was changed",
        location=str(path),
        hint="keep the notes in SQLite: `memoryfield note convert LOCATION sqlite`",
    )
