"""What obeys and breaks MF601 to MF606 and MF609; all that readers refuse is tested with them."""

from __future__ import annotations

import stat

from tests.validator.cases import Case, Found, error, folder, info, warning, zipped
from tests.validator.fields import page

from memoryfield_validator.conformance.raw_zip import (
    DEFLATED,
    UTF8_NAME,
    Header,
    ZipEntry,
    zip_bytes,
)

_PAGE = ZipEntry("a.md", page().encode())
_OTHER = ZipEntry("b.md", page(number=1).encode(), DEFLATED)
_GOOD = zip_bytes(_PAGE, _OTHER)


def _whole(rule: str, says: str, hint: str | None = None) -> Found:
    """A finding about the archive as a whole."""
    return error(rule, file=None, says=says, hint=hint)


def _obeys(rule: str, what: str, *entries: ZipEntry) -> Case:
    return zipped(rule, what, zip_bytes(_PAGE, *entries))


def _breaks(rule: str, what: str, entry: ZipEntry, file: str, says: str) -> Case:
    """An archive of a good page, and an entry that is at fault."""
    return zipped(
        rule, what, zip_bytes(_PAGE, entry), error(rule, file=file, says=(f"`{file}`", says))
    )


WHOLE = (
    zipped("MF601", "stored and deflated", _GOOD),
    folder("MF601", "a folder is none", {"a.md": page()}),
    zipped("MF601", "0 bytes", b"", _whole("MF601", "empty (0 bytes)", "again")),
    zipped(
        "MF601", "HTML", b"<!DOCTYPE html>\n<html>", _whole("MF601", "an HTML page", "in a browser")
    ),
    zipped(
        "MF601",
        "without its last ten bytes",
        _GOOD[:-10],
        _whole("MF601", "truncated", "compare the size"),
    ),
    zipped(
        "MF601",
        "half of it",
        _GOOD[: len(_GOOD) // 2],
        _whole("MF601", "truncated", "compare the size"),
    ),
    zipped(
        "MF601",
        "something else",
        bytes(range(256)),
        _whole("MF601", "no end record", "as a ZIP file"),
    ),
    zipped(
        "MF601",
        "a page with a CRC that does not hold",
        _GOOD.replace(b"Steel conducts", b"Gold! conducts"),
        error("MF601", says=("`a.md` is damaged", "CRC")),
    ),
    zipped(
        "MF601",
        "an attachment that does not inflate",
        zip_bytes(_PAGE, ZipEntry("x.png", b"x" * 9, DEFLATED, data=b"\xff" * 9)),
        error("MF601", file="x.png", says="`x.png` cannot be inflated"),
    ),
    zipped(
        "MF601",
        "damage outside of the field",
        zip_bytes(_PAGE, ZipEntry("x/y.png", b"x", central=Header(crc=1), local=Header(crc=1))),
        error("MF601", file="x/y.png", says="`x/y.png` is damaged"),
        info("MF103", file="x/", says="sub-directory"),
    ),
)

NAMES = (
    zipped("MF602", "the ending", _GOOD, name="x.memoryfield.zip"),
    zipped("MF602", "no name at all", _GOOD, name=""),
    folder("MF602", "a folder", {"a.md": page()}),
    *(
        zipped(
            "MF602",
            name,
            _GOOD,
            warning(
                "MF602", file=None, says=f"the archive is named `{name}`", hint=f"to `{better}`"
            ),
            name=name,
        )
        for name, better in (
            ("x.zip", "x.memoryfield.zip"),
            ("x", "x.memoryfield.zip"),
            ("memoryfield.zip", "memoryfield.memoryfield.zip"),
            ("x.memoryfield.zip.zip", "x.memoryfield.zip.memoryfield.zip"),
            ("x.MEMORYFIELD.ZIP", "x.MEMORYFIELD.ZIP.memoryfield.zip"),
        )
    ),
)

ENTRIES = (
    _obeys("MF603", "plain names", ZipEntry("a..b.txt"), ZipEntry("x y (1).png"), ZipEntry("é")),
    _breaks("MF603", "climbs out", ZipEntry("../b.md"), "../b.md", "`..`"),
    _breaks("MF603", "climbs within", ZipEntry("x/../b.md"), "x/../b.md", "`..`"),
    _breaks("MF603", "absolute", ZipEntry("/b.md"), "/b.md", "absolute"),
    _breaks("MF603", "a backslash", ZipEntry("..\\b.md"), "..\\b.md", "backslash"),
    _breaks("MF603", "a drive", ZipEntry("C:b.md"), "C:b.md", "drive"),
    _breaks("MF603", "a component that is empty", ZipEntry("x//b.md"), "x//b.md", "empty"),
    zipped(
        "MF603",
        "a line feed",
        zip_bytes(_PAGE, ZipEntry("b.md\n")),
        error("MF603", file="b.md\n", says=r"`b.md\n`"),
    ),
    zipped(
        "MF603",
        "no UTF-8",
        zip_bytes(_PAGE, ZipEntry(b"\xff.md", flags=UTF8_NAME)),
        error("MF603", file="\ufffd.md", says="not valid UTF-8"),
    ),
    zipped(
        "MF603",
        "the only page",
        zip_bytes(ZipEntry("../a.md")),
        error("MF603", file="../a.md", says="`../a.md`"),
    ),
    _obeys("MF604", "names that differ by case", ZipEntry("x.png"), ZipEntry("y.png")),
    zipped(
        "MF604",
        "two of a name",
        zip_bytes(_OTHER, _PAGE, _PAGE),
        error("MF604", says="2 entries are named `a.md`"),
    ),
    zipped(
        "MF604",
        "a file and a folder",
        zip_bytes(_OTHER, _PAGE, ZipEntry("a.md/x")),
        error("MF604", says="`a.md` is both a file and a folder"),
        info("MF103", file="a.md/", says="sub-directory"),
    ),
    _obeys("MF605", "modes", ZipEntry("x.sh", attributes=(stat.S_IFREG | 0o4755) << 16)),
    _breaks(
        "MF605",
        "a link",
        ZipEntry("b.md", b"/etc/passwd", attributes=(stat.S_IFLNK | 0o777) << 16),
        "b.md",
        "a symbolic link",
    ),
    _breaks("MF605", "encrypted", ZipEntry("b.md", bytes(20), flags=1), "b.md", "is encrypted"),
    _breaks("MF605", "bzip2", ZipEntry("b.md", b"x", method=12), "b.md", "method 12 (bzip2)"),
    _obeys("MF606", "an extra field", ZipEntry("x.png", extra=b"\x55\x54\x00\x00")),
    _breaks(
        "MF606",
        "a local header of another name",
        ZipEntry("b.md", local=Header(name="c.md")),
        "b.md",
        "`c.md`",
    ),
    zipped(
        "MF606",
        "bytes after the end",
        zip_bytes(_PAGE, suffix=b"x" * 80),
        _whole("MF606", "80 bytes stand after"),
    ),
    zipped(
        "MF606", "two archives", _GOOD + _GOOD, _whole("MF606", "two archives, one after the other")
    ),
    zipped(
        "MF606",
        "one in the comment of the other",
        zip_bytes(_PAGE, comment=_GOOD),
        _whole("MF606", "a second archive stands in the comment"),
    ),
    _obeys("MF609", "marked, and ASCII", ZipEntry("é.png"), ZipEntry("e.png")),
    *(
        zipped(
            "MF609",
            what,
            zip_bytes(_PAGE, ZipEntry(raw)),
            warning("MF609", file=name, says=f"the name `{name}` is neither"),
        )
        for what, raw, name in (
            ("UTF-8", "é.png".encode(), "é.png"),
            ("CP437", b"\x82.png", "é.png"),
        )
    ),
)

CASES = (*WHOLE, *NAMES, *ENTRIES)
