"""Files that are no archive, or end or begin as two archives do (MF601, MF606)."""

from __future__ import annotations

import gzip
import struct

from tests.readers.hostile import BESIDE, FIRST, LAST, Hostile, between

from memoryfield_validator.conformance.raw_zip import (
    End,
    Header,
    Zip64End,
    ZipEntry,
    central_bytes,
    extra_field,
    local_bytes,
    unicode_path,
    zip_bytes,
)

GOOD = zip_bytes(FIRST, LAST)
_OTHER = zip_bytes(ZipEntry("other.md", b"other\n"))
_OTHER_PAGE = {"other.md": b"other\n"}
_BODY = len(local_bytes(FIRST) + local_bytes(LAST))


def _not_zip(what: str, data: bytes, says: str) -> Hostile:
    return Hostile(f"file: {what}", data, "MF601", says, beside={})


NO_ARCHIVES = (
    _not_zip("HTML", b"<!DOCTYPE html>\n<title>Sign in</title>", "an HTML page, not a ZIP file"),
    _not_zip("empty", b"", "the file is empty (0 bytes)"),
    _not_zip("cut by 10 bytes", GOOD[:-10], "truncated: the end record is cut off"),
    _not_zip("cut in half", GOOD[: len(GOOD) // 2], "truncated: it begins like a ZIP file"),
    _not_zip(
        "a Git LFS pointer",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 12345\n" % 0,
        "a Git LFS pointer, not the archive it points to",
    ),
    _not_zip("gzip", gzip.compress(GOOD, mtime=0), "gzip data, not a ZIP file"),
    _not_zip("7z", b"7z\xbc\xaf\x27\x1c\x00\x04", "a 7z archive, not a ZIP file"),
    _not_zip("RAR", b"Rar!\x1a\x07\x00", "a RAR archive, not a ZIP file"),
    _not_zip("bzip2", b"BZh91AY&SY", "bzip2 data, not a ZIP file"),
    _not_zip("xz", b"\xfd7zXZ\x00", "xz data, not a ZIP file"),
    _not_zip("zstd", b"\x28\xb5\x2f\xfd\x00", "zstd data, not a ZIP file"),
    _not_zip("PDF", b"%PDF-1.7\n", "a PDF document, not a ZIP file"),
    _not_zip("SQLite", b"SQLite format 3\x00" + bytes(84), "an SQLite database, not a ZIP file"),
    _not_zip("a page", b"# A page\n", "text, not a ZIP file"),
    _not_zip("noise", bytes(range(256)), "not a ZIP file: it has no end record"),
)

HTML_IN_OTHER_FORMS = (
    b"<html><body>404</body></html>",
    b"\n\n  <!doctype HTML>",
    b"\xef\xbb\xbf<HTML>",
    b"<head><meta charset=utf-8>",
    b'<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>',
)

BEFORE_AND_AFTER = (
    Hostile("after: 80 bytes", GOOD + bytes(80), "MF606", "80 bytes stand after the end record"),
    Hostile("after: 1 byte", GOOD + b"\n", "MF606", "1 bytes stand after the end record"),
    Hostile(
        "before: 60 bytes, offsets as if they were not there",
        zip_bytes(FIRST, LAST, prefix=bytes(60), count_prefix=False),
        "MF606",
        "60 bytes stand before the first entry",
    ),
    Hostile(
        "before: 61 bytes, counted by the offsets",
        zip_bytes(FIRST, LAST, prefix=bytes(61)),
        "MF606",
        "61 bytes stand before the first entry",
    ),
    Hostile(
        "before: 62 bytes, and no entry",
        zip_bytes(prefix=bytes(62)),
        "MF606",
        "62 bytes stand before the first entry",
        beside={},
    ),
    Hostile(
        "before: 63 bytes, not counted, and no entry",
        zip_bytes(prefix=bytes(63), count_prefix=False),
        "MF606",
        "63 bytes stand before the first entry",
        beside={},
    ),
    Hostile(
        "two archives: one after the other",
        _OTHER + GOOD,
        "MF606",
        f"two archives, one after the other: another one of {len(_OTHER)} bytes stands before",
    ),
    Hostile(
        "two archives: one after the other, with offsets to match",
        zip_bytes(LAST, prefix=GOOD),
        "MF606",
        f"two archives, one after the other: another one of {len(GOOD)} bytes stands before",
        beside={"last.md": BESIDE["last.md"]},
    ),
    Hostile(
        "two archives: the second in the comment of the first",
        zip_bytes(FIRST, LAST, comment=_OTHER),
        "MF606",
        "a second archive stands in the comment of the first",
    ),
    Hostile(
        "two archives: an end record's signature in the comment",
        zip_bytes(FIRST, LAST, comment=b"see PK\x05\x06 here"),
        "MF606",
        "the comment holds the signature of a second end record of the first",
    ),
    Hostile(
        "between: bytes before the end record",
        zip_bytes(FIRST, LAST, before_end=bytes(23)),
        "MF606",
        "23 bytes stand between the central directory and the end record",
    ),
)


def _broken(what: str, rule: str, says: str, data: bytes, *more: str) -> Hostile:
    return Hostile(f"end: {what}", data, rule, says, beside={}, more=more)


def _with_end(**says: int) -> bytes:
    return zip_bytes(FIRST, LAST, end=End(**says))


def _directory(*lines: bytes) -> bytes:
    """An archive of the two good pages whose central directory has other bytes."""
    directory = b"".join(lines)
    fixed = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2, 2, len(directory), _BODY, 0)
    return local_bytes(FIRST) + local_bytes(LAST) + directory + fixed


def _extra(extra: bytes, size: int | None = None) -> bytes:
    return between(ZipEntry("a.md", central=Header(extra=extra, size=size)))


_VOLUMES = "the archive is one of several volumes"
_LINE = central_bytes(FIRST, 0)
_LAST_LINE = central_bytes(LAST, len(local_bytes(FIRST)))
_TWO_PATHS = unicode_path("a.md") + unicode_path("b.md")

BROKEN_ENDS = (
    _broken(
        "20 bytes cut out of the middle", "MF601", "20 bytes are missing", GOOD[:40] + GOOD[60:]
    ),
    _broken("another disk", "MF601", _VOLUMES, _with_end(disk=1)),
    _broken("a directory on another disk", "MF601", _VOLUMES, _with_end(directory_disk=1)),
    _broken("entries on another disk", "MF601", _VOLUMES, _with_end(entries_here=1)),
    _broken(
        "entries on another disk, says zip64",
        "MF601",
        _VOLUMES,
        zip_bytes(FIRST, LAST, zip64=Zip64End(entries_here=1)),
    ),
    _broken(
        "fewer announced", "MF606", "announces 1 entries", _with_end(entries=1, entries_here=1)
    ),
    _broken("more announced", "MF606", "announces 3 entries", _with_end(entries=3, entries_here=3)),
    _broken("none announced", "MF606", "announces 0 entries", _with_end(entries=0, entries_here=0)),
    _broken("a longer directory", "MF601", "bytes are missing", _with_end(directory_bytes=999)),
    _broken(
        "a directory elsewhere",
        "MF606",
        f"{_BODY - 3} bytes stand before the first entry",
        _with_end(directory_offset=3),
        "MF606",
        "MF606",
    ),
    _broken(
        "a shorter directory",
        "MF606",
        "announces 2 entries, the central directory has 1",
        _with_end(directory_bytes=len(_LINE)),
    ),
    _broken(
        "no directory",
        "MF601",
        "the central directory is not where the end record says it is",
        _with_end(directory_bytes=50, directory_offset=0),
    ),
    _broken(
        "no file header",
        "MF601",
        "the central directory holds something that is no file header",
        _directory(_LINE, b"PK\x01\x03" + _LAST_LINE[4:]),
    ),
    _broken(
        "a cut file header",
        "MF601",
        "the central directory ends within a file header",
        _directory(_LINE, _LAST_LINE[:-2]),
    ),
    _broken(
        "an entry on another disk",
        "MF601",
        _VOLUMES,
        between(ZipEntry("a.md", central=Header(disk=1))),
    ),
    _broken("an extra field too long", "MF601", "longer than its", _extra(b"\x99\x99\x09\x00")),
    _broken("a short zip64 field", "MF601", "too short", _extra(extra_field(1, b"12"), 2**32 - 1)),
    _broken("two path fields", "MF601", "an extra field stands twice", _extra(_TWO_PATHS)),
)


def _zip64(
    what: str, says: Zip64End, message: str, rule: str = "MF606", end: End | None = None
) -> Hostile:
    data = zip_bytes(FIRST, LAST, zip64=says, end=end)
    return Hostile(f"zip64: {what}", data, rule, message, beside={})


_ELSEWHERE = "the zip64 end record is not where its locator points"
_DISAGREE = "the end record and the zip64 end record disagree"
_FAKE_END = zip_bytes(zip64=Zip64End())[:56]
_MOST = 2**64 - 1

ZIP64_ENDS = (
    _zip64("no record", Zip64End(signature=b"PK\x06\x05"), _ELSEWHERE),
    _zip64("a record beyond", Zip64End(locator_offset=_MOST), _ELSEWHERE),
    _zip64("data of its own", Zip64End(record_bytes=45), "carries data of its own"),
    Hostile(
        "zip64: a locator that names another record, hidden in a page",
        zip_bytes(
            ZipEntry("first.md", _FAKE_END),
            LAST,
            zip64=Zip64End(locator_offset=30 + len("first.md")),
        ),
        "MF606",
        _ELSEWHERE,
        beside={},
    ),
    Hostile(
        "zip64: a locator, and no room for a record",
        b"PK\x06\x07" + bytes(12) + b"\x01\0\0\0" + zip_bytes(),
        "MF606",
        _ELSEWHERE,
        beside={},
    ),
    _zip64("another count in the end record", Zip64End(), _DISAGREE, end=End(entries=1)),
    _zip64("another place in the end record", Zip64End(), _DISAGREE, end=End(directory_offset=1)),
    _zip64("two disks", Zip64End(locator_disks=2), _VOLUMES),
    _zip64("another count", Zip64End(entries=9, entries_here=9), "announces 9 entries"),
    _zip64(
        "2**64 - 1 entries", Zip64End(entries=_MOST, entries_here=_MOST), "entries, ov", "MF607"
    ),
    _zip64("a huge directory", Zip64End(directory_bytes=_MOST), "bytes are missing", "MF601"),
    _zip64("a directory far away", Zip64End(directory_offset=_MOST), "bytes are missing", "MF601"),
)
