"""Archives as most programs write them, listed in one go.

An archive is plain when nothing in it needs a second look: each record of the central directory is
of the simplest form, each local header is byte for byte what its record implies, and the entries
tile the file in the order of the directory. Of such an archive the careful judges (`zip_directory`)
would find just the same members and no fault. Nothing is judged here: whatever is not plain, or
only just within a limit, is theirs, so that there is one judge.
"""

from __future__ import annotations

import re
import struct
from typing import Final

from ..limits import Limits
from . import zip_records as zr
from .random_access import RandomAccess
from .zip_end import Ending
from .zip_member import (
    DEFLATED,
    DOS_FOLDER,
    DOS_VOLUME_LABEL,
    NEWEST_VERSION,
    RATIO_FLOOR_BYTES,
    STORED,
    Member,
    modified_ns,
)

_RECORD: Final = struct.Struct("<L2x3H4LHLH2x2L")
"""A file header; its time and date are one number, and so are the lengths of what follows the name:
the extra fields and the comment.
"""

_SIGNATURE: Final = int.from_bytes(zr.CENTRAL_SIGNATURE, "little")

_LIKE_LOCAL_FROM: Final = 6
_LIKE_LOCAL_TO: Final = 32
"""What of a file header stands in a local one, too: from the version to the length of the extra
fields. In the local one the name follows at once."""

_NOT_PLAIN_FLAGS: Final = 0xFFFF & ~zr.UTF8_NAME
_NOT_REGULAR: Final = 0x7000 << 16 | DOS_VOLUME_LABEL | DOS_FOLDER
"""Attributes that neither a regular file has nor one of unknown type."""

_NOT_PLAIN_NAME: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\\/:]")
_NOT_NAMES: Final = ("", ".", "..")

_WINDOW_BYTES: Final = 256 * 1024
"""Local headers that lie near each other are read with what is between them."""
_NEAR_BYTES: Final = 16 * 1024


def plain_members(
    file: RandomAccess, ending: Ending, records: bytes, limits: Limits
) -> tuple[Member, ...] | None:
    """The entries of an archive without any peculiarity; None where there is one, of any kind.

    Arguments:
        file: the archive.
        ending: its end.
        records: the bytes of its central directory.
        limits: how much to take.

    Raises:
        OSError: it cannot be read.
    """
    if ending.faults or ending.shift or not ending.entries:
        return None
    rows = []
    stamps: dict[int, int] = {}
    window, window_at, window_end = b"", 0, 0
    most, ratio, directory_at = limits.file_bytes, limits.ratio, ending.start
    unpack = _RECORD.unpack_from
    last = len(records) - zr.CENTRAL_BYTES
    place = at = total = 0
    for _ in range(ending.entries):
        if place > last:
            return None
        (signature, version, flags, method, stamp, crc, compressed, size, name_bytes, more, disk,
         attributes, offset) = unpack(records, place)  # fmt: skip
        if (
            signature != _SIGNATURE
            or more
            or disk
            or offset != at
            or flags & _NOT_PLAIN_FLAGS
            or version & 0xFF > NEWEST_VERSION
            or attributes & _NOT_REGULAR
            or size >= most
            or (size != compressed if method == STORED else method != DEFLATED)
            or (size >= RATIO_FLOOR_BYTES and size >= compressed * ratio)
        ):
            return None
        name_at = place + zr.CENTRAL_BYTES
        next_place = name_at + name_bytes
        raw_name = records[name_at:next_place]
        try:
            name = raw_name.decode()
        except UnicodeDecodeError:
            return None
        if not (flags or raw_name.isascii()):
            return None
        local = records[place + _LIKE_LOCAL_FROM : place + _LIKE_LOCAL_TO]
        header = zr.LOCAL_SIGNATURE + local + raw_name
        data_at = at + len(header)
        end = data_at + compressed
        if end > directory_at:
            return None
        if data_at > window_end:
            wanted = _WINDOW_BYTES if end - at <= _NEAR_BYTES else len(header)
            window_at, window_end = at, max(data_at, min(at + wanted, directory_at))
            window = file.read_at(at, window_end - at)
        if not window.startswith(header, at - window_at):
            return None
        modified = stamps.get(stamp)
        if modified is None:
            modified = stamps[stamp] = modified_ns(stamp >> 16, stamp & 0xFFFF)
        rows.append((name, False, method, crc, compressed, size, modified, at, end, data_at))
        total += size
        at, place = end, next_place
    if place != len(records) or at != directory_at or total >= limits.total_bytes:
        return None
    if not _are_plain({row[0] for row in rows}, len(rows)):
        return None
    return tuple(map(Member._make, rows))


def _are_plain(names: set[str], count: int) -> bool:
    """Whether names differ, and are plain paths of one component each to every reader."""
    if len(names) != count or not names.isdisjoint(_NOT_NAMES):
        return False
    return _NOT_PLAIN_NAME.search("".join(names)) is None
