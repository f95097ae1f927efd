"""Sinks that take a part out of a body, when it is known only later what the body was."""

from __future__ import annotations

from ..errors import LimitExceeded
from ..transfer.sink import Sink, announce

_HEAD_BYTES = 512


class Cut:
    """Hands on a window of the bytes that come, and counts all of them.

    Attributes:
        taken: how many bytes have come.
        overflowed: whether there were more than there should be.
    """

    def __init__(self, sink: Sink, start: int, end: int, most: int) -> None:
        """Hand on the bytes from `start` up to `end`.

        Arguments:
            sink: what takes them.
            start: the first.
            end: the one behind the last.
            most: how many bytes may come in all.
        """
        self._sink = sink
        self._start = start
        self._end = end
        self._most = most
        self.taken = 0
        self.overflowed = False

    def write(self, piece: bytes) -> None:
        """Hand on what lies in the window."""
        at = self.taken
        self.taken += len(piece)
        if self.taken > self._most:
            self.overflowed = True
            raise LimitExceeded(f"more than the {self._most} bytes that should come")
        wanted = piece[max(0, self._start - at) : max(0, self._end - at)]
        if wanted:
            self._sink.write(wanted)

    def restart(self) -> None:
        """Begin again, with the first byte."""
        self.taken = 0
        self._sink.restart()


class TailOrWhole:
    """Keeps what is small enough for the end of a file; more than that can only be the whole.

    Attributes:
        taken: how many bytes have come.
        head: the first of them.
    """

    def __init__(self, most: int, whole: Sink) -> None:
        """Keep up to `most` bytes in memory, and put all into `whole` if there are more."""
        self._most = most
        self._whole = whole
        self._kept: list[bytes] = []
        self._is_whole = False
        self.taken = 0
        self.head = b""

    @property
    def data(self) -> bytes:
        """What is kept in memory."""
        return b"".join(self._kept)

    def announced(self, size: int) -> None:
        """Tell who wants the whole how large it is; what is small is kept and looked at."""
        if size > self._most:
            announce(self._whole, size)

    def write(self, piece: bytes) -> None:
        """Keep the bytes, or put them where all others are."""
        self.taken += len(piece)
        self.head += piece[: _HEAD_BYTES - len(self.head)]
        if self._is_whole:
            self._whole.write(piece)
            return
        self._kept.append(piece)
        if self.taken > self._most:
            self.is_the_whole()

    def is_the_whole(self) -> None:
        """Put what is kept where the whole file goes."""
        self._is_whole = True
        kept, self._kept = self._kept, []
        for piece in kept:
            self._whole.write(piece)

    def restart(self) -> None:
        """Begin again, with the first byte."""
        if self._is_whole:
            self._whole.restart()
        self._kept = []
        self._is_whole = False
        self.taken = 0
        self.head = b""
