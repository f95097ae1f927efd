"""Files of a run that are written whole: who reads one sees the old or the new, never half."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from memoryfield_readers import SourceUnavailable
from memoryfield_readers.atomic import Directory, move_over
from memoryfield_readers.system_errors import reason_of

_NEW_FILE_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
_BEGIN, _END = ".memoryfield-", ".tmp"


@contextmanager
def new_file(directory: Directory, name: str) -> Iterator[BinaryIO]:
    """A file that takes the place of the one of that name when the block has ended well.

    Arguments:
        directory: the folder that it is in.
        name: its name there.

    Raises:
        SourceUnavailable: it cannot be written; the old one is there still.
    """
    temporary = f"{_BEGIN}{os.urandom(8).hex()}{_END}"
    try:
        _refuse_folder(directory, name)
        descriptor = os.open(
            directory.at(temporary), _NEW_FILE_FLAGS, 0o666, dir_fd=directory.descriptor
        )
        try:
            with open(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            move_over(directory, temporary, directory, name)
        finally:  # once it has taken the old one's place, there is nothing to remove
            with contextlib.suppress(OSError):
                os.unlink(directory.at(temporary), dir_fd=directory.descriptor)
        directory.sync()
    except OSError as error:
        raise SourceUnavailable(
            f"cannot be written: {reason_of(error)}",
            location=str(directory.path / name),
            hint="the results themselves can be used; make room and run it again",
        ) from error


def _refuse_folder(directory: Directory, name: str) -> None:
    try:
        status = directory.status(name)
    except FileNotFoundError:
        return
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


def replace_text(directory: Directory, name: str, text: str) -> None:
    """Write a text whole; raises as `new_file` does."""
    with new_file(directory, name) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def remove_left_over(directory: Directory) -> None:
    """Remove what a run has left that was killed while it wrote.

    Raises:
        OSError: the folder cannot be read.
    """
    for name in directory.names():
        if name.startswith(_BEGIN) and name.endswith(_END):
            with contextlib.suppress(OSError):
                os.unlink(directory.at(name), dir_fd=directory.descriptor)
