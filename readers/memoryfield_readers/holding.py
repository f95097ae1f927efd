"""One writer a field at a time, across threads, processes and, where locks cross it, a network.

The lock is on the field itself: on the folder, or on the archive's file, as the system locks open
files (`flock`). So nothing is left behind, and a writer that is killed holds nothing: the system
lets go for it. What a killed writer has started by forking goes on holding the field while it
lives.

An archive is written by putting a new file in its place, and the new one is held by nobody: who
replaces it is done with it. Who had waited for the old file looks whether the path still leads to
it, and if not, asks for the new one.

Where folders or files cannot be locked so (Windows; some network file systems), the lock is on a
hidden file beside the field, `.NAME.memoryfield-lock`, which stays there for the next writer: a
lock file that is removed while somebody waits for it lets two in. Readers never ask for a lock.
"""

from __future__ import annotations

import errno
import hashlib
import inspect
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from .atomic import ANCHORED
from .display import shown
from .errors import AccessDenied, LockTimeout, MemoryfieldError, SourceChanged, SourceUnavailable
from .system_errors import error_of, reason_of

if TYPE_CHECKING:
    from filelock import BaseFileLock

DEFAULT_WAIT = 30.0
"""Seconds to wait for another writer, unless somebody says otherwise."""

QUIET_SECONDS = 2.0
"""After so long a wait is told of."""

_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.05
_GROWTH = 1.5

_COMMON_FLAGS = (
    getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)  # the path is resolved: a link that is there by now is another
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO that took the file's place must not hang us
)
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _COMMON_FLAGS
_FILE_FLAGS = os.O_RDWR | _COMMON_FLAGS  # some file systems lock only what may be written

_BUSY = (errno.EWOULDBLOCK, errno.EAGAIN)
_NOT_OFFERED = frozenset({
    errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EBADF, errno.ENOSYS, errno.EINVAL,
})  # fmt: skip
"""What locking fails with where it is not to be had: `EBADF` is a folder's on NFS."""

_MAY_NOT = (errno.EACCES, errno.EPERM, errno.EROFS)
_ANOTHER_NOW = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK, errno.EISDIR)
"""What opening a resolved path fails with where something else is there by now."""

_LOCK_SUFFIX = ".memoryfield-lock"
_MOST_NAME_BYTES = 255

Waiting: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Hold:
    """A field that nobody else writes for as long as it is held.

    Attributes:
        path: where it is, with all links resolved.
        is_folder: whether it is a folder; else it is a file.
        descriptor: the folder, open for reading, or the file, open for reading and writing: what is
            to be read, as the path may lead elsewhere later. It is closed when the hold ends. None
            where folders cannot be opened, or an open file could not be replaced (Windows).
        lock_file: the file beside the field that is locked in its place; None where the field
            itself is.
    """

    path: Path
    is_folder: bool
    descriptor: int | None
    lock_file: Path | None = None


@contextmanager
def held_field(
    path: Path, *, wait: float, location: str, waiting: Waiting | None = None
) -> Iterator[Hold]:
    """Hold a field for writing, until the end of the block (MF906).

    It is not to be held twice by one thread: the second one waits for the first in vain.

    Arguments:
        path: a folder, or an archive's file; links are resolved.
        wait: for how many seconds to wait for another writer; 0 asks once.
        location: the field as messages show it.
        waiting: called once with a line for a person, when the wait has lasted two seconds.

    Raises:
        LockTimeout: another writer held it for longer.
        NotFound: nothing is at the path, or not any more after the wait.
        AccessDenied: it may not be opened, an archive not be written, or no lock be put beside it.
        SourceChanged: a folder became a file in the wait, or the other way round.
        SourceUnavailable: it is neither, or cannot be locked.
    """
    with ExitStack() as stack:
        yield _taken(path, _Wait(wait, location, waiting), location, stack)


