"""The records of a ZIP file as they are written; zip64 where a size, an offset or a count demands
it, and nowhere else (SPEC.md, "Archives that are the same everywhere").
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

STORED: Final = 0
DEFLATED: Final = 8
UTF8_NAME: Final = 0x0800

LOCAL_BYTES: Final = 30
CENTRAL_BYTES: Final = 46
END_BYTES: Final = 22
MOST_NAME_BYTES: Final = 0xFFFF

VERSION: Final = 20
ZIP64_VERSION: Final = 45
MADE_BY_UNIX: Final = 3 << 8 | VERSION
REGULAR_FILE: Final = 0x81A4_0000
"""External attributes: a regular file of mode 0644."""
FIRST_DATE: Final = 0x0021
"""1980-01-01."""

MAX_16: Final = 0xFFFF
MAX_32: Final = 0xFFFF_FFFF
"""What stands in a field whose value stands in a zip64 record: the value itself cannot."""

OFFSET_AT: Final = 42
"""Where in a record of the central directory the offset of the local header stands."""
OFFSET_END: Final = 46

_LOCAL: Final = struct.Struct("<4s5H3L2H")
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_END: Final = struct.Struct("<4s4H2LH")
_ZIP64_END: Final = struct.Struct("<4sQ2H2L4Q")
_ZIP64_LOCATOR: Final = struct.Struct("<4sLQL")
_EXTRA: Final = struct.Struct("<2H")
_ZIP64_EXTRA: Final = 0x0001
_LONG: Final = struct.Struct("<L")
_QUAD: Final = struct.Struct("<Q")
_SHORT: Final = struct.Struct("<H")
_LENGTHS: Final = struct.Struct("<20x2L2H")
"""Of a central record: both sizes, and the lengths of its name and its extra fields."""


class EntryHeader(NamedTuple):
    """What the records of an entry say of it; what is not said is as in the canonical form.

    Attributes:
        name: the bytes of its name.
        crc: the CRC-32 of its content.
        size: bytes of its content.
        compressed: bytes of its data in the archive.
        method: STORED or DEFLATED.
        time, date: when it was changed, as MS-DOS has it.
        made_by: "version made by", with the system in the upper byte.
        attributes: the external attributes.
    """

    name: bytes
    crc: int
    size: int
    compressed: int
    method: int = STORED
    time: int = 0
    date: int = FIRST_DATE
    made_by: int = MADE_BY_UNIX
    attributes: int = REGULAR_FILE


def local_record(header: EntryHeader) -> bytes:
    """The record that stands before the data of an entry."""
    name, crc, size, compressed, method, time, date, _, _ = header
    version, extra = VERSION, b""
    if size >= MAX_32 or compressed >= MAX_32:
        version, extra = ZIP64_VERSION, _zip64_extra(size, compressed)
        size = compressed = MAX_32
    flags = 0 if name.isascii() else UTF8_NAME
    fixed = _LOCAL.pack(
        b"PK\x03\x04", version, flags, method, time, date, crc, compressed, size, len(name),
        len(extra),
    )  # fmt: skip
    return fixed + name + extra


def central_record(header: EntryHeader, offset: int) -> bytes:
    """The record of an entry in the central directory.

    Arguments:
        header: what it says.
        offset: where the entry's local header begins.
    """
    name, crc, size, compressed, method, time, date, made_by, attributes = header
    values: tuple[int, ...] = ()
    if size >= MAX_32 or compressed >= MAX_32:
        values = (size, compressed)
        size = compressed = MAX_32
    if offset >= MAX_32:
        values = (*values, offset)
        offset = MAX_32
    version, extra = (ZIP64_VERSION, _zip64_extra(*values)) if values else (VERSION, b"")
    flags = 0 if name.isascii() else UTF8_NAME
    fixed = _CENTRAL.pack(
        b"PK\x01\x02", made_by, version, flags, method, time, date, crc, compressed, size,
        len(name), len(extra), 0, 0, 0, attributes, offset,
    )  # fmt: skip
    return fixed + name + extra


def moved_record(record: bytes, offset: int) -> bytes:
    """A record of a central directory for an entry that begins elsewhere; all else stays.

    Arguments:
        record: the record, which a strict reader has taken.
        offset: where the entry's local header begins now.
    """
    compressed, size, name_bytes, extra_bytes = _LENGTHS.unpack_from(record)
    extra_at = CENTRAL_BYTES + name_bytes
    extra = record[extra_at : extra_at + extra_bytes]
    wide = record[OFFSET_AT:OFFSET_END] == b"\xff\xff\xff\xff"
    if not wide and offset < MAX_32:
        return record[:OFFSET_AT] + _LONG.pack(offset) + record[OFFSET_END:]
    before = _QUAD.size * ((size == MAX_32) + (compressed == MAX_32))
    found = _zip64_at(extra)
    if wide and found is not None:
        at = extra_at + found + _EXTRA.size + before
        return record[:at] + _QUAD.pack(offset) + record[at + _QUAD.size :]
    extra = _with_offset(extra, found, before, offset)
    version = max(ZIP64_VERSION, record[6])
    return b"".join((
        record[:6], bytes([version]), record[7:30], _SHORT.pack(len(extra)),
        record[32:OFFSET_AT], _LONG.pack(MAX_32), record[OFFSET_END:extra_at], extra,
        record[extra_at + extra_bytes :],
    ))  # fmt: skip


def end_records(count: int, size: int, at: int, comment: bytes = b"") -> bytes:
    """What stands behind the central directory.

    Arguments:
        count: how many entries there are.
        size: bytes of the central directory.
        at: its offset.
        comment: the comment of the archive.
    """
    wide = b""
    if count >= MAX_16 or size >= MAX_32 or at >= MAX_32:
        record = _ZIP64_END.pack(
            b"PK\x06\x06", _ZIP64_END.size - 12, MADE_BY_UNIX, ZIP64_VERSION, 0, 0, count, count,
            size, at,
        )  # fmt: skip
        wide = record + _ZIP64_LOCATOR.pack(b"PK\x06\x07", 0, at + size, 1)
    here = min(count, MAX_16)
    end = _END.pack(
        b"PK\x05\x06", 0, 0, here, here, min(size, MAX_32), min(at, MAX_32), len(comment)
    )
    return wide + end + comment


def _zip64_extra(*values: int) -> bytes:
    data = b"".join(map(_QUAD.pack, values))
    return _EXTRA.pack(_ZIP64_EXTRA, len(data)) + data


def _zip64_at(extra: bytes) -> int | None:
    """Where the zip64 field begins among extra fields; None if there is none."""
    at = 0
    while at + _EXTRA.size <= len(extra):
        kind, length = _EXTRA.unpack_from(extra, at)
        if kind == _ZIP64_EXTRA:
            return at
        at += _EXTRA.size + length
    return None


def _with_offset(extra: bytes, found: int | None, before: int, offset: int) -> bytes:
    """Extra fields with an offset in the zip64 one, which has not had any."""
    if found is None:
        return _zip64_extra(offset) + extra  # before, as there may be padding at the end
    data_at = found + _EXTRA.size
    _, length = _EXTRA.unpack_from(extra, found)
    data = extra[data_at : data_at + before] + _QUAD.pack(offset)
    field = _EXTRA.pack(_ZIP64_EXTRA, len(data)) + data
    return extra[:found] + field + extra[data_at + length :]
