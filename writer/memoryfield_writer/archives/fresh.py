"""Entries that are written anew into an archive that is not in the canonical form."""

from __future__ import annotations

import struct
import zlib
from datetime import UTC, datetime
from typing import Final, NamedTuple

from memoryfield_readers import ImageEntry, name_key
from memoryfield_readers.canonical_archive.records import DEFLATED, FIRST_DATE, STORED, EntryHeader

_RATIO_FLOOR_BYTES: Final = 1024 * 1024
"""Up to this size a reader takes entries that are compressed to any ratio (MF607)."""

_FIRST_YEAR: Final = 1980
_LAST_YEAR: Final = 2107
_LEVEL: Final = 6

_MADE_BY: Final = struct.Struct("<4xH")
_TIME: Final = struct.Struct("<12x2H")
_ATTRIBUTES: Final = struct.Struct("<38xL")


class Entry(NamedTuple):
    """An entry to write.

    Attributes:
        path: its name.
        header: what its records say.
        data: what stands in the archive.
        content: what it holds.
    """

    path: str
    header: EntryHeader
    data: bytes
    content: bytes


def entry_of(
    path: str,
    content: bytes,
    method: int,
    now: datetime,
    ratio: int,
    *,
    like: ImageEntry | None = None,
    keep_time: bool = False,
) -> Entry:
    """An entry to write.

    Arguments:
        path: its name.
        content: what it holds.
        method: STORED or DEFLATED.
        now: the time, aware of its zone.
        ratio: what deflates to less than its size by this is stored: no reader would take it.
        like: the entry whose attributes it takes over.
        keep_time: whether it takes over its time as well.
    """
    data = content
    if method == DEFLATED:
        data = _deflated(content)
        if len(content) > max(_RATIO_FLOOR_BYTES, len(data) * ratio):
            method, data = STORED, content
    time, date = _dos(now)
    header = EntryHeader(
        name_key(path), zlib.crc32(content), len(content), len(data), method, time, date
    )
    if like is not None:
        (made_by,) = _MADE_BY.unpack_from(like.record)
        (attributes,) = _ATTRIBUTES.unpack_from(like.record)
        header = header._replace(made_by=made_by, attributes=attributes)
        if keep_time:
            time, date = _TIME.unpack_from(like.record)
            header = header._replace(time=time, date=date)
    return Entry(path, header, data, content)


def _deflated(content: bytes) -> bytes:
    deflater = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflater.compress(content) + deflater.flush()


def _dos(moment: datetime) -> tuple[int, int]:
    """A time in UTC as MS-DOS has it; what is before or after its years is their first or last."""
    moment = moment.astimezone(UTC)
    if moment.year < _FIRST_YEAR:
        return 0, FIRST_DATE
    if moment.year > _LAST_YEAR:
        moment = datetime(_LAST_YEAR, 12, 31, 23, 59, 58, tzinfo=UTC)
    time = moment.hour << 11 | moment.minute << 5 | moment.second // 2
    date = (moment.year - _FIRST_YEAR) << 9 | moment.month << 5 | moment.day
    return time, date
