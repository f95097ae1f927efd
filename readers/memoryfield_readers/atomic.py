"""Files replaced and renamed in one step each: before or after, never between.

What a file holds is on the disk before it gets its name; that it has its name is on the disk after
`Directory.sync`, which is done once for many.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ANCHORED = {os.open, os.stat, os.rename, os.unlink, os.link} <= os.supports_dir_fd
"""Whether files can be named relative to an open directory."""

_COMMON_FLAGS = (
    getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
)
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _COMMON_FLAGS
_NEW_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _COMMON_FLAGS
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_CHUNK_BYTES = 256 * 1024
_NOT_OFFERED = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP)
NO_HARD_LINKS = (errno.EPERM, errno.EMLINK, *_NOT_OFFERED)
"""What a second name for a file fails with where it cannot be had."""

_CANNOT_SYNC = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EBADF)
"""What syncing a folder fails with where folders are synced by the system alone."""

_MOST_TRIES = 20
_PAUSE_SECONDS = 0.05


class Directory(NamedTuple):
    """A directory to write in.

    Attributes:
        path: its path.
        descriptor: the open directory; None where files cannot be named relative to one.
    """

    path: Path
    descriptor: int | None

    def at(self, name: str) -> str:
        """How the system is told of a file in it."""
        return name if self.descriptor is not None else str(self.path / name)

    def status(self, name: str) -> os.stat_result:
        """The status of an entry, without following it if it is a link."""
        return os.stat(self.at(name), dir_fd=self.descriptor, follow_symlinks=False)

    def has(self, name: str) -> bool:
        """Whether there is an entry of that name, or one that the system takes for the same."""
        try:
            self.status(name)
        except FileNotFoundError:
            return False
        return True

    def names(self) -> list[str]:
        """The names of all entries, as they are written."""
        return os.listdir(self.path if self.descriptor is None else self.descriptor)

    def links(self) -> Iterator[str]:
        """The names of all symbolic links."""
        with os.scandir(self.path if self.descriptor is None else self.descriptor) as items:
            for item in items:
                if item.is_symlink():
                    yield item.name

    def sync(self) -> None:
        """Have all names on the disk; some systems cannot, and do it in their own time.

        Raises:
            OSError: the disk says that it cannot.
        """
        if self.descriptor is None:
            return
        try:
            os.fsync(self.descriptor)
        except OSError as error:
            if error.errno not in _CANNOT_SYNC:
                raise


@contextlib.contextmanager
def opened_directory(path: Path) -> Iterator[Directory]:
    """A directory to write in, open until the end of the block.

    Raises:
        OSError: it cannot be opened.
    """
    if not ANCHORED:
        yield Directory(path, None)
        return
    descriptor = os.open(path, _FOLDER_FLAGS)
    try:
        yield Directory(path, descriptor)
    finally:
        os.close(descriptor)


def check_replaceable(directory: Directory, name: str, before: bytes) -> bool:
    """See whether a file can be replaced, as far as that can be seen; False if it has other bytes.

    Raises:
        OSError: the file cannot be read, or it or its directory may not be written.
    """
    if _read(directory, name)[0] != before:
        return False
    check_writable(directory, name)
    check_writable(directory, ".")
    return True


def replace_file(directory: Directory, name: str, before: bytes, after: bytes) -> bool:
    """Put other bytes in the place of a file's; False, and nothing is done, if it has not these.

    The new file is written beside the old one, under a name that is debris, with the old one's
    mode and, where that is allowed, its owner. A file that may not be written is not replaced.

    Raises:
        OSError: the file is as it was.
    """
    current, status = _read(directory, name)
    if current != before:
        return False
    check_writable(directory, name)
    temporary = f".memoryfield-{os.urandom(8).hex()}.tmp"
    try:
        _write_new(directory, temporary, after, status)
        if _read(directory, name)[0] != before:
            return False
        move_over(directory, temporary, directory, name)
    finally:  # once it has taken the old one's place, there is nothing to remove
        _remove(directory, temporary)
    return True


def rename_file(directory: Directory, name: str, to: str) -> None:
    """Give an entry another name; on file systems that ignore case, also one in another case.

    Raises:
        FileExistsError: the name is taken.
        OSError: the entry is as it was.
    """
    try:
        _rename_to_free_name(directory, name, to)
    except FileExistsError:
        if not is_same_entry(directory, name, to):
            raise
        _move(directory, name, to)


def is_same_entry(directory: Directory, name: str, to: str) -> bool:
    """Whether two names are one entry, because the file system ignores how they differ."""
    same = os.path.samestat(directory.status(name), directory.status(to))
    return same and to not in directory.names()


def _rename_to_free_name(directory: Directory, name: str, to: str) -> None:
    rename = _exclusive_rename()
    if rename is not None and directory.descriptor is not None:
        code = rename(directory.descriptor, name, to)
        if code not in _NOT_OFFERED:
            if code:
                raise OSError(code, os.strerror(code))
            return
    elif os.name == "nt":
        os.rename(directory.at(name), directory.at(to))  # never overwrites there
        return
    try:
        os.link(
            directory.at(name), directory.at(to), follow_symlinks=False,
            src_dir_fd=directory.descriptor, dst_dir_fd=directory.descriptor,
        )  # fmt: skip
    except OSError as error:
        if error.errno not in NO_HARD_LINKS:
            raise
        if directory.has(to):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        _move(directory, name, to)
    else:
        os.unlink(directory.at(name), dir_fd=directory.descriptor)


@cache
def _exclusive_rename() -> Any:
    """The system's own rename that never overwrites, as a function that returns an error number."""
    found = {"linux": ("renameat2", 1), "darwin": ("renameatx_np", 4)}.get(sys.platform)
    if found is None:
        return None
    import ctypes

    symbol, flag = found
    function = getattr(ctypes.CDLL(None, use_errno=True), symbol, None)
    if function is None:
        return None
    function.argtypes = (
        ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint,
    )  # fmt: skip

    def rename(folder: int, name: str, to: str) -> int:
        failed = function(folder, os.fsencode(name), folder, os.fsencode(to), flag)
        return ctypes.get_errno() if failed else 0

    return rename


