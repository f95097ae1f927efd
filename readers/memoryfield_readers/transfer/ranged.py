"""The seam between a transport and an archive: one file elsewhere, read by range."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .sink import Sink


class Tail(NamedTuple):
    """The end of a file.

    Attributes:
        size: bytes of the whole file.
        data: its last bytes; empty if the whole file was put into the sink.
        whole: whether the whole file was put into the sink, as where there are no ranges.
    """

    size: int
    data: bytes
    whole: bool = False


class RangedObject(Protocol):
    """One file elsewhere; every answer is of one and the same version of it.

    All that it raises is a `MemoryfieldError`, whose message holds no credential.

    Attributes:
        at_once: how many ranges may be asked for at the same time.
    """

    at_once: int

    @property
    def came_from(self) -> str | None:
        """The URL that gave it in the end, fit to be shown; None where that says nothing."""
        ...

    @property
    def resolved(self) -> str | None:
        """The location with what the transport pinned it to (a commit, a version), or None."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how it was found and is read, one line each."""
        ...

    def tail(self, most: int, whole: Sink) -> Tail:
        """The last bytes of the file, up to `most`, in one request.

        Where the transport has no ranges, all bytes go into `whole`, and are asked for once.

        Raises:
            NotFound, AccessDenied, SourceUnavailable: the file cannot be had.
            LimitExceeded: it is larger than the sink takes.
        """
        ...

    def save(self, start: int, end: int, sink: Sink) -> None:
        """Put the bytes from `start` up to `end` into a sink; it may be called from threads.

        Exactly `end - start` bytes, 0 <= start < end <= size; the whole file is one such range.

        Raises:
            SourceChanged: the file is another one than its tail was read of.
            SourceUnavailable: the range cannot be had.
        """
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...
