"""Files that are no archive, or end or begin as two archives do (MF601, MF606)."""

from __future__ import annotations

import gzip
import struct

from tests.archives import (
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
from tests.readers.hostile import BESIDE, FIRST, LAST, Hostile, between

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


def _broken(what: str, data: bytes, rule: str, says: str) -> Hostile:
    return Hostile(f"end: {what}", data, rule, says, beside={})


def _with_end(**says: int) -> bytes:
    return zip_bytes(FIRST, LAST, end=End(**says))


def _directory(*lines: bytes) -> bytes:
    """An archive of the two good pages whose central directory has other bytes."""
    directory = b"".join(lines)
    fixed = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2, 2, len(directory), _BODY, 0)
    return local_bytes(FIRST) + local_bytes(LAST) + directory + fixed


_LINE = central_bytes(FIRST, 0)
_LAST_LINE = central_bytes(LAST, len(local_bytes(FIRST)))

BROKEN_ENDS = (
    _broken("20 bytes cut out of the middle", GOOD[:40] + GOOD[60:], "MF601", "20 bytes are missing"),
    _broken("another disk", _with_end(disk=1), "MF601", "one of several volumes"),
    _broken("fewer announced", _with_end(entries=1, entries_here=1), "MF606", "announces 1 entries"),
    _broken("more announced", _with_end(entries=3, entries_here=3), "MF606", "announces 3 entries"),
    _broken("none announced", _with_end(entries=0, entries_here=0), "MF606", "announces 0 entries"),
    _broken("a directory said to be longer", _with_end(directory_bytes=999), "MF601", "bytes are missi"),
    _broken(
        "a directory said to be elsewhere", _with_end(directory_offset=3), "MF606",
        f"{_BODY - 3} bytes stand before the first entry",
    ),
    _broken(
        "a directory said to be shorter", _with_end(directory_bytes=50), "MF601",
        "the central directory is not where the end record says it is",
    ),
    _broken("no file header", _directory(_LINE, b"PK\x01\x03" + _LAST_LINE[4:]), "MF601", "no file header"),
    _broken("a cut file header", _directory(_LINE, _LAST_LINE[:-2]), "MF601", "ends within a file header"),
    _broken(
        "an extra field that is too long",
        between(ZipEntry("a.md", central=Header(extra=b"\x99\x99\x09\x00"))),
        "MF601", "an extra field is longer than its record",
    ),
    _broken(
        "a zip64 field that is too short",
        between(ZipEntry("a.md", central=Header(size=0xFFFFFFFF, extra=extra_field(1, b"1234")))),
        "MF601", "a zip64 extra field is too short",
    ),
    _broken(
        "two Unicode path fields",
        between(ZipEntry("a.md", central=Header(extra=unicode_path("a.md") + unicode_path("b.md")))),
        "MF601", "an extra field stands twice",
    ),
)  # fmt: skip


def _zip64(what: str, says: Zip64End, message: str, rule: str = "MF606") -> Hostile:
    return Hostile(f"zip64: {what}", zip_bytes(FIRST, LAST, zip64=says), rule, message, beside={})


_DIRECTORY = len(_LINE + _LAST_LINE)
_FAKE_END = zip_bytes(zip64=Zip64End())[:56]

ZIP64_ENDS = (
    _zip64("no record", Zip64End(signature=b"PK\x06\x05"), "not where its locator points"),
    _zip64("data of its own", Zip64End(record_bytes=45), "carries data of its own"),
    _zip64("two disks", Zip64End(locator_disks=2), "the archive is one of several volumes"),
    _zip64("a record beyond", Zip64End(locator_offset=2**64 - 1), "not where its locator points"),
    Hostile(
        "zip64: two records, and a locator that names the hidden one",
        zip_bytes(
            ZipEntry("first.md", _FAKE_END), LAST,
            zip64=Zip64End(locator_offset=30 + len("first.md")),
        ),
        "MF606",
        "the zip64 end record is not where its locator points",
        beside={},
    ),
    Hostile(
        "zip64: the end record says another count",
        zip_bytes(FIRST, LAST, zip64=Zip64End(), end=End(entries=1)),
        "MF606",
        "the end record and the zip64 end record disagree",
        beside={},
    ),
    Hostile(
        "zip64: the end record says another directory",
        zip_bytes(FIRST, LAST, zip64=Zip64End(), end=End(directory_offset=1)),
        "MF606",
        "the end record and the zip64 end record disagree",
        beside={},
    ),
    _zip64("another count", Zip64End(entries=9, entries_here=9), "announces 9 entries"),
    _zip64("2**64 - 1 entries", Zip64End(entries=2**64 - 1, entries_here=2**64 - 1),
           "18446744073709551615 entries, over the limit", "MF607"),
    _zip64("a directory of 2**64 - 1 bytes", Zip64End(directory_bytes=2**64 - 1), "bytes are missing",
           "MF601"),
    _zip64("a directory at 2**64 - 1", Zip64End(directory_offset=2**64 - 1), "bytes are missing", "MF601"),
    _zip64("two volumes", Zip64End(entries_here=1), "the archive is one of several volumes", "MF601"),
)  # fmt: skip