def _move(directory: Directory, name: str, to: str) -> None:
    os.rename(
        directory.at(name), directory.at(to),
        src_dir_fd=directory.descriptor, dst_dir_fd=directory.descriptor,
    )  # fmt: skip


def move_over(directory: Directory, name: str, to_directory: Directory, to: str) -> None:
    """Move a file, over another if there is one; on Windows a scanner may hold one for a moment.

    Raises:
        OSError: both are as they were.
    """
    for tries in range(_MOST_TRIES):
        try:
            os.replace(
                directory.at(name), to_directory.at(to),
                src_dir_fd=directory.descriptor, dst_dir_fd=to_directory.descriptor,
            )  # fmt: skip
        except PermissionError:
            if os.name != "nt" or tries == _MOST_TRIES - 1:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def _read(directory: Directory, name: str) -> tuple[bytes, os.stat_result]:
    descriptor = os.open(directory.at(name), _READ_FLAGS, dir_fd=directory.descriptor)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EISDIR, "no regular file")
        pieces = []
        while piece := os.read(descriptor, _CHUNK_BYTES):
            pieces.append(piece)
        return b"".join(pieces), status
    finally:
        os.close(descriptor)


def _write_new(directory: Directory, name: str, data: bytes, like: os.stat_result) -> None:
    """Write a file that is not there yet, with the mode and owner of another, and sync it."""
    descriptor = os.open(directory.at(name), _NEW_FILE_FLAGS, 0o600, dir_fd=directory.descriptor)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if hasattr(os, "fchown"):
            give_owner(descriptor, like)
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_writable(directory: Directory, name: str) -> None:
    """See whether a file, or with "." the directory, may be written.

    Raises:
        PermissionError: it may not.
    """
    if not os.access(directory.at(name), os.W_OK, dir_fd=directory.descriptor):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def give_owner(descriptor: int, like: os.stat_result) -> None:
    """Give a file the owner and group of another, or the group alone, as far as it is allowed."""
    status = os.fstat(descriptor)
    if (status.st_uid, status.st_gid) == (like.st_uid, like.st_gid):
        return
    try:
        os.fchown(descriptor, like.st_uid, like.st_gid)
    except PermissionError:
        if status.st_gid != like.st_gid:
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, -1, like.st_gid)


def _remove(directory: Directory, name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(directory.at(name), dir_fd=directory.descriptor)
