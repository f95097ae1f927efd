"""What a new file takes over from the one in whose place it comes: owner, labels, mode, times."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import Final, NamedTuple

from memoryfield_readers.atomic import give_owner

_NOT_OURS_TO_SET: Final = (
    errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP,
)  # fmt: skip
"""What setting labels and the like fails with for those who may not, or where there are none."""

_NO_MODES: Final = (errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
"""What giving a mode to a file of our own fails with where there are none, as on FAT."""


class Kept(NamedTuple):
    """What is taken over.

    Attributes:
        status: of the old file: mode and owner, and the times if they are kept.
        attributes: its extended attributes, access lists among them.
        times: whether the times are kept.
    """

    status: os.stat_result
    attributes: tuple[tuple[str, bytes], ...]
    times: bool = False


def attributes_of(descriptor: int) -> tuple[tuple[str, bytes], ...]:
    """The extended attributes of an open file, as far as we may read them."""
    if not hasattr(os, "listxattr"):
        return ()
    found = []
    with contextlib.suppress(OSError):  # not offered here, or gone by now
        for name in os.listxattr(descriptor):
            with contextlib.suppress(OSError):  # not for us to read
                found.append((name, os.getxattr(descriptor, name)))
    return tuple(found)


def take_over(descriptor: int, kept: Kept) -> None:
    """Give an open file what it takes over, as far as we may and the file system has it.

    The times are left to the caller where they cannot be given to an open file.

    Raises:
        OSError: it cannot have the mode, or the disk fails.
    """
    if hasattr(os, "fchown"):
        give_owner(descriptor, kept.status)
    for name, value in kept.attributes:
        _set_attribute(descriptor, name, value)
    # Last: another owner, or an access list, changes the mode.
    set_mode(descriptor, stat.S_IMODE(kept.status.st_mode))
    if kept.times and os.utime in os.supports_fd:
        os.utime(descriptor, ns=(kept.status.st_atime_ns, kept.status.st_mtime_ns))


def set_mode(descriptor: int, mode: int) -> None:
    """Give what we have just made a mode, as far as there are modes.

    Raises:
        OSError: it cannot have it.
    """
    if not hasattr(os, "fchmod"):
        return
    try:
        os.fchmod(descriptor, mode)
    except OSError as error:
        if error.errno not in _NO_MODES:
            raise


def _set_attribute(descriptor: int, name: str, value: bytes) -> None:
    try:
        os.setxattr(descriptor, name, value)
    except OSError as error:
        if error.errno not in _NOT_OURS_TO_SET:
            raise
