"""A private copy of a file that is hashed as it is made: what was proved is what is read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Protocol

from ..transfer.sink import too_much
from ..transfer.spool import TemporaryBytes

MEMORY_BYTES = 64 * 1024 * 1024
"""Files up to this size are copied to memory, larger ones to a temporary file."""

_PIECE_BYTES = 1024 * 1024


class Readable(Protocol):
    """A file opened for reading bytes."""

    def readinto(self, buffer: memoryview, /) -> int | None:
        """Fill a buffer with the bytes that follow, and say how many these were."""
        ...


class PrivateCopy:
    """The bytes of a file as they were when it was copied; a `RandomAccess`.

    Attributes:
        size: bytes of the file.
        sha256: their SHA-256, in hexadecimal.
    """

    def __init__(self, file: Readable, size: int, most: int) -> None:
        """Copy a file from where it stands to its end.

        Arguments:
            file: the file.
            size: how many bytes it is said to have, which chooses the place; it may have others.
            most: how many bytes to take at most.

        Raises:
            LimitExceeded: it has more bytes than that.
            SourceUnavailable: the temporary file cannot be written.
            OSError: the file cannot be read.
        """
        if size > most:
            raise too_much(most, "total-bytes")
        self.size = 0
        self._memory: memoryview | None = None
        self._file = TemporaryBytes()
        self._digest = hashlib.sha256()
        with ExitStack() as undo:
            undo.callback(self.close)
            if size > MEMORY_BYTES or not self._to_memory(file, size):
                self._to_file(file, most)
            undo.pop_all()
        self.sha256 = self._digest.hexdigest()

    def read_at(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`; fewer only at the end.

        Raises:
            SourceUnavailable: the temporary file cannot be read.
        """
        if self._memory is not None:
            return bytes(self._memory[offset : offset + length])
        return self._file.read_at(offset, max(0, min(length, self.size - offset)))

    def bring(self, spans: Iterable[tuple[int, int]]) -> None:
        """Nothing: it is all here."""

    def has(self, span: tuple[int, int]) -> bool:
        """True: it is all here."""
        return True

    def bring_all(self) -> None:
        """Nothing: it is all here."""

    def close(self) -> None:
        """Let go of the copy."""
        self._memory = None
        self._file.close()

    def _to_memory(self, file: Readable, size: int) -> bool:
        """Whether the file ended where it was said to; if not, what came is in the other place."""
        # One byte more than announced shows whether the file has grown meanwhile.
        buffer = memoryview(bytearray(size + 1))
        while self.size <= size and (
            got := file.readinto(buffer[self.size : self.size + _PIECE_BYTES])
        ):
            self._digest.update(buffer[self.size : self.size + got])
            self.size += got
        if self.size <= size:
            self._memory = buffer[: self.size].toreadonly()
            return True
        self._file.append(bytes(buffer))
        return False

    def _to_file(self, file: Readable, most: int) -> None:
        buffer = memoryview(bytearray(_PIECE_BYTES))
        while got := file.readinto(buffer):
            self.size += got
            if self.size > most:
                raise too_much(most, "total-bytes")
            self._digest.update(buffer[:got])
            self._file.append(bytes(buffer[:got]))
