"""Bytes at an offset, from anything that can seek."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from threading import Lock
from typing import BinaryIO, Protocol


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
