"""An archive elsewhere as a file with random access: what is read once is here from then on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from threading import Lock
from typing import TypeAlias

from ..errors import MemoryfieldError, SourceChanged
from ..limits import Limits
from .partial import NotKept, PartialFile
from .progress import Watch, unwatched
from .ranged import RangedObject, Tail
from .side_by_side import side_by_side
from .sink import Bounded, too_much
from .spool import TemporaryBytes

Span: TypeAlias = tuple[int, int]
"""Bytes from an offset up to another one."""

TAIL_BYTES = 22 + 0xFFFF
"""The end record of a ZIP file and the longest comment: what is asked for first."""

GAP_BYTES = 32 * 1024
"""So many bytes that nobody wants are fetched rather than asking twice."""

REQUEST_BYTES = 8 * 1024 * 1024
"""More bytes than these are asked for in several requests, side by side."""

NOTED_BYTES = 256 * 1024
"""After so many bytes it is written down what of a partial file is there."""


class RangedFile:
    """A `RandomAccess` over one file elsewhere; see `sources.random_access`.

    Attributes:
        size: bytes of the file.
        resolved: what its transport pinned it to, or None.
        notes: what a person should know of how it was reached.
        resumed: whether bytes are taken for those of the file that were here before.
    """

    def __init__(
        self,
        remote: RangedObject,
        limits: Limits,
        watch: Watch = unwatched,
        *,
        partial: PartialFile | None = None,
    ) -> None:
        """Ask for the end of the file; where there are no ranges, all of it comes.

        Arguments:
            remote: the file.
            limits: `archive_bytes` bounds what is fetched of it.
            watch: is told how far a long transfer is.
            partial: where it is kept, and what of it may be there already; it is closed with this.
                Without ranges all of it comes anew. None for a temporary file.

        Raises:
            NotFound, AccessDenied, SourceUnavailable: the file cannot be had.
            LimitExceeded: it comes whole, and is larger than the limit.
        """
        self._remote = remote
        self._limits = limits
        self._watch = watch
        self._bytes = TemporaryBytes() if partial is None else partial
        self._partial = partial
        self._here: list[Span] = []
        self._lock = Lock()
        self._telling = Lock()
        self._done = self._total = 0
        self.resumed = False
        sink = _AtOffset(self._bytes, 0, limits.archive_bytes)
        if partial is not None:
            sink = _Anew(partial, 0, limits.archive_bytes)
        try:
            tail = remote.tail(TAIL_BYTES, sink)
            self.size = tail.size
            self.resolved = remote.resolved
            self.notes = remote.notes
            if tail.whole:
                self._add((0, tail.size))
            else:
                start = tail.size - len(tail.data)
                if partial is not None:
                    self._resume(partial, tail)
                self._bytes.write_at(start, tail.data)
                self._add((start, tail.size))
        except MemoryfieldError as error:
            # Where all of it was to come, nobody could go on from what did.
            if partial is not None and (sink.taken or isinstance(error, NotKept)):
                partial.remove()
            self.close()
            raise

    @property
    def came_from(self) -> str | None:
        """The URL that gave it in the end, fit to be shown; None where that says nothing."""
        return self._remote.came_from

    @property
    def is_whole(self) -> bool:
        """Whether every byte is here."""
        return not self._missing([(0, self.size)])

    def has(self, span: Span) -> bool:
        """Whether all bytes of a span are here."""
        start, end = span
        here = self._here  # replaced as a whole, never changed
        at = bisect_right(here, start, key=_start) - 1
        return start == end or (at >= 0 and here[at][1] >= end)

    def bring(self, spans: Iterable[Span]) -> None:
        """Fetch what is missing of some spans, neighbours in one request, several at a time.

        Raises:
            LimitExceeded: it would be more than is ever fetched of a file.
            SourceChanged, SourceUnavailable: it cannot be had; what came before stays.
        """
        missing = self._missing(spans)
        if not missing:
            return
        wanted = list(_parts(_merged(missing)))
        total = sum(end - start for start, end in wanted)
        most = self._limits.archive_bytes
        if self.size > most and total + sum(end - start for start, end in self._here) > most:
            raise too_much(most, "total-bytes")
        self._done, self._total = 0, total
        for (start, end), outcome in side_by_side(self._fetch, wanted, self._remote.at_once):
            if isinstance(outcome, MemoryfieldError):
                raise outcome
            if self._partial is None:  # which tells more often
                self._tell(end - start)

    def bring_all(self) -> None:
        """Fetch the whole file; raises as `bring` does."""
        if self.size > self._limits.archive_bytes:
            raise too_much(self._limits.archive_bytes, "total-bytes")
        self.bring([(0, self.size)])

    def read_at(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`, fetched if need be; raises as `bring` does."""
        end = min(offset + length, self.size)
        if end <= offset:
            return b""
        if not self.has((offset, end)):
            self.bring([(offset, end)])
        return self._bytes.read_at(offset, end - offset)

    def close(self) -> None:
        """Let go of the connection and of what is here."""
        self._remote.close()
        self._bytes.close()

    def _fetch(self, span: Span) -> None:
        start, end = span
        sink = _AtOffset(self._bytes, start, end - start)
        if self._partial is not None:
            sink = _Noted(self._partial, start, end - start, self._tell)
        self._remote.save(start, end, sink)
        if sink.taken != end - start:
            raise SourceChanged(f"{sink.taken} bytes came where {end - start} were asked for")
        self._add(span)

    def _tell(self, more: int) -> None:
        """Tell who watches that so many bytes more are here."""
        with self._telling:
            self._done += more
            self._watch("bytes", self._done, self._total)

    def _resume(self, partial: PartialFile, tail: Tail) -> None:
        """Take what is here of the file already, unless its end is another one."""
        here = _merged(partial.spans(tail.size), gap=0)
        end_at = tail.size - len(tail.data)
        for start, end in here:
            at = max(start, end_at)
            known = tail.data[at - end_at : max(at, end) - end_at]
            if partial.read_at(at, len(known)) != known:
                partial.forget()
                here = partial.spans(tail.size)
                break
        self._here = here
        self.resumed = bool(here)

    def _add(self, span: Span) -> None:
        with self._lock:
            self._here = _merged([*self._here, span], gap=0)

    def _missing(self, spans: Iterable[Span]) -> list[Span]:
        here = self._here
        found: list[Span] = []
        for start, end in spans:
            if self.has((start, end)):
                continue
            at = start
            first = max(0, bisect_right(here, start, key=_start) - 1)
            for known_start, known_end in islice(here, first, None):
                if known_start >= end:
                    break
                if known_start > at:
                    found.append((at, known_start))
                at = max(at, known_end)
            if at < end:
                found.append((at, end))
        return found


