"""Archives with entries whose names are traps (MF603, MF604)."""

from __future__ import annotations

from tests.readers.hostile import Hostile, between

from memoryfield_validator.conformance.raw_zip import UTF8_NAME, ZipEntry


def _named(what: str, name: str | bytes, says: str, entry: str | None = None) -> Hostile:
    path = name if isinstance(name, str) else name.decode("utf-8", "backslashreplace")
    data = between(ZipEntry(name, b"" if path.endswith("/") else b"evil\n"))
    return Hostile(f"name: {what}", data, "MF603", says, path if entry is None else entry)


NAMES = (
    _named("climbs", "../evil.md", "`../evil.md` climbs out with `..`"),
    _named("climbs two folders", "../../evil.md", "`../../evil.md` climbs out"),
    _named("climbs within", "a/../b.md", "`a/../b.md` climbs out"),
    _named("ends in dots", "a/..", "`a/..` climbs out"),
    _named("is two dots", "..", "`..` climbs out"),
    _named("absolute", "/abs.md", "`/abs.md` is an absolute path"),
    _named("two slashes first", "//host/share.md", "`//host/share.md` is an absolute path"),
    _named("Windows climbs", "..\\win.md", "`..\\win.md` holds a backslash"),
    _named("Windows folder", "a\\b.md", "`a\\b.md` holds a backslash"),
    _named("drive and backslash", "C:\\x.md", "`C:\\x.md` holds a backslash"),
    _named("drive and slash", "C:/x.md", "`C:/x.md` begins with a drive"),
    _named("drive alone", "c:x.md", "`c:x.md` begins with a drive"),
    _named("NUL", "a.md\x00.txt", r"`a.md\x00.txt` holds a NUL or control character"),
    _named("NUL first", "\x00a.md", r"`\x00a.md` holds a NUL or control character"),
    _named("line feed", "a\n.md", r"`a\n.md` holds a NUL or control character"),
    _named("line feed last", "a.md\n", r"`a.md\n` holds a NUL or control character"),
    _named("carriage return", "a\r.md", r"`a\r.md` holds"),
    _named("escape", "\x1b[2Ja.md", r"`\x1b[2Ja.md` holds"),
    _named("DEL", "a\x7f.md", r"`a\x7f.md` holds"),
    _named("C1", "a\x9b.md", r"`a\x9b.md` holds"),
    _named("empty", "", "the name `` is empty"),
    _named("a slash alone", "/", "the name `/` is empty", "/"),
    _named("dot first", "./a.md", "`./a.md` has an empty or `.` component"),
    _named("dot within", "a/./b.md", "`a/./b.md` has an empty or `.` component"),
    _named("dot alone", ".", "`.` has an empty or `.` component"),
    _named("two slashes", "a//b.md", "`a//b.md` has an empty or `.` component"),
    _named("two slashes last", "a//", "`a//` has an empty or `.` component", "a//"),
    Hostile(
        "name: marked as UTF-8, but is not",
        between(ZipEntry(b"caf\xe9.md", b"evil\n", flags=UTF8_NAME)),
        "MF603",
        "marked as UTF-8, but is not valid UTF-8",
        "caf\ufffd.md",
    ),
    Hostile(
        "name: UTF-8 in more bytes than needed",
        between(ZipEntry(b"..\xc0\xafevil.md", b"evil\n", flags=UTF8_NAME)),
        "MF603",
        "not valid UTF-8",
        "..\ufffd\ufffdevil.md",
    ),
    Hostile(
        "name: a surrogate in UTF-8",
        between(ZipEntry(b"\xed\xa0\x80.md", b"evil\n", flags=UTF8_NAME)),
        "MF603",
        "not valid UTF-8",
        "\ufffd\ufffd\ufffd.md",
    ),
    Hostile(
        "name: 64 KiB of slashes",
        between(ZipEntry("/" * 0xFFFF)),
        "MF603",
        "` is an absolute path",
        "/" * 0xFFFF,
    ),
    Hostile(
        "name: 64 KiB of empty components",
        between(ZipEntry("a" + "/" * 0xFFFE)),
        "MF603",
        "` has an empty or `.` component",
        "a" + "/" * 0xFFFE,
    ),
)

DUPLICATES = (
    Hostile(
        "twice: one page, two contents",
        between(ZipEntry("a.md", b"old\n"), ZipEntry("a.md", b"new\n")),
        "MF604",
        "2 entries are named `a.md`",
        "a.md",
    ),
    Hostile(
        "twice: one page, one content",
        between(ZipEntry("b.md", b"same\n"), ZipEntry("b.md", b"same\n")),
        "MF604",
        "2 entries are named `b.md`",
        "b.md",
    ),
    Hostile(
        "twice: three of one name",
        between(*(ZipEntry("a.md", b"%d\n" % number) for number in range(3))),
        "MF604",
        "3 entries are named `a.md`",
        "a.md",
    ),
    Hostile(
        "twice: a file and an empty folder",
        between(ZipEntry("c.md", b"page\n"), ZipEntry("c.md/")),
        "MF604",
        "2 entries are named `c.md`",
        "c.md",
    ),
    Hostile(
        "twice: a file and the folder of another",
        between(ZipEntry("a.md", b"page\n"), ZipEntry("a.md/log.txt", b"log\n")),
        "MF604",
        "`a.md` is both a file and a folder",
        "a.md",
    ),
    Hostile(
        "twice: a folder first, then the file",
        between(ZipEntry("d.md/x/y/log.txt", b"log\n"), ZipEntry("d.md", b"page\n")),
        "MF604",
        "`d.md` is both a file and a folder",
        "d.md",
    ),
    Hostile(
        "twice: in a sub-directory",
        between(ZipEntry("log/a.txt", b"1\n"), ZipEntry("log/a.txt", b"2\n")),
        "MF604",
        "2 entries are named `log/a.txt`",
        "log/a.txt",
    ),
    Hostile(
        "twice: once marked as UTF-8, once not",
        between(ZipEntry("é.txt", b"1\n"), ZipEntry("é.txt".encode(), b"2\n")),
        "MF604",
        "2 entries are named `é.txt`",
        "é.txt",
    ),
)
