"""A file of lines that grows at its end: a line stands in it whole, or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

from memoryfield_readers import AccessDenied, MemoryfieldError, SourceUnavailable
from memoryfield_readers.atomic import Directory
from memoryfield_readers.system_errors import reason_of

_FLAGS = (
    os.O_RDWR
    | os.O_CREAT
    | os.O_APPEND
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO of that name must not hang us
)
_PIECE = 64 * 1024
_FIRST_PIECE = 4 * 1024
_SYNC_SECONDS = 1.0


class Line(NamedTuple):
    """A line of a file.

    Attributes:
        offset: at which byte it begins.
        data: its bytes, with the line feed; None if it is longer than what is asked for.
        whole: whether it has its line feed: the last line has none if a write was broken off.
    """

    offset: int
    data: bytes | None
    whole: bool


class LineFile:
    """One file of lines, open for reading and for adding; it may be used by several threads.

    Attributes:
        name: the name of the file in its folder.
        size: how many bytes it has.
    """

    def __init__(self, directory: Directory, name: str, *, most: int) -> None:
        """Open it, or make an empty one.

        Arguments:
            directory: the folder that it is in.
            name: its name there.
            most: bytes of a line; what is longer is passed over.

        Raises:
            AccessDenied: it may not be read and written.
            SourceUnavailable: it is no file, or a link to one, or cannot be opened.
        """
        self.name = name
        self._path = str(directory.path / name)
        self._most = most
        self._lock = threading.Lock()
        self._unsynced = False
        self._synced = time.monotonic()
        try:
            self._descriptor = os.open(
                directory.at(name), _FLAGS, 0o666, dir_fd=directory.descriptor
            )
        except OSError as error:
            raise opening_error(error, self._path) from error
        status = os.fstat(self._descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(self._descriptor)
            raise _no_file(self._path)
        self.size = status.st_size

    def close(self) -> None:
        """Let go of the file, if that was not done; what was added is on the disk then.

        Raises:
            SourceUnavailable: the disk says that it is not.
        """
        try:
            self.sync()
        finally:
            with self._lock:  # another thread that still asks must not read another file
                descriptor, self._descriptor = self._descriptor, -1
            if descriptor >= 0:
                os.close(descriptor)

    def lines(self) -> Iterator[Line]:
        """All lines, one after the other.

        Raises:
            SourceUnavailable: they cannot be read.
        """
        offset = 0
        try:
            with open(os.dup(self._descriptor), "rb") as file:
                file.seek(0)
                while data := file.readline(self._most + 1):
                    length, end = len(data), data
                    while not end.endswith(b"\n") and (more := file.readline(_PIECE)):
                        length, end = length + len(more), more
                    whole = end.endswith(b"\n")
                    yield Line(offset, data if length <= self._most else None, whole)
                    offset += length
        except OSError as error:
            raise SourceUnavailable(
                f"cannot be read: {reason_of(error)}", location=self._path
            ) from error

    def line_at(self, offset: int) -> bytes | None:
        """The line that begins at a byte; None if none does that is whole and not too long.

        Raises:
            SourceUnavailable: it cannot be read.
        """
        data = bytearray()
        try:
            with self._lock:
                os.lseek(self._descriptor, offset, os.SEEK_SET)  # adding does not mind
                length = _FIRST_PIECE
                while len(data) <= self._most and (piece := os.read(self._descriptor, length)):
                    line, feed, _ = piece.partition(b"\n")
                    data += line + feed
                    if feed:
                        return bytes(data) if len(data) <= self._most else None
                    length = _PIECE
        except OSError as error:
            raise SourceUnavailable(
                f"cannot be read: {reason_of(error)}", location=self._path
            ) from error
        return None

    def add(self, line: bytes) -> int:
        """Add a line; it is on the disk within a second, if more are added, or when that is asked.

        Arguments:
            line: with its line feed.

        Returns:
            at which byte it begins.

        Raises:
            SourceUnavailable: the disk is full, or something else is wrong with it; the file ends
                with the line before then.
        """
        with self._lock:
            offset, rest = self.size, memoryview(line)
            try:
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
            except OSError as error:
                with contextlib.suppress(OSError):  # else who reads it passes over a cut line
                    os.ftruncate(self._descriptor, offset)
                raise _writing_error(error, self._path) from error
            self.size += len(line)
            self._unsynced = True
        if time.monotonic() - self._synced >= _SYNC_SECONDS:
            self.sync()
        return offset

    def cut(self, size: int) -> None:
        """Take away what stands behind so many bytes.

        Raises:
            SourceUnavailable: it cannot be written.
        """
        with self._lock:
            try:
                os.ftruncate(self._descriptor, size)
            except OSError as error:
                raise _writing_error(error, self._path) from error
            self.size = size
            self._unsynced = True

    def sync(self) -> None:
        """Have all that was added on the disk.

        Raises:
            SourceUnavailable: the disk says that it cannot.
        """
        with self._lock:
            self._synced = time.monotonic()
            if not self._unsynced or self._descriptor < 0:
                return
            try:
                os.fsync(self._descriptor)
            except OSError as error:
                raise _writing_error(error, self._path) from error
            self._unsynced = False


def opening_error(error: OSError, path: str) -> MemoryfieldError:
    """Why a file cannot be opened to be written, as an error of ours."""
    if error.errno in (errno.ELOOP, errno.EMLINK, errno.EISDIR, errno.ENXIO):
        return _no_file(path)
    if isinstance(error, PermissionError):
        return AccessDenied(f"may not be written: {reason_of(error)}", location=path)
    return SourceUnavailable(f"cannot be opened: {reason_of(error)}", location=path)


def _writing_error(error: OSError, path: str) -> MemoryfieldError:
    return SourceUnavailable(
        f"cannot be written: {reason_of(error)}",
        location=path,
        hint="what stands there can be used; make room and run it again to go on",
    )


def _no_file(path: str) -> MemoryfieldError:
    return SourceUnavailable(
        "is no regular file, so that no results can be kept there", location=path
    )
