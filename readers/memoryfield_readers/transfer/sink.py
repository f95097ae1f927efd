"""Where bytes from elsewhere go: to memory or to a temporary file, never more than is wanted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol, runtime_checkable

from ..errors import LimitExceeded
from ..limits import raise_limit


class Sink(Protocol):
    """Takes the bytes of one file, piece by piece, from the first to the last."""

    def write(self, piece: bytes) -> None:
        """Take the bytes that follow.

        Raises:
            LimitExceeded: these are more than are wanted.
        """
        ...

    def restart(self) -> None:
        """Forget what was taken: the bytes come again, from the first."""
        ...


@runtime_checkable
class Expecting(Protocol):
    """A sink that wants to know how much is to come, before it does."""

    def announced(self, size: int) -> None:
        """Hear how many bytes the whole file is said to have.

        Raises:
            MemoryfieldError: it is not wanted then.
        """
        ...


def announce(sink: Sink, size: int) -> None:
    """Tell a sink how many bytes are to come, if it wants to know; raises as it does."""
    if isinstance(sink, Expecting):
        sink.announced(size)


class Bounded(ABC):
    """What all sinks share: they count, and take no more than they were told to."""

    def __init__(self, most: int, limit: str) -> None:
        """Take at most so many bytes.

        Arguments:
            most: how many.
            limit: the name of the limit that says so, for the message.
        """
        self._most = most
        self._limit = limit
        self.taken = 0

    def write(self, piece: bytes) -> None:
        """Count a piece, and keep it."""
        self.taken += len(piece)
        if self.taken > self._most:
            raise too_much(self._most, self._limit)
        self._keep(piece)

    def restart(self) -> None:
        """Count anew."""
        self.taken = 0
        self._forget()

    @abstractmethod
    def _keep(self, piece: bytes) -> None:
        """Keep bytes that may be taken."""

    @abstractmethod
    def _forget(self) -> None:
        """Let go of what was kept."""


class MemorySink(Bounded):
    """A sink in memory."""

    def __init__(self, most: int, limit: str = "file-bytes") -> None:
        """Take at most so many bytes; see `Bounded`."""
        super().__init__(most, limit)
        self._pieces: list[bytes] = []

    @property
    def data(self) -> bytes:
        """All that was taken."""
        return b"".join(self._pieces)

    def _keep(self, piece: bytes) -> None:
        self._pieces.append(piece)

    def _forget(self) -> None:
        self._pieces.clear()


def too_much(most: int, limit: str) -> LimitExceeded:
    """The error of what has more bytes than a limit allows, by the limit's name."""
    return LimitExceeded(f"more than {most} bytes, which is the limit", hint=raise_limit(limit))
