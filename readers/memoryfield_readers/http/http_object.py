"""One archive behind a URL, read by range: one version of it, or an error."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from typing import Protocol

from ..display import shown
from ..errors import (
    AccessDenied,
    LimitExceeded,
    NotFound,
    PageError,
    SourceChanged,
    SourceUnavailable,
)
from ..transfer.doubts import NO_LENGTH, NO_VERSION
from ..transfer.options import TransferOptions
from ..transfer.ranged import Tail
from ..transfer.sink import Sink
from .answer import Answer
from .client import GoOn, HttpClient
from .html_document import is_said_to_be_html
from .parts import Cut, TailOrWhole
from .rest import AS_IT_IS, Rest
from .version import Part, Version, part_of, size_without_part

_AT_ONCE = 4
# How often the whole file is asked for because a part could not be had: once for each request that
# may be on its way when a server turns out to have no parts any more.
_MOST_WHOLES = _AT_ONCE
_HTML_STARTS = (b"<!doctype html", b"<html")
_END_RECORD = b"PK\x05\x06"

_OTHER_VERSION = "it has another version now"

_OK, _PARTIAL, _NO_SUCH_VERSION, _NO_SUCH_RANGE, _NOT_IMPLEMENTED = 200, 206, 412, 416, 501


class Fetcher(Protocol):
    """What a file is asked for with: an `HttpClient`, or what adds to its requests."""

    def fetch(
        self,
        url: str,
        sink: Sink,
        *,
        headers: Mapping[str, str],
        ok: Collection[int],
        go_on: GoOn | None = None,
    ) -> Answer:
        """One whole answer, its body in the sink; see `HttpClient.fetch`."""
        ...


class HttpObject:
    """A file behind a URL, as a `RangedObject`."""

    def __init__(
        self,
        url: str,
        options: TransferOptions,
        *,
        location: str,
        client: Fetcher | None = None,
        knows_ends: bool = True,
    ) -> None:
        """Name the file; nothing is asked for yet.

        Arguments:
            url: where it is; may hold a signature, which is never shown.
            options: how it is reached.
            location: what messages call it.
            client: what to ask with, which stays open; None for one of its own.
            knows_ends: whether the server gives the last bytes without being told where they begin;
                one that gives the whole in their place is better asked for the size first.
        """
        self.at_once = _AT_ONCE
        self.came_from: str | None = None
        self.resolved: str | None = None
        self._notes: tuple[str, ...] = ()
        self._location = location
        self._own: HttpClient | None = None
        if client is None:
            client = self._own = HttpClient(options, location=location)
        self._client = client
        self._knows_ends = knows_ends
        self._url = url
        # Where redirects led: asked first, as long as it answers.
        self._near = url
        self._size = 0
        self._version = Version()
        self._wholes = 0
        self._lock = threading.Lock()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how it is read, and of its own client."""
        return self._notes if self._own is None else (*self._own.notes, *self._notes)

    def tail(self, most: int, whole: Sink) -> Tail:
        """The last bytes of the file, up to `most`, or all of it; see `RangedObject`."""
        sink = TailOrWhole(most, whole)
        if not self._knows_ends:
            return self._tail_by_size(sink, most)
        ok = (_OK, _PARTIAL, _NO_SUCH_RANGE, _NOT_IMPLEMENTED)
        answer = self._ask(sink, {"Range": f"bytes=-{most}"}, ok)
        if answer.status == _OK:
            return self._all_came(answer, sink)
        part = part_of(answer.headers) if answer.status == _PARTIAL else None
        if part is not None and part.end == part.size and part.bytes == sink.taken:
            if part.start == max(0, part.size - most):
                return self._end_came(answer, sink, part)
            if part.start == 0:
                return self._all_came(answer, sink)
        sink.restart()
        if answer.status == _PARTIAL:
            return self._tail_of_all(sink)
        if size_without_part(answer.headers) == 0:
            self._learn(answer, 0)
            return Tail(0, b"")
        return self._tail_by_size(sink, most)

    def save(self, start: int, end: int, sink: Sink) -> None:
        """Put the bytes from `start` up to `end` into a sink; see `RangedObject`."""
        exact = Cut(sink, 0, end - start, end - start)
        if not self._part_came(start, end, exact):
            exact.restart()
            self._save_of_all(start, end, sink)

    def close(self) -> None:
        """Let go of the connections, if they are its own."""
        if self._own is not None:
            self._own.close()

    def _part_came(self, start: int, end: int, exact: Cut) -> bool:
        """Ask for a part; whether it is there now, and not something else in its place."""
        rest = Rest(start, end, self._size, self._version, exact)
        try:
            answer = self._ask(exact, rest.headers, (_OK, _PARTIAL, _NO_SUCH_RANGE), rest)
        except LimitExceeded:
            if not exact.overflowed:
                raise
            return False  # more than the part: most likely the whole
        self._check_version(answer)
        if answer.status == _OK:
            if rest.at != start:  # its bytes came behind others
                return False
            self._check_all(answer, exact)
            return True
        if answer.status == _NO_SUCH_RANGE:
            if size_without_part(answer.headers) != self._size:
                raise self._changed(f"it has no bytes {start} to {end} any more")
            return False
        part = part_of(answer.headers)
        if part is not None and part.size != self._size:
            raise self._changed(f"it has {part.size} bytes now, not {self._size}")
        return part == (rest.at, end, self._size) and exact.taken == end - start

    def _ask(
        self,
        sink: Sink,
        headers: Mapping[str, str],
        ok: Collection[int],
        rest: Rest | None = None,
    ) -> Answer:
        """Ask where redirects led the last time, and from the start if that is no more.

        Arguments:
            sink: where the body goes.
            headers: what is asked for.
            ok: the statuses that are wanted.
            rest: what is asked for where a body broke off; None for all of it again.
        """
        headers = {**headers, **AS_IT_IS}
        near = self._near
        if near != self._url:
            try:
                return self._client.fetch(near, sink, headers=headers, ok=ok, go_on=rest)
            except (AccessDenied, NotFound):  # signed addresses expire
                if rest is None:
                    sink.restart()
                else:
                    headers, _ = rest(None)
        answer = self._client.fetch(self._url, sink, headers=headers, ok=ok, go_on=rest)
        self._near = answer.final_url
        self.came_from = answer.url if self._near != self._url else None
        return answer

    def _tail_by_size(self, sink: TailOrWhole, most: int) -> Tail:
        """The end, of a server that has parts, but wants to be told where they begin."""
        answer = self._ask(sink, {"Range": "bytes=0-0"}, (_OK, _PARTIAL, _NO_SUCH_RANGE))
        if answer.status == _OK:
            return self._all_came(answer, sink)
        sink.restart()
        if size_without_part(answer.headers) == 0:
            self._learn(answer, 0)
            return Tail(0, b"")
        part = part_of(answer.headers)
        if part is None:
            return self._tail_of_all(sink)
        self._learn(answer, part.size)
        self.save(max(0, part.size - most), part.size, sink)
        return self._end_came(answer, sink, part)

    def _tail_of_all(self, sink: TailOrWhole) -> Tail:
        """The whole file, of a server whose parts cannot be relied upon."""
        answer = self._ask(sink, {}, (_OK,))
        return self._all_came(answer, sink)

    def _end_came(self, answer: Answer, sink: TailOrWhole, part: Part) -> Tail:
        if is_said_to_be_html(answer.headers) and _END_RECORD not in sink.data:
            raise self._html(answer)
        self._learn(answer, part.size)
        return Tail(part.size, sink.data)

    def _all_came(self, answer: Answer, sink: TailOrWhole) -> Tail:
        sink.is_the_whole()
        start = sink.head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        if start.startswith(_HTML_STARTS) or (
            is_said_to_be_html(answer.headers) and not start.startswith(b"pk")
        ):
            raise self._html(answer)
        self._learn(answer, sink.taken)
        if not answer.measured:
            self._notes += (NO_LENGTH,)
        return Tail(sink.taken, b"", whole=True)

    def _learn(self, answer: Answer, size: int) -> None:
        self._size = size
        self._version = Version.of(answer.headers)
        self._notes = () if self._version.is_known else (NO_VERSION,)

    def _save_of_all(self, start: int, end: int, sink: Sink) -> None:
        """Cut a part out of the whole file, all of which has to pass by."""
        with self._lock:
            self._wholes += 1
            if self._wholes > _MOST_WHOLES:
                raise SourceUnavailable(
                    "the server does not give the parts of it that are asked for",
                    location=self._location,
                    hint="download it whole, and read that",
                )
        cut = Cut(sink, start, end, self._size)
        try:
            answer = self._ask(cut, self._version.whole_condition, (_OK, _NO_SUCH_VERSION))
        except LimitExceeded:
            if not cut.overflowed:
                raise
            raise self._changed(f"it has more than {self._size} bytes now") from None
        if answer.status == _NO_SUCH_VERSION:
            raise self._changed(_OTHER_VERSION)
        self._check_version(answer)
        self._check_all(answer, cut)

    def _check_version(self, answer: Answer) -> None:
        if self._version.differs(Version.of(answer.headers)):
            raise self._changed(_OTHER_VERSION)

    def _check_all(self, answer: Answer, cut: Cut) -> None:
        """See that a whole body was that of the file whose end was read."""
        if cut.taken == self._size:
            return
        if not answer.measured:
            raise SourceUnavailable(
                f"its body ended after {cut.taken} of {self._size} bytes", location=self._location
            )
        raise self._changed(f"it has {cut.taken} bytes now, not {self._size}")

    def _changed(self, what: str) -> SourceChanged:
        return SourceChanged(
            f"it changed while it was being read: {what}",
            location=self._location,
            hint="read it again",
        )

    def _html(self, answer: Answer) -> PageError:
        return PageError(
            f"an HTML page came in place of an archive, from {shown(answer.url, 400)}",
            location=self._location,
            hint="it may be a login or error page: open the address in a browser",
        )
