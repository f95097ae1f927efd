"""Datetimes of frontmatter: which texts are ones, and which are in order (MF308-MF310).

Only calendar dates in the extended form count: no week dates, no ordinal dates, no basic form.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

_DATETIME = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"(?:[Tt ](?P<hour>[0-9]{2})"
    r"(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]+))?)?)?"
    r"(?P<offset>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_RFC_3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
    r"(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_USUAL = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")
"""The form that nearly all have, which Python reads at once and in no other way than is meant."""
_LONGEST_REMEMBERED = 64
_AFTER_ALL_DIGITS = ":"
_EASTERNMOST = timedelta(hours=14)
_WESTERNMOST = timedelta(hours=-12)


class Moment(NamedTuple):
    """A date or datetime that the calendar has.

    Attributes:
        local: what the clock on the wall said, to the second; midnight for a date alone.
        fraction: the digits of the second's fraction without zeros at the end: as text they are in
            the order of what they stand for, however many there are. A leap second is in second 59,
            after all fractions of it.
        offset: how far it is ahead of UTC, or None where the text does not say.
        whole_day: whether it is a date alone.
    """

    local: datetime
    fraction: str
    offset: timedelta | None
    whole_day: bool


def read_moment(text: str) -> Moment | None:
    """The moment that an ISO 8601 date or datetime names, or None if it names none (MF308)."""
    return _remembered(text) if len(text) <= _LONGEST_REMEMBERED else _read(text)


def _read(text: str) -> Moment | None:
    if _USUAL.fullmatch(text):
        try:
            return Moment(datetime.fromisoformat(text[:-1]), "", timedelta(), whole_day=False)
        except ValueError:
            return None
    match = _DATETIME.fullmatch(text)
    if match is None:
        return None
    second = int(match["second"] or 0)
    minute = int(match["minute"] or 0)
    fraction = (match["fraction"] or "").rstrip("0")
    if second == 60 and minute == 59:
        second = 59  # a leap second; the calendar of `datetime` has none
        fraction = _AFTER_ALL_DIGITS + fraction
    try:
        local = datetime(
            int(match["year"]), int(match["month"]), int(match["day"]),
            int(match["hour"] or 0), minute, second,
        )  # fmt: skip
        offset = _read_offset(match["offset"])
    except ValueError:
        return None
    return Moment(local, fraction, offset, match["hour"] is None)


_remembered = lru_cache(maxsize=256)(_read)  # several rules ask about the dates of some pages


def is_rfc_3339(text: str) -> bool:
    """Whether a text has the form of an RFC 3339 datetime: a time and an offset (MF309)."""
    return _RFC_3339.fullmatch(text) is not None


def is_before(earlier: Moment, later: Moment) -> bool:
    """Whether one moment is surely before another, whatever offset a text leaves open (MF310)."""
    if earlier.offset is None and later.offset is None:
        if earlier.whole_day or later.whole_day:
            return earlier.local.date() < later.local.date()
        return (earlier.local, earlier.fraction) < (later.local, later.fraction)
    end, start = _latest(earlier), _earliest(later)
    if earlier.whole_day:
        return end <= start[0]
    return (end, earlier.fraction) < start


def _latest(moment: Moment) -> timedelta:
    """The latest second it can be in, or the end of its day: the first that it cannot be in.

    It is counted from the first day of the calendar, for an offset can lead beyond either end.
    """
    end = timedelta(days=1) if moment.whole_day else timedelta()
    return moment.local - datetime.min + end - _or(moment.offset, _WESTERNMOST)


def _earliest(moment: Moment) -> tuple[timedelta, str]:
    second = moment.local - datetime.min - _or(moment.offset, _EASTERNMOST)
    return second, moment.fraction


def _or(offset: timedelta | None, unknown: timedelta) -> timedelta:
    return unknown if offset is None else offset


def _read_offset(text: str | None) -> timedelta | None:
    if text is None:
        return None
    if text in "Zz":
        return timedelta()
    hours, minutes = int(text[1:3]), int(text[3:].lstrip(":") or 0)
    if hours > 23 or minutes > 59:
        raise ValueError(text)
    offset = timedelta(hours=hours, minutes=minutes)
    return -offset if text[0] == "-" else offset
