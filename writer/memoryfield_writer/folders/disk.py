"""Every call by which a batch changes what is on the disk; all of the others only look.

A test ends the writer at each of them, one after the other, so that none may be made elsewhere.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from typing import NamedTuple

from memoryfield_readers.atomic import NO_HARD_LINKS, Directory, give_owner, move_over

from ..taking_over import Kept, attributes_of, set_mode, take_over

_COMMON_FLAGS = (
    getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
)
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _COMMON_FLAGS
_NEW_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _COMMON_FLAGS
_CHUNK_BYTES = 1024 * 1024
_NEW_FILE_MODE = 0o666
"""Before the umask, or the rights that the folder gives to what is made in it."""


class Seen(NamedTuple):
    """A regular file as it was when it was read.

    Attributes:
        status: its status.
        sha256: of its bytes, in hexadecimal.
        data: its bytes, if they were asked for.
        attributes: its extended attributes.
    """

    status: os.stat_result
    sha256: str
    data: bytes
    attributes: tuple[tuple[str, bytes], ...]


def seen(directory: Directory, name: str, *, data: bool = False) -> Seen:
    """Read a regular file.

    Raises:
        OSError: it cannot be read, or is none.
    """
    descriptor = os.open(directory.at(name), _READ_FLAGS, dir_fd=directory.descriptor)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "no regular file")
        digest, pieces = hashlib.sha256(), []
        while piece := os.read(descriptor, _CHUNK_BYTES):
            digest.update(piece)
            if data:
                pieces.append(piece)
        found = attributes_of(descriptor)
        return Seen(status, digest.hexdigest(), b"".join(pieces), found)
    finally:
        os.close(descriptor)


def make_folder(directory: Directory, name: str, like: os.stat_result) -> None:
    """Make a folder that those may look into who may look into another, with its owner.

    Those who may put something into the other one may do so here, too, unless they may take away
    nothing there but their own (the sticky bit): here it could take the place of what is ours.
    """
    os.mkdir(directory.at(name), 0o700, dir_fd=directory.descriptor)
    if directory.descriptor is None or not hasattr(os, "fchmod"):
        return
    flags = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _COMMON_FLAGS
    descriptor = os.open(directory.at(name), flags, dir_fd=directory.descriptor)
    try:
        give_owner(descriptor, like)
        closed = stat.S_ISVTX | (0o022 if like.st_mode & stat.S_ISVTX else 0)
        set_mode(descriptor, stat.S_IMODE(like.st_mode) & ~closed | 0o700)
    finally:
        os.close(descriptor)


def write_new(directory: Directory, name: str, data: bytes, kept: Kept | None) -> os.stat_result:
    """Write a file that is not there yet, and have it on the disk; its status.

    Arguments:
        directory: where.
        name: its name.
        data: what it holds.
        kept: what it takes over; None for a file like any other that is made there.

    Raises:
        OSError: it cannot be written; a part of it may be there.
    """
    mode = _NEW_FILE_MODE if kept is None else 0o600
    descriptor = os.open(directory.at(name), _NEW_FILE_FLAGS, mode, dir_fd=directory.descriptor)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if kept is not None:
            take_over(descriptor, kept)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if kept is not None and kept.times and os.utime not in os.supports_fd:
        os.utime(directory.at(name), ns=(kept.status.st_atime_ns, kept.status.st_mtime_ns))
    return directory.status(name)


def link(directory: Directory, name: str, to_directory: Directory, to: str) -> bool:
    """Give a file a second name; False where there are none here."""
    try:
        os.link(
            directory.at(name), to_directory.at(to), follow_symlinks=False,
            src_dir_fd=directory.descriptor, dst_dir_fd=to_directory.descriptor,
        )  # fmt: skip
    except NotImplementedError:
        return False
    except OSError as error:
        if error.errno not in NO_HARD_LINKS:
            raise
        return False
    return True


def sync_file(directory: Directory, name: str) -> None:
    """Have what a file holds on the disk."""
    flags = _READ_FLAGS if os.name != "nt" else os.O_RDWR | _COMMON_FLAGS
    try:
        descriptor = os.open(directory.at(name), flags, dir_fd=directory.descriptor)
    except PermissionError:  # not for us to read: it is as it was before we came
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(directory: Directory) -> None:
    """Have the names in a folder on the disk; some systems do that in their own time.

    Raises:
        OSError: the disk says that it cannot.
    """
    directory.sync()


def move(directory: Directory, name: str, to_directory: Directory, to: str) -> None:
    """Move a file, over another if there is one."""
    move_over(directory, name, to_directory, to)


def remove(directory: Directory, name: str) -> None:
    """Remove a file."""
    os.unlink(directory.at(name), dir_fd=directory.descriptor)


def remove_folder(directory: Directory, name: str) -> None:
    """Remove a folder that is empty."""
    os.rmdir(directory.at(name), dir_fd=directory.descriptor)
