"""What is known of an entry of a ZIP file once it is judged safe to read."""

from __future__ import annotations

import calendar
from functools import lru_cache
from typing import NamedTuple

from ..limits import MIB
from .zip_frames import Frame

STORED = 0
DEFLATED = 8
RATIO_FLOOR_BYTES = 1 * MIB
"""Entries up to this size may be compressed to any ratio: they cannot hurt."""
NEWEST_VERSION = 45
"""What zip64 needs; readers leave out entries that need more than they know."""

DOS_VOLUME_LABEL = 0x08
DOS_FOLDER = 0x10

_FIRST_DAY_NS = calendar.timegm((1980, 1, 1, 0, 0, 0)) * 1_000_000_000
_DAYS_KEPT = 1024


class Member(NamedTuple):
    """One entry that is safe to read.

    Attributes:
        path: its name, without the slash at the end of a folder's.
        folder: whether it stands for a folder.
        method: STORED or DEFLATED.
        crc: the CRC-32 of its content.
        compressed: bytes in the archive.
        size: bytes of its content.
        modified_ns: its timestamp taken as UTC, in nanoseconds since 1970.
        start: offset of its local header in the file.
        end: offset at which the next entry or the central directory begins.
        data_at: offset of its compressed bytes in the file; until its local header is read, what
            that is to be judged by.
    """

    path: str
    folder: bool
    method: int
    crc: int
    compressed: int
    size: int
    modified_ns: int
    start: int
    end: int
    data_at: int | Frame

    @property
    def span(self) -> tuple[int, int]:
        """The offsets at which it begins and ends: local header, data and data descriptor."""
        return self.start, self.end


def modified_ns(date: int, time: int) -> int:
    """An MS-DOS timestamp taken as UTC; one that no calendar has is 1980-01-01."""
    day = _day_ns(date)
    if day is None:
        return _FIRST_DAY_NS
    hour, minute, second = time >> 11, time >> 5 & 63, (time & 31) * 2
    if hour > 23 or minute > 59 or second > 59:
        return day
    return day + (hour * 3600 + minute * 60 + second) * 1_000_000_000


@lru_cache(_DAYS_KEPT)
def _day_ns(date: int) -> int | None:
    """The beginning of a day, or None where there is no such day."""
    year, month, day = 1980 + (date >> 9), date >> 5 & 15, date & 31
    if not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    return calendar.timegm((year, month, day, 0, 0, 0)) * 1_000_000_000