def _taken(path: Path, wait: _Wait, location: str, stack: ExitStack) -> Hold:
    """The hold; what lets go of it is put on the stack."""
    was_folder: bool | None = None
    times = 0
    while True:
        place = _resolved(path, location)
        with ExitStack() as opened:
            descriptor, is_folder = _opened(place, location)
            if descriptor is not None:
                opened.callback(_close, descriptor)
            if was_folder not in (None, is_folder):
                now = "a folder" if is_folder else "a file"
                raise SourceChanged(f"is {now} by now; nothing was changed", location=location)
            was_folder = is_folder
            while True:
                had = None if descriptor is None else _flock(descriptor, location)
                if had is None:
                    break
                if descriptor is not None and not _leads_to(place, descriptor):
                    if times:  # else the wait may have ended just when it was replaced
                        wait.check()
                    break
                if had:
                    stack.push(opened.pop_all())
                    return Hold(place, is_folder, descriptor)
                wait.pause()
        if had is None:
            return _taken_beside(place, is_folder, wait, location, stack)
        times += 1


def _taken_beside(
    place: Path, is_folder: bool, wait: _Wait, location: str, stack: ExitStack
) -> Hold:
    """The hold by a lock file, where the field itself cannot be locked."""
    lock_file = place.with_name(_lock_name(place.name))
    _take_lock_file(lock_file, wait, location, stack)
    descriptor, is_folder_now = _opened(place, location)  # anew: it may have been replaced
    if descriptor is not None:
        stack.callback(os.close, descriptor)
    if is_folder_now != is_folder:
        now = "a folder" if is_folder_now else "a file"
        raise SourceChanged(f"is {now} by now; nothing was changed", location=location)
    return Hold(place, is_folder, descriptor, lock_file)


@contextmanager
def held_lock_file(
    path: Path, *, wait: float, location: str, waiting: Waiting | None = None
) -> Iterator[None]:
    """Hold a lock file until the end of the block; it is made if need be, and stays there.

    It is not to be held twice by one thread. Nobody is ever to remove or replace it.

    Arguments:
        path: the lock file.
        wait: for how many seconds to wait for another holder; 0 asks once.
        location: what is held by it, as messages show it.
        waiting: called once with a line for a person, when the wait has lasted two seconds.

    Raises:
        LockTimeout: another one held it for longer.
        AccessDenied: it may not be written.
        SourceUnavailable: it is no file, or cannot be locked.
    """
    with ExitStack() as stack:
        _take_lock_file(path, _Wait(wait, location, waiting), location, stack)
        yield


def _take_lock_file(lock_file: Path, wait: _Wait, location: str, stack: ExitStack) -> None:
    """Hold a lock file; what lets go of it is put on the stack."""
    try:
        _check_lock_file(lock_file)
        lock = _file_lock(lock_file)
        while not _acquired(lock):
            wait.pause()
    except NotImplementedError as error:  # how some versions say that there are no locks here
        raise _not_locked("files cannot be locked there", location) from error
    except PermissionError as error:
        raise AccessDenied(
            f"cannot be locked: {shown(lock_file.name)} beside it may not be written",
            location=location,
            hint="give yourself the right to write in the folder that it is in",
        ) from error
    except OSError as error:
        raise _not_locked(reason_of(error), location) from error
    stack.callback(lock.release)


class _Wait:
    """A wait with an end, which is told of once."""

    def __init__(self, seconds: float, location: str, told: Waiting | None) -> None:
        self._seconds = max(seconds, 0.0)
        self._location = location
        self._told = told
        self._began = time.monotonic()
        self._pause = _FIRST_PAUSE

    def pause(self) -> None:
        """Wait for a moment, each time a little longer.

        Raises:
            LockTimeout: there was enough waiting.
        """
        left = self.check()
        if self._told is not None and self._seconds - left >= QUIET_SECONDS:
            self._told(
                f"another program is writing to {shown(self._location)}: waiting for it, "
                f"for at most {self._seconds:g} seconds"
            )
            self._told = None
        # Those who wait for the same field are not to ask all at the same moments.
        share = 0.5 + os.urandom(1)[0] / 512
        time.sleep(min(self._pause * share, left))
        self._pause = min(self._pause * _GROWTH, _LONGEST_PAUSE)

    def check(self) -> float:
        """The seconds that are left.

        Raises:
            LockTimeout: there are none.
        """
        left = self._began + self._seconds - time.monotonic()
        if left > 0:
            return left
        lasted = f" for more than {self._seconds:g} seconds" if self._seconds else ""
        raise LockTimeout(
            f"another program has been writing to it{lasted}; nothing was changed",
            location=self._location,
            hint="try again when that program is done, or wait for longer with --wait SECONDS",
        )


