"""ZIP archives written byte by byte, so that each field of each record can lie.

`zip_bytes` writes an honest archive of the entries it is given. What an entry, a header or the end
of the archive should say instead stands in `ZipEntry`, `Header`, `End` and `Zip64End`: there, None
means "the honest value".

    zip_bytes(ZipEntry("a.md", b"a\\n"), ZipEntry("b.md", b"b\\n", local=Header(name="c.md")))
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from enum import Enum

STORED = 0
DEFLATED = 8

ENCRYPTED = 0x0001
HAS_DESCRIPTOR = 0x0008
PATCHED = 0x0020
STRONG_ENCRYPTION = 0x0040
UTF8_NAME = 0x0800
MASKED = 0x2000

DOS_2026 = (2026 - 1980) << 9 | 1 << 5 | 1
"""The MS-DOS date of 2026-01-01."""

_MAX_16 = 0xFFFF
_MAX_32 = 0xFFFFFFFF


class Descriptor(Enum):
    """A data descriptor with or without signature; its sizes have 64 bits if the entry is zip64."""

    BARE = "bare"
    SIGNED = "signed"


@dataclass(frozen=True, slots=True)
class Header:
    """What a local or central header says in place of the truth; sizes may exceed 32 bits."""

    signature: bytes | None = None
    version: int | None = None
    flags: int | None = None
    method: int | None = None
    time: int | None = None
    date: int | None = None
    crc: int | None = None
    compressed: int | None = None
    size: int | None = None
    name: str | bytes | None = None
    extra: bytes | None = None
    comment: bytes | None = None
    disk: int | None = None
    attributes: int | None = None
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """One entry.

    Attributes:
        name: its name; text is written as UTF-8 and, unless it is ASCII, marked as such.
        content: what a reader should get.
        method: how the content is compressed; anything but DEFLATED is written as it is.
        data: the compressed bytes, where they are not those of the content.
        flags: general purpose bits, beside those that name and descriptor call for.
        extra: extra fields of both headers, before those that zip64 calls for.
        attributes: external attributes; a Unix mode stands in the upper 16 bits.
        descriptor: the form of the data descriptor, if there is one.
        descriptor_bytes: what stands in place of the descriptor.
        zip64: whether sizes and offset stand in zip64 extra fields.
        gap: bytes that belong to no entry, before the local header.
        written: whether there are a local header and data, or but a line of the directory.
        listed: whether the central directory names it.
        local, central: what the headers say in place of all that.
    """

    name: str | bytes
    content: bytes = b""
    method: int = STORED
    data: bytes | None = None
    flags: int = 0
    extra: bytes = b""
    attributes: int = 0
    descriptor: Descriptor | None = None
    descriptor_bytes: bytes | None = None
    zip64: bool = False
    gap: bytes = b""
    written: bool = True
    listed: bool = True
    local: Header = field(default_factory=Header)
    central: Header = field(default_factory=Header)


@dataclass(frozen=True, slots=True)
class End:
    """What the end record says in place of the truth."""

    disk: int | None = None
    directory_disk: int | None = None
    entries_here: int | None = None
    entries: int | None = None
    directory_bytes: int | None = None
    directory_offset: int | None = None
    comment_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Zip64End:
    """A zip64 end record with its locator, and what they say in place of the truth."""

    signature: bytes = b"PK\x06\x06"
    record_bytes: int = 44
    disk: int = 0
    directory_disk: int = 0
    entries_here: int | None = None
    entries: int | None = None
    directory_bytes: int | None = None
    directory_offset: int | None = None
    locator_disk: int = 0
    locator_offset: int | None = None
    locator_disks: int = 1


def zip_bytes(
    *entries: ZipEntry,
    prefix: bytes = b"",
    count_prefix: bool = True,
    before_directory: bytes = b"",
    before_end: bytes = b"",
    comment: bytes = b"",
    suffix: bytes = b"",
    end: End | None = None,
    zip64: Zip64End | None = None,
) -> bytes:
    """The bytes of an archive.

    Arguments:
        entries: in the order of the file and of its central directory.
        prefix: bytes before the first entry.
        count_prefix: whether offsets count the prefix, or are as if it were not there.
        before_directory: bytes between the last entry and the central directory.
        before_end: bytes between the central directory and the end record (or the zip64 one).
        comment: the archive's comment.
        suffix: bytes after the end of the comment.
        end: what the end record says in place of the truth.
        zip64: a zip64 end record, if there is to be one; the plain one then says "see there".
    """
    origin = 0 if count_prefix else len(prefix)
    body = bytearray(prefix)
    directory = bytearray()
    for entry in entries:
        body += entry.gap
        at = len(body) - origin
        if entry.written:
            body += local_bytes(entry)
        if entry.listed:
            directory += central_bytes(entry, at)
    body += before_directory
    at = len(body) - origin
    listed = sum(entry.listed for entry in entries)
    body += directory + before_end
    truth = (listed, len(directory), at)
    if zip64 is not None:
        body += _zip64_end(zip64, truth, len(body) - origin)
        truth = (_MAX_16, _MAX_32, _MAX_32)
    return bytes(body) + _end(end or End(), truth, comment) + suffix


def local_bytes(entry: ZipEntry) -> bytes:
    """The local header of an entry, its data and its descriptor."""
    data, says = compressed(entry), entry.local
    truth = (zlib.crc32(entry.content), len(data), len(entry.content))
    # Where a descriptor follows, the header leaves CRC and sizes to it.
    crc, packed, size = (0, 0, 0) if entry.descriptor else truth
    crc = _or(says.crc, crc)
    packed, size = _or(says.compressed, packed), _or(says.size, size)
    extra = entry.extra
    if entry.zip64:
        extra += extra_field(0x0001, struct.pack("<2Q", size, packed))
        size = packed = _MAX_32
    extra = extra if says.extra is None else says.extra
    raw_name = _name(says.name, entry.name)
    fixed = struct.pack(
        "<4s5H3L2H", says.signature or b"PK\x03\x04", _or(says.version, _version(entry)),
        _or(says.flags, _flags(entry)), _or(says.method, entry.method), says.time or 0,
        _or(says.date, DOS_2026), crc, packed, size, len(raw_name), len(extra),
    )  # fmt: skip
    return fixed + raw_name + extra + data + _descriptor(entry, truth)


def central_bytes(entry: ZipEntry, at: int) -> bytes:
    """The line of the central directory for an entry whose local header is at an offset."""
    data, says = compressed(entry), entry.central
    size, packed = _or(says.size, len(entry.content)), _or(says.compressed, len(data))
    offset = _or(says.offset, at)
    extra = entry.extra
    if entry.zip64:
        extra += extra_field(0x0001, struct.pack("<3Q", size, packed, offset))
        size = packed = offset = _MAX_32
    extra = extra if says.extra is None else says.extra
    raw_name, comment = _name(says.name, entry.name), says.comment or b""
    fixed = struct.pack(
        "<4s6H3L5H2L", says.signature or b"PK\x01\x02", 3 << 8 | 20,
        _or(says.version, _version(entry)), _or(says.flags, _flags(entry)),
        _or(says.method, entry.method), says.time or 0, _or(says.date, DOS_2026),
        _or(says.crc, zlib.crc32(entry.content)), packed, size, len(raw_name), len(extra),
        len(comment), says.disk or 0, 0, _or(says.attributes, entry.attributes), offset,
    )  # fmt: skip
    return fixed + raw_name + extra + comment


def compressed(entry: ZipEntry) -> bytes:
    """The data of an entry as they stand in the archive."""
    if entry.data is not None:
        return entry.data
    return deflated(entry.content) if entry.method == DEFLATED else entry.content


def deflated(content: bytes, level: int = 9) -> bytes:
    """A raw deflate stream, as archives hold it."""
    deflater = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflater.compress(content) + deflater.flush()


def stored_blocks(content: bytes) -> bytes:
    """A raw deflate stream of stored blocks (RFC 1951, 3.2.4): no compressor has a say in it."""
    starts = range(0, len(content), _MAX_16) or range(1)
    stream = bytearray()
    for start in starts:
        block = content[start : start + _MAX_16]
        last = start + _MAX_16 >= len(content)
        stream += struct.pack("<BHH", last, len(block), len(block) ^ _MAX_16) + block
    return bytes(stream)


def extra_field(kind: int, data: bytes) -> bytes:
    """One extra field."""
    return struct.pack("<2H", kind, len(data)) + data


def unicode_path(path: str | bytes, header_name: bytes = b"") -> bytes:
    """An Info-ZIP Unicode path extra field, which gives an entry another name."""
    raw = path.encode() if isinstance(path, str) else path
    return extra_field(0x7075, struct.pack("<BL", 1, zlib.crc32(header_name)) + raw)


def _descriptor(entry: ZipEntry, truth: tuple[int, int, int]) -> bytes:
    if entry.descriptor_bytes is not None:
        return entry.descriptor_bytes
    if entry.descriptor is None:
        return b""
    signature = b"PK\x07\x08" if entry.descriptor is Descriptor.SIGNED else b""
    return signature + struct.pack("<L2Q" if entry.zip64 else "<3L", *truth)


def _end(says: End, truth: tuple[int, int, int], comment: bytes) -> bytes:
    entries, size, offset = truth
    return struct.pack(
        "<4s4H2LH", b"PK\x05\x06", says.disk or 0, says.directory_disk or 0,
        _or(says.entries_here, entries), _or(says.entries, entries),
        _or(says.directory_bytes, size), _or(says.directory_offset, offset),
        _or(says.comment_bytes, len(comment)),
    ) + comment  # fmt: skip


def _zip64_end(says: Zip64End, truth: tuple[int, int, int], at: int) -> bytes:
    entries, size, offset = truth
    record = struct.pack(
        "<4sQ2H2L4Q", says.signature, says.record_bytes, 45, 45, says.disk, says.directory_disk,
        _or(says.entries_here, entries), _or(says.entries, entries),
        _or(says.directory_bytes, size), _or(says.directory_offset, offset),
    )  # fmt: skip
    where = _or(says.locator_offset, at)
    return record + struct.pack(
        "<4sLQL", b"PK\x06\x07", says.locator_disk, where, says.locator_disks
    )


def _flags(entry: ZipEntry) -> int:
    marked = isinstance(entry.name, str) and not entry.name.isascii()
    described = entry.descriptor is not None
    return entry.flags | marked * UTF8_NAME | described * HAS_DESCRIPTOR


def _version(entry: ZipEntry) -> int:
    return 45 if entry.zip64 else 20


def _name(instead: str | bytes | None, name: str | bytes) -> bytes:
    said = name if instead is None else instead
    return said.encode() if isinstance(said, str) else said


def _or(instead: int | None, truth: int) -> int:
    return truth if instead is None else instead
