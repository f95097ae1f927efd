"""Conditional requests and ranges, as RFC 9110 has them (MF708)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from typing import TYPE_CHECKING

from .replies import Headers, Reply, Stretch, plain

if TYPE_CHECKING:
    from starlette.datastructures import Headers as RequestHeaders

_TAG = re.compile(r'(W/)?"([^"]*)"')
_RANGE = re.compile(r"([0-9]*)-([0-9]*)")
_MOST_DIGITS = 18
_MOST_DATE = 40
_OF_WHAT_IS_KEPT = frozenset({"cache-control", "content-security-policy", "vary"})
"""Headers that 304 has, too: a browser puts them in the place of those of what it has kept."""

_STRONG_AFTER = timedelta(seconds=60)
"""A time is a strong validator only if what it is of cannot have changed within its second."""


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes that can be asked for in part, and whether they are still the same.

    Attributes:
        size: how many there are.
        sha256: their hash, in hexadecimal; it is the strong tag.
        pieces: makes the bytes from one offset up to another.
        modified: when they were last changed, in UTC; None where that is not known.
        slow: whether making them takes so long that others would have to wait.
    """

    size: int
    sha256: str
    pieces: Callable[[int, int], Iterable[bytes]]
    modified: datetime | None = None
    slow: bool = False

    def stretch(self, start: int, end: int) -> Stretch:
        """The bytes from one offset up to another, to be sent."""
        return Stretch(end - start, lambda: self.pieces(start, end), self.slow)

    @classmethod
    def of(cls, raw: bytes, sha256: str, modified: datetime | None = None) -> Content:
        """Bytes that are there."""
        return cls(len(raw), sha256, lambda start, end: (raw[start:end],), modified)


def answer(
    content: Content, headers: Headers, asked: RequestHeaders, method: str, now: datetime
) -> Reply:
    """The whole content, a part of it, or that it is still the same.

    Several ranges in one request are answered with the whole; a range that cannot be understood
    is passed over; one that begins behind the end is refused with 416.

    Arguments:
        content: what was asked for.
        headers: what the answer says of it.
        asked: the headers of the request.
        method: GET or HEAD.
        now: the time, in UTC.
    """
    modified = content.modified
    if modified is not None:
        modified = modified.astimezone(UTC).replace(microsecond=0)
        if modified > now:
            modified = None  # a clock is wrong; what a cache makes of it would be, too
    same: Headers = (("etag", f'"{content.sha256}"'),)
    if modified is not None:
        same = (*same, ("last-modified", format_datetime(modified, usegmt=True)))
    ranged: Headers = (*headers, *same, ("accept-ranges", "bytes"))
    if not _precondition(content.sha256, modified, asked):
        return plain(412, "it is another one now", same)
    if _unchanged(content.sha256, modified, asked):
        kept = tuple(pair for pair in headers if pair[0] in _OF_WHAT_IS_KEPT)
        return Reply(304, (*kept, *same), None)
    wish = asked.get("range")
    part = None
    if wish is not None and method == "GET" and _if_range(content.sha256, modified, asked, now):
        part = _part(wish, content.size)
    if part is None:
        return Reply(200, ranged, content.stretch(0, content.size))
    start, end = part
    if start >= end:
        size = (("content-range", f"bytes */{content.size}"),)
        return plain(416, "there is no such part", (*same, *size))
    where = ("content-range", f"bytes {start}-{end - 1}/{content.size}")
    return Reply(206, (*ranged, where), content.stretch(start, end))


def _precondition(tag: str, modified: datetime | None, asked: RequestHeaders) -> bool:
    listed = asked.getlist("if-match")
    if listed:
        return _lists(listed, tag, weakly=False)
    since = _date(asked.get("if-unmodified-since"))
    return since is None or modified is None or modified <= since


def _unchanged(tag: str, modified: datetime | None, asked: RequestHeaders) -> bool:
    listed = asked.getlist("if-none-match")
    if listed:
        return _lists(listed, tag, weakly=True)
    since = _date(asked.get("if-modified-since"))
    return since is not None and modified is not None and modified <= since


def _if_range(tag: str, modified: datetime | None, asked: RequestHeaders, now: datetime) -> bool:
    condition = asked.get("if-range")
    if condition is None:
        return True
    if '"' in condition:
        return condition.strip() == f'"{tag}"'
    date = _date(condition)
    return date is not None and date == modified and now - date >= _STRONG_AFTER


def _lists(listed: list[str], tag: str, *, weakly: bool) -> bool:
    text = ",".join(listed)
    if text.strip() == "*":
        return True
    return any(value == tag and (weakly or not weak) for weak, value in _TAG.findall(text))


def _date(text: str | None) -> datetime | None:
    """A date of HTTP; None for what is none."""
    if text is None or len(text) > _MOST_DATE:
        return None
    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _part(wish: str, size: int) -> tuple[int, int] | None:
    """Where the one range begins and ends; None where all is to be sent.

    A range that cannot be satisfied ends where it begins.
    """
    unit, _, text = wish.partition("=")
    if unit.strip().lower() != "bytes":
        return None
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        return None
    first, last = (_number(each) for each in found.groups())
    if first is None:
        if last is None:
            return None
        return max(0, size - last), size
    if last is None:
        return min(first, size), size
    if last < first:
        return None
    return min(first, size), min(last + 1, size)


def _number(digits: str) -> int | None:
    """A number, or one that is as good where it is beyond all sizes."""
    if not digits:
        return None
    digits = digits.lstrip("0")
    return int(digits or "0") if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS
