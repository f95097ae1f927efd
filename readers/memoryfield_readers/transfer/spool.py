"""A temporary file for what came from elsewhere: it is asked for once, and stays what it is."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import BinaryIO, NamedTuple, cast

from ..errors import SourceUnavailable
from ..system_errors import reason_of
from .sink import Bounded

_CHUNK_BYTES = 256 * 1024
_in_memory: ContextVar[bool] = ContextVar("in_memory", default=False)


@contextmanager
def in_memory() -> Iterator[None]:
    """What is opened meanwhile keeps what comes from elsewhere in memory, and makes no file.

    It is for who reads all of it into memory at once; the limits bound it.
    """
    token = _in_memory.set(True)
    try:
        yield
    finally:
        _in_memory.reset(token)


class Segment(NamedTuple):
    """A run of bytes of the temporary file, from an offset."""

    at: int
    length: int


class TemporaryBytes:
    """A temporary file that several threads write to and read from; it is gone when closed."""

    def __init__(self) -> None:
        """Make the file when the first byte comes."""
        self._file: BinaryIO | None = io.BytesIO() if _in_memory.get() else None
        self._closed = False
        self._end = 0
        self._lock = Lock()

    @property
    def length(self) -> int:
        """How many bytes were appended."""
        return self._end

    def append(self, piece: bytes) -> Segment:
        """Keep bytes, and say where they stand."""
        with self._lock:
            at = self._end
            self._write(at, piece)
            self._end += len(piece)
        return Segment(at, len(piece))

    def write_at(self, at: int, piece: bytes) -> None:
        """Keep bytes at an offset."""
        with self._lock:
            self._write(at, piece)

    def read_at(self, at: int, length: int) -> bytes:
        """The bytes at an offset, all of which have been written."""
        with self._lock:
            if self._file is None:
                return b""
            try:
                self._file.seek(at)
                return self._file.read(length)
            except (OSError, ValueError) as error:
                raise self._unusable(error) from error

    def close(self) -> None:
        """Remove the file."""
        with self._lock:
            self._closed = True
            if self._file is not None:
                self._file.close()

    def _write(self, at: int, piece: bytes) -> None:
        try:
            if self._closed:
                raise ValueError  # a thread that nobody waits for any more
            if self._file is None:
                file = tempfile.TemporaryFile(prefix="memoryfield-")  # noqa: SIM115 - see close()
                self._file = cast("BinaryIO", file)
            self._put(self._file, at, piece)
        except (OSError, ValueError) as error:
            raise self._unusable(error) from error

    def _put(self, file: BinaryIO, at: int, piece: bytes) -> None:
        file.seek(at)
        file.write(piece)

    def _unusable(self, error: OSError | ValueError) -> SourceUnavailable:
        reason = reason_of(error) if isinstance(error, OSError) else "it is closed"
        return SourceUnavailable(
            f"the temporary file for what is fetched cannot be used: {reason}",
            hint="TMPDIR names the folder for temporary files",
        )


class SpoolSink(Bounded):
    """A sink that keeps a file in segments of a temporary file."""

    def __init__(self, bytes_: TemporaryBytes, most: int, limit: str = "file-bytes") -> None:
        """Take at most so many bytes; see `Bounded`."""
        super().__init__(most, limit)
        self._bytes = bytes_
        self._segments: list[Segment] = []

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Where the bytes stand that were taken."""
        return tuple(self._segments)

    def _keep(self, piece: bytes) -> None:
        self._segments.append(self._bytes.append(piece))

    def _forget(self) -> None:
        self._segments.clear()


def chunks_of(bytes_: TemporaryBytes, segments: tuple[Segment, ...]) -> Iterator[bytes]:
    """The bytes of segments in pieces, in order."""
    for segment in segments:
        for at in range(segment.at, segment.at + segment.length, _CHUNK_BYTES):
            yield bytes_.read_at(at, min(_CHUNK_BYTES, segment.at + segment.length - at))