class _AtOffset(Bounded):
    """A sink that writes from an offset on."""

    def __init__(self, bytes_: TemporaryBytes, start: int, most: int) -> None:
        super().__init__(most, "total-bytes")
        self._bytes = bytes_
        self._start = start
        self._at = start
        self._end = start + most

    def _keep(self, piece: bytes) -> None:
        self._bytes.write_at(self._at, piece)
        self._at += len(piece)

    def _forget(self) -> None:
        self._at = self._start


class _Noted(_AtOffset):
    """A sink into a partial file that writes down what is there, now and then, and tells it."""

    def __init__(
        self, partial: PartialFile, start: int, most: int, tell: Callable[[int], None]
    ) -> None:
        super().__init__(partial, start, most)
        self._partial = partial
        self._tell = tell
        self._noted = start

    def _keep(self, piece: bytes) -> None:
        super()._keep(piece)
        if self._at - self._noted >= NOTED_BYTES or self._at == self._end:
            self._partial.note((self._noted, self._at))
            self._tell(self._at - self._noted)
            self._noted = self._at

    def _forget(self) -> None:
        super()._forget()
        self._tell(self._start - self._noted)
        self._noted = self._start


class _Anew(_AtOffset):
    """A sink for the whole file, whose first byte is the end of what was there before."""

    def __init__(self, partial: PartialFile, start: int, most: int) -> None:
        super().__init__(partial, start, most)
        self._partial = partial

    def _keep(self, piece: bytes) -> None:
        if self._at == self._start:
            self._partial.forget()
        super()._keep(piece)


def _start(span: Span) -> int:
    return span[0]


def _merged(spans: Sequence[Span], gap: int = GAP_BYTES) -> list[Span]:
    """Spans in order, those joined that touch, overlap, or are no further apart than `gap`."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1] + gap:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _parts(spans: Iterable[Span]) -> Iterable[Span]:
    """Spans cut so that none is too long for one request."""
    for start, end in spans:
        for at in range(start, end, REQUEST_BYTES):
            yield at, min(at + REQUEST_BYTES, end)
