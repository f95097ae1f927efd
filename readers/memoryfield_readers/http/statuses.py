"""What the number of an answer means: absent, denied, changed, or busy and until when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import NamedTuple

from ..errors import AccessDenied, NotFound, SourceChanged, SourceUnavailable

MOST_WAIT = 60.0
"""Seconds that a server may ask to wait for; whoever asks for more is not waited for."""

_PASSING = (429, 502, 503, 504)
_BUSY = (429, 503)


class Meaning(NamedTuple):
    """What an answer means that is none of those that were wanted.

    Attributes:
        kind: the error for it.
        message: its text.
        passing: whether another try makes sense.
        wait: seconds that the server asks to wait before, or None.
        hint: what to do about it, or None.
        busy: for how many seconds the server wants to be left alone, as in `SourceUnavailable`.
    """

    kind: type[SourceUnavailable]
    message: str
    passing: bool = False
    wait: float | None = None
    hint: str | None = None
    busy: float | None = None


def meaning_of(status: int, headers: Mapping[str, str], now: datetime) -> Meaning:
    """What a status means, with the headers beside it.

    Arguments:
        status: the number.
        headers: the headers, by their names in lower case.
        now: the time that it is.
    """
    told = phrase(status)
    if status in (404, 410):
        return Meaning(NotFound, told)
    if status == 412:
        return Meaning(SourceChanged, told)
    after = _asked_wait(status, headers, now)
    if after is not None:
        seconds = max((after - now).total_seconds(), 0.0)
        busy = "rate limit reached" if status in (403, 429) else "busy"
        if seconds > MOST_WAIT:
            until = f"{after:%Y-%m-%d %H:%M:%S} UTC"
            message, hint = f"{told}: {busy} until {until}", f"try again after {until}"
            return Meaning(SourceUnavailable, message, hint=hint, busy=seconds)
        return Meaning(
            SourceUnavailable, f"{told}: {busy}", passing=True, wait=seconds, busy=seconds
        )
    if status == 403 and _is_used_up(headers):
        message, hint = f"{told}: rate limit reached", "try again later"
        return Meaning(SourceUnavailable, message, hint=hint, busy=0.0)
    if status in (401, 403):
        return Meaning(AccessDenied, told)
    return Meaning(
        SourceUnavailable,
        told,
        passing=status in _PASSING,
        busy=0.0 if status in _BUSY else None,
    )


def phrase(status: int) -> str:
    """The number and what it is called; never what the server calls it."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"status {status}"


def _asked_wait(status: int, headers: Mapping[str, str], now: datetime) -> datetime | None:
    """When the server wants to be asked again, if it says so."""
    if status not in (403, *_PASSING):
        return None
    after = _retry_after(headers.get("retry-after", ""), now)
    if after is not None:
        return after
    if status in (403, 429) and _is_used_up(headers):
        reset = _whole(headers.get("x-ratelimit-reset", ""))
        if reset is not None:
            return datetime.fromtimestamp(reset, UTC)
    return None


def _is_used_up(headers: Mapping[str, str]) -> bool:
    return headers.get("x-ratelimit-remaining", "").strip() == "0"


def _retry_after(text: str, now: datetime) -> datetime | None:
    """The time that `Retry-After` names, in seconds or as a date."""
    seconds = _whole(text)
    if seconds is not None:
        return now + timedelta(seconds=seconds)
    if not text or len(text) > 64:
        return None
    try:
        named = parsedate_to_datetime(text)
        return (named if named.tzinfo else named.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _whole(text: str) -> int | None:
    """A number that is neither negative nor beyond what a calendar knows."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 10):
        return None
    return int(digits)
