"""The raw records of a ZIP file whose entries have been proved, for who copies them (MF606)."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Final

from ..archive_image import ImageEntry
from . import zip_records as zr
from .zip_member import Member

_LENGTHS: Final = struct.Struct("<28x3H")
"""Of a file header: the lengths of its name, its extra fields and its comment."""


def image_entries(members: Iterable[Member], records: bytes) -> tuple[ImageEntry, ...]:
    """Every entry with its record.

    Arguments:
        members: all entries of an archive without fault, in the order of the central directory.
        records: the bytes of that directory.
    """
    found: list[ImageEntry] = []
    at = 0
    for path, folder, method, crc, compressed, size, _, start, end, _ in members:
        name_bytes, extra_bytes, comment_bytes = _LENGTHS.unpack_from(records, at)
        behind = at + zr.CENTRAL_BYTES + name_bytes + extra_bytes + comment_bytes
        record = records[at:behind]
        found.append(ImageEntry(path, folder, method, crc, compressed, size, start, end, record))
        at = behind
    return tuple(found)


def comment_of(ending: bytes) -> bytes | None:
    """The comment of an archive, from all bytes behind its central directory; None for no end."""
    for at in (0, zr.ZIP64_END_BYTES + zr.ZIP64_LOCATOR_BYTES):
        end = ending[at : at + zr.END_BYTES]
        if end.startswith(zr.END_SIGNATURE) and len(end) == zr.END_BYTES:
            comment = ending[at + zr.END_BYTES :]
            return comment if len(comment) == zr.comment_bytes(end) else None
    return None
