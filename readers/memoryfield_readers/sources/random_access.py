"""Bytes at an offset, from anything that can seek."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator
from threading import Lock
from typing import BinaryIO, Protocol

PIECE_BYTES = 1024 * 1024
"""So much is read at a time of a file that is read whole."""


class RandomAccess(Protocol):
    """Something of known size whose bytes can be had by offset.

    Attributes:
        size: its length in bytes.
    """

    size: int

    def read_at(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`; fewer only at the end."""
        ...

    def bring(self, spans: Iterable[tuple[int, int]]) -> None:
        """Make reading some spans, from an offset up to another one, cheap."""
        ...

    def has(self, span: tuple[int, int]) -> bool:
        """Whether reading a span asks nobody any more."""
        ...

    def bring_all(self) -> None:
        """Make reading any bytes cheap."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...


class SeekableFile:
    """A seekable binary file object, safe to read from several threads."""

    def __init__(self, file: BinaryIO, *, owned: bool) -> None:
        """Wrap a file object, which is closed with this one only if it is owned."""
        self._file = file
        self._owned = owned
        self._lock = Lock()
        self.size = file.seek(0, os.SEEK_END)

    def read_at(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`; fewer only at the end.

        Raises:
            OSError: they cannot be read, the file is closed, or it is shorter than it was.
        """
        with self._lock:
            if self._file.closed:
                raise OSError(errno.EBADF, "it is closed")
            self._file.seek(offset)
            data = self._file.read(length)
            if len(data) == length:
                return data
            pieces = [data]
            missing = length - len(data)
            while data and missing and (data := self._file.read(missing)):
                pieces.append(data)
                missing -= len(data)
            data = b"".join(pieces)
            if len(data) < length and offset + len(data) < self.size:
                raise OSError(errno.EIO, "it became shorter while it was being read")
            return data

    def read_into(self, offset: int, buffer: memoryview) -> int:
        """Fill a buffer with bytes from an offset; how many it were, 0 at the end alone.

        Raises:
            OSError: they cannot be read, or the file is closed.
        """
        with self._lock:
            if self._file.closed:
                raise OSError(errno.EBADF, "it is closed")
            self._file.seek(offset)
            readinto = getattr(self._file, "readinto", None)
            if readinto is not None:
                return int(readinto(buffer) or 0)
            data = self._file.read(len(buffer))
            buffer[: len(data)] = data
            return len(data)

    def from_start(self) -> Forward:
        """The file as one that is read from its first byte to its last."""
        return Forward(self)

    def bring(self, spans: Iterable[tuple[int, int]]) -> None:
        """Nothing: it is all here."""

    def has(self, span: tuple[int, int]) -> bool:
        """True: it is all here."""
        return True

    def bring_all(self) -> None:
        """Nothing: it is all here."""

    def close(self) -> None:
        """Close the file object if it was opened for this."""
        if self._owned:
            self._file.close()


class Forward:
    """What has random access, read piece by piece from its start."""

    def __init__(self, file: SeekableFile) -> None:
        """Begin at the first byte."""
        self._file = file
        self._at = 0

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill a buffer with the bytes that follow, and say how many these were.

        Raises:
            OSError: they cannot be read.
        """
        got = self._file.read_into(self._at, buffer)
        self._at += got
        return got


def sha256_of(file: RandomAccess) -> str:
    """The SHA-256 of a whole file, in hexadecimal."""
    digest = hashlib.sha256()
    for piece in pieces_of(file):
        digest.update(piece)
    return digest.hexdigest()


def pieces_of(file: RandomAccess) -> Iterator[bytes]:
    """All bytes of a file in pieces."""
    for at in range(0, file.size, PIECE_BYTES):
        yield file.read_at(at, min(PIECE_BYTES, file.size - at))
