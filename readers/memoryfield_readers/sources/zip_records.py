"""The records of a ZIP file as they stand in its bytes (APPNOTE.TXT 4.3 and 4.5).

Nothing here judges: a record is taken apart, or `Malformed` says why it cannot be.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

END_SIGNATURE: Final = b"PK\x05\x06"
ZIP64_LOCATOR_SIGNATURE: Final = b"PK\x06\x07"
ZIP64_END_SIGNATURE: Final = b"PK\x06\x06"
CENTRAL_SIGNATURE: Final = b"PK\x01\x02"
LOCAL_SIGNATURE: Final = b"PK\x03\x04"
DESCRIPTOR_SIGNATURE: Final = b"PK\x07\x08"

SIGNATURES: Final = (LOCAL_SIGNATURE, DESCRIPTOR_SIGNATURE, CENTRAL_SIGNATURE, END_SIGNATURE)
SIGNATURE_BYTES: Final = 4

END_BYTES: Final = 22
ZIP64_LOCATOR_BYTES: Final = 20
ZIP64_END_BYTES: Final = 56
CENTRAL_BYTES: Final = 46
LOCAL_BYTES: Final = 30
MOST_DESCRIPTOR_BYTES: Final = 24
MOST_COMMENT_BYTES: Final = 0xFFFF

ENCRYPTED: Final = 0x0001
HAS_DESCRIPTOR: Final = 0x0008
PATCHED: Final = 0x0020
STRONG_ENCRYPTION: Final = 0x0040
UTF8_NAME: Final = 0x0800
MASKED: Final = 0x2000

_END = struct.Struct("<4x4H2LH")
_ZIP64_LOCATOR = struct.Struct("<4xLQL")
_ZIP64_END = struct.Struct("<4xQ2H2L4Q")
_CENTRAL = struct.Struct("<4x6H3L5H2L")
_LOCAL = struct.Struct("<4x5H3L2H")
_ZIP64_EXTRA: Final = 0x0001
_UNICODE_PATH_EXTRA: Final = 0x7075
_HARMLESS_EXTRA: Final = frozenset(
    {
        _ZIP64_EXTRA,
        _UNICODE_PATH_EXTRA,
        0x000A,  # NTFS times
        0x5455,  # extended timestamp
        0x5855,  # Info-ZIP Unix, first form: times and owner
        0x7855,  # Info-ZIP Unix, second form: owner
        0x7875,  # Info-ZIP Unix, third form: owner
        0x6375,  # Unicode comment
        0xCAFE,  # a mark that jar sets
        0xD935,  # alignment
    }
)
"""Extra fields that change neither what an entry is nor what it holds, in any reader."""
_MAX_16: Final = 0xFFFF
_MAX_32: Final = 0xFFFFFFFF


class Malformed(Exception):
    """The bytes are not the record they should be; the text says why."""


class EndRecord(NamedTuple):
    """The end of central directory record, with what a zip64 end record adds merged in."""

    disk: int
    directory_disk: int
    entries_here: int
    entries: int
    directory_bytes: int
    directory_offset: int


class ExtraFields(NamedTuple):
    """What the extra fields of a header say that matters to what is read.

    Attributes:
        unknown: the id of a field that is not among those known to be harmless, or None.
        unicode_path: the name that an Info-ZIP Unicode path field gives, or None.
        zip64: whether there is a zip64 field, so that sizes in a data descriptor have 64 bits.
    """

    unknown: int | None = None
    unicode_path: bytes | None = None
    zip64: bool = False


class CentralHeader(NamedTuple):
    """One file header of the central directory, with what a zip64 extra field adds merged in."""

    version: int
    flags: int
    method: int
    time: int
    date: int
    crc: int
    compressed: int
    size: int
    attributes: int
    offset: int
    raw_name: bytes
    extra: ExtraFields
    record_bytes: int


class LocalHeader(NamedTuple):
    """One local file header, with what a zip64 extra field adds merged in."""

    flags: int
    method: int
    crc: int
    compressed: int
    size: int
    raw_name: bytes
    extra: ExtraFields
    record_bytes: int


_NO_EXTRA = ExtraFields()


def comment_bytes(end: bytes) -> int:
    """The length of the comment that an end record announces."""
    return int.from_bytes(end[20:22], "little")


def end_record(data: bytes) -> EndRecord:
    """The 22 bytes of an end record."""
    disk, directory_disk, here, entries, size, offset, _ = _END.unpack_from(data)
    return EndRecord(disk, directory_disk, here, entries, size, offset)


def zip64_end_offset(locator: bytes) -> int:
    """The offset of the zip64 end record, from its locator of 20 bytes."""
    disk, offset, disks = _ZIP64_LOCATOR.unpack_from(locator)
    if disk != 0 or disks != 1:
        raise Malformed("the archive is one of several volumes")
    return int(offset)


def zip64_end_record(data: bytes, plain: EndRecord) -> EndRecord:
    """The 56 bytes of a zip64 end record, which must agree with what the plain one can say."""
    if data[:4] != ZIP64_END_SIGNATURE:
        raise Malformed("the zip64 end record is not where its locator points")
    record_bytes, _, _, *values = _ZIP64_END.unpack_from(data)
    if record_bytes != ZIP64_END_BYTES - 12:
        raise Malformed("the zip64 end record carries data of its own")
    full = EndRecord(*values)
    for small, large, unknown in zip(
        plain, full, (_MAX_16, _MAX_16, _MAX_16, _MAX_16, _MAX_32, _MAX_32), strict=True
    ):
        if small not in (unknown, large):
            raise Malformed("the end record and the zip64 end record disagree")
    return full


def central_header(data: memoryview, at: int) -> CentralHeader:
    """The file header that begins at an offset of the central directory's bytes."""
    if bytes(data[at : at + 4]) != CENTRAL_SIGNATURE or at + CENTRAL_BYTES > len(data):
        raise Malformed("the central directory holds something that is no file header")
    (_, version, flags, method, time, date, crc, compressed, size, name_bytes, extra_bytes,
     comment, disk, _, attributes, offset) = _CENTRAL.unpack_from(data, at)  # fmt: skip
    name_at = at + CENTRAL_BYTES
    extra_at = name_at + name_bytes
    record_bytes = CENTRAL_BYTES + name_bytes + extra_bytes + comment
    if at + record_bytes > len(data):
        raise Malformed("the central directory ends within a file header")
    raw_name = bytes(data[name_at:extra_at])
    extra = _NO_EXTRA
    if extra_bytes:
        fields = _extra_fields(bytes(data[extra_at : extra_at + extra_bytes]))
        extra = _judge_extra(fields)
        size, compressed, offset = _zip64_values(fields, size, compressed, offset)
    if disk not in (0, _MAX_16):
        raise Malformed("the archive is one of several volumes")
    return CentralHeader(
        version & 0xFF, flags, method, time, date, crc, compressed, size, attributes,
        offset, raw_name, extra, record_bytes,
    )  # fmt: skip


def local_header_bytes(fixed: bytes) -> int:
    """The length of a whole local header, from its first 30 bytes."""
    if len(fixed) < LOCAL_BYTES or fixed[:4] != LOCAL_SIGNATURE:
        raise Malformed("there is no local header where the central directory points")
    name_bytes, extra_bytes = _LOCAL.unpack_from(fixed)[-2:]
    return LOCAL_BYTES + int(name_bytes) + int(extra_bytes)


def local_header(data: bytes) -> LocalHeader:
    """A whole local header."""
    total = local_header_bytes(data)
    if len(data) < total:
        raise Malformed("the file ends within a local header")
    _, flags, method, _, _, crc, compressed, size, name_bytes, extra_bytes = _LOCAL.unpack_from(
        data
    )
    raw_name = data[LOCAL_BYTES : LOCAL_BYTES + name_bytes]
    extra = _NO_EXTRA
    if extra_bytes:
        fields = _extra_fields(data[LOCAL_BYTES + name_bytes : total])
        extra = _judge_extra(fields)
        size, compressed, _ = _zip64_values(fields, size, compressed, 0)
    return LocalHeader(flags, method, crc, compressed, size, raw_name, extra, total)


def descriptor_matches(data: bytes, crc: int, compressed: int, size: int, *, zip64: bool) -> bool:
    """Whether bytes are exactly a data descriptor, with or without signature, with these values."""
    form = "<LQQ" if zip64 else "<3L"
    values = (crc, compressed, size) if zip64 else (crc, compressed & _MAX_32, size & _MAX_32)
    plain = struct.pack(form, *values)
    return data in (plain, DESCRIPTOR_SIGNATURE + plain)


def _extra_fields(data: bytes) -> dict[int, bytes]:
    """Extra fields by id; up to three bytes of padding at the end are let through."""
    found: dict[int, bytes] = {}
    at = 0
    while len(data) - at >= 4:
        kind, length = struct.unpack_from("<2H", data, at)
        at += 4
        if at + length > len(data):
            raise Malformed("an extra field is longer than its record")
        if kind in found and kind in (_ZIP64_EXTRA, _UNICODE_PATH_EXTRA):
            raise Malformed("an extra field stands twice")
        found[kind] = data[at : at + length]
        at += length
    return found


def _judge_extra(fields: dict[int, bytes]) -> ExtraFields:
    unknown = next((kind for kind in fields if kind not in _HARMLESS_EXTRA), None)
    return ExtraFields(unknown, _unicode_path(fields), _ZIP64_EXTRA in fields)


def _zip64_values(
    extra: dict[int, bytes], size: int, compressed: int, offset: int
) -> tuple[int, int, int]:
    """The three values, each taken from the zip64 extra field where the header says "see there"."""
    field = extra.get(_ZIP64_EXTRA)
    values = [size, compressed, offset]
    at = 0
    for index, value in enumerate(values):
        if value != _MAX_32:
            continue
        if field is None:
            continue  # 4 GiB - 1 is a legal size; limits judge it
        if at + 8 > len(field):
            raise Malformed("a zip64 extra field is too short")
        values[index] = int.from_bytes(field[at : at + 8], "little")
        at += 8
    return values[0], values[1], values[2]


def _unicode_path(extra: dict[int, bytes]) -> bytes | None:
    """The name that an Info-ZIP Unicode path extra field gives, if there is one."""
    field = extra.get(_UNICODE_PATH_EXTRA)
    if field is None:
        return None
    # A version, a checksum and the name; what gives no name does not give that of the header.
    return field[5:] if field[:1] == b"\x01" else b""