def _resolved(path: Path, location: str) -> Path:
    try:
        return Path(os.path.realpath(path, strict=True))
    except OSError as error:
        raise error_of(error, location=location) from error


def _opened(place: Path, location: str) -> tuple[int | None, bool]:
    """What is at a path, open if it can be locked or read so; and whether it is a folder."""
    try:
        mode = os.stat(place).st_mode
        is_folder = stat.S_ISDIR(mode)
        if not is_folder and not stat.S_ISREG(mode):
            raise _no_field(location)
        if not is_folder and not ANCHORED:
            with open(place, "r+b"):  # it may be written; open, it could not be replaced
                return None, False
        if not ANCHORED:
            return None, True
        descriptor = os.open(place, _FOLDER_FLAGS if is_folder else _FILE_FLAGS)
    except OSError as error:
        raise _open_error(error, location) from error
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
        return descriptor, is_folder
    os.close(descriptor)
    raise _no_field(location)


def _open_error(error: OSError, location: str) -> MemoryfieldError:
    if error.errno in _MAY_NOT:
        return AccessDenied(
            f"may not be written: {reason_of(error)}; nothing was changed",
            location=location,
            hint="change its mode, or work as its owner",
        )
    if error.errno in _ANOTHER_NOW and not isinstance(error, FileNotFoundError):
        return SourceChanged(
            f"is another by now: {reason_of(error)}; nothing was changed",
            location=location,
            hint="try again",
        )
    return error_of(error, location=location)


def _flock(descriptor: int, location: str) -> bool | None:
    """Whether the lock on an open folder or file was free and is ours; None if there are none."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        if error.errno in _NOT_OFFERED:
            return None
        raise _not_locked(reason_of(error), location) from error
    return True


def _close(descriptor: int) -> None:
    """Let go of a lock and close: closing alone would leave it to a process forked meanwhile."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except (ImportError, OSError):
        pass  # it was not locked: there are none here
    finally:
        os.close(descriptor)


def _leads_to(place: Path, descriptor: int) -> bool:
    """Whether a path leads to what is open."""
    try:
        return os.path.samestat(os.lstat(place), os.fstat(descriptor))
    except OSError:
        return False  # opening it anew will say what is the matter


def _lock_name(name: str) -> str:
    """The name of the lock file beside a field, if need be with a hash in place of the end."""
    whole = f".{name}{_LOCK_SUFFIX}"
    data = os.fsencode(whole)
    if len(data) <= _MOST_NAME_BYTES:
        return whole
    return f".{hashlib.sha256(data).hexdigest()}{_LOCK_SUFFIX}"


def _check_lock_file(path: Path) -> None:
    """Refuse what has the name of the lock file and is no file: a link may lead anywhere.

    Raises:
        OSError: it is none, or cannot be looked at.
    """
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise FileExistsError(errno.EEXIST, f"something else has the name {path.name}")


def _file_lock(path: Path) -> BaseFileLock:
    from filelock import FileLock

    known = inspect.signature(FileLock.__init__).parameters
    preserved: dict[str, Any] = (
        {"preserve_lock_file": True} if "preserve_lock_file" in known else {}
    )
    return FileLock(str(path), **preserved)  # its mode is what the umask leaves of 0666


def _acquired(lock: BaseFileLock) -> bool:
    from filelock import Timeout

    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    return True


def _not_locked(reason: str, location: str) -> SourceUnavailable:
    return SourceUnavailable(
        f"cannot be locked: {reason}; nothing was changed",
        location=location,
        hint="write to a copy on a disk of this machine, and put it there when it is done",
    )


def _no_field(location: str) -> SourceUnavailable:
    return SourceUnavailable("is neither a folder nor a file", location=location)
