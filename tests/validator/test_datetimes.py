"""Datetimes are read as the standard library reads them, and compared without guessing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryfield_validator.datetimes import Moment, is_before, is_rfc_3339, read_moment

OFFSETS = [timedelta(hours=hours) for hours in (-12, -11, -5, 0, 1, 13, 14)]


def written(parts: tuple[int, int, int, int, int, int, str, str, str]) -> str:
    """A datetime of parts that may be out of range, in one of many spellings."""
    year, month, day, hour, minute, second, separator, fraction, offset = parts
    clock = f"{hour:02}:{minute:02}:{second:02}{fraction}"
    return f"{year:04}-{month:02}-{day:02}{separator}{clock}{offset}"


def spellings(count: int) -> Iterator[str]:
    """So many of them, the same ones each time."""
    chosen = Random(count)
    for _ in range(count):
        yield written((
            chosen.choice([chosen.randint(0, 9999), 0, 1, 1900, 2000, 2024, 9999]),
            chosen.randint(0, 13),
            chosen.choice([chosen.randint(0, 32), 28, 29, 30, 31]),
            chosen.randint(0, 25),
            chosen.randint(0, 61),
            chosen.randint(0, 62),
            chosen.choice(["T", "t", " "]),
            chosen.choice(["", ".5", ".123456", ".123456789", ",25"]),
            chosen.choice(["", "Z", "+00:00", "-05:30", "+14:00", "+23:59", "+24:00", "-0500",
                           "+01", "+01:60"]),
        ))  # fmt: skip


def by_library(text: str) -> datetime | None:
    """What the standard library makes of a text."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def test_library_reads_the_same() -> None:
    """Where both apply, they agree on what is a datetime, and on which one."""
    known = ["2026-02-29T00:00:00Z", "2024-02-29T00:00:00Z", "2026-08-22T14:30:00.999999999Z"]
    read = [assert_read_the_same(text) for text in (*known, *spellings(20_000))]
    assert 2_000 < sum(read) < 18_000  # there are many of both


def assert_read_the_same(text: str) -> bool:
    """Whether both take a text for a datetime, the same one; neither may do so alone."""
    ours, theirs = read_moment(text), by_library(text)
    second, hour = text[17:19], text[11:13]
    if second == "60" or hour == "24":
        return False  # leap seconds are ours alone, and midnight at the end of a day is theirs
    if text.endswith(":60"):
        theirs = None  # some versions of the library take 60 minutes for an hour
    assert (ours is None) == (theirs is None), text
    if ours is not None and theirs is not None:
        assert ours.local == theirs.replace(tzinfo=None, microsecond=0)
        assert ours.fraction[:6] == f"{theirs.microsecond:06}".rstrip("0")
        assert ours.offset == theirs.utcoffset()
        assert not ours.whole_day
    return ours is not None


@given(st.dates())
def test_every_date_is_one(day: object) -> None:
    """A date alone is a moment that stands for its day."""
    moment = read_moment(str(day))
    assert moment is not None
    assert moment.whole_day
    assert moment.offset is None
    assert str(moment.local.date()) == str(day)


@given(st.datetimes(), st.timedeltas(timedelta(hours=-23), timedelta(hours=23)))
def test_what_the_library_writes_is_complete(local: datetime, offset: timedelta) -> None:
    """`isoformat` with an offset of whole minutes is a full RFC 3339 datetime."""
    minutes = timedelta(minutes=offset // timedelta(minutes=1))
    text = local.replace(tzinfo=timezone(minutes)).isoformat()
    moment = read_moment(text)
    fraction = f"{local.microsecond:06}".rstrip("0")
    second = local.replace(microsecond=0)
    assert moment == Moment(second, fraction, minutes, whole_day=False)
    assert is_rfc_3339(text)
    assert not is_rfc_3339(local.isoformat())


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59"),
        ("2016-12-31T12:59:60.9", "2016-12-31T12:59:59"),
        ("2026-03-29T02:30:00+01:00", "2026-03-29T02:30:00"),
        ("2026-08-22 14", "2026-08-22T14:00:00"),
        ("2026-08-22T14:30-05", "2026-08-22T14:30:00"),
    ],
)
def test_local_time_is_what_the_clock_said(text: str, local: str) -> None:
    """Second 60 counts as 59; what is left out is 0; no clock is put forward or back."""
    moment = read_moment(text)
    assert moment is not None
    assert moment.local.isoformat() == local


@pytest.mark.parametrize(
    "text",
    [
        "2026-08-22T14:58:60Z",
        "2016-12-31T23:59:61Z",
        "2026-W10-1",
        "2026-08-22\n",
        "\u0662026-01-01",
    ],
)
def test_what_is_no_moment(text: str) -> None:
    """A second 60 elsewhere, week dates, line ends and other digits are none."""
    assert read_moment(text) is None


def instants(moment: Moment) -> list[datetime]:
    """The first and last instants that a moment can mean, for each offset that it leaves open."""
    offsets = OFFSETS if moment.offset is None else [moment.offset]
    ends = [timedelta(), timedelta(days=1, microseconds=-1)] if moment.whole_day else [timedelta()]
    local = moment.local.replace(tzinfo=UTC)
    return [local + end - offset for end, offset in product(ends, offsets)]


MOMENTS = st.builds(
    lambda minutes, offset, whole_day: Moment(
        datetime(2026, 3, 1) + timedelta(days=minutes // 1440) if whole_day
        else datetime(2026, 3, 1) + timedelta(minutes=minutes),
        "",
        None if whole_day else offset,
        whole_day,
    ),
    st.integers(-4000, 4000).map(lambda n: n // 30 * 30),
    st.none() | st.sampled_from(OFFSETS),
    st.booleans(),
)  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(MOMENTS, MOMENTS)
def test_order_is_told_only_where_it_is_sure(one: Moment, other: Moment) -> None:
    """One is before the other if it is so for each instant that either can mean."""
    if one.offset is None and other.offset is None:
        days = one.whole_day or other.whole_day
        sure = one.local.date() < other.local.date() if days else one.local < other.local
    else:
        sure = max(instants(one)) < min(instants(other))
    assert is_before(one, other) == sure
    assert not (is_before(one, other) and is_before(other, one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59-12:00"),
        ("0001-01-01T00:00:00+14:00", "9999-12-31"),
        ("0001-01-01", "9999-12-31T23:59:59-12:00"),
    ],
)
def test_order_holds_at_the_ends_of_the_calendar(one: str, other: str) -> None:
    """An instant that no calendar of the library has can be compared all the same."""
    first, second = read_moment(one), read_moment(other)
    assert first is not None
    assert second is not None
    assert is_before(first, second)
    assert not is_before(second, first)
