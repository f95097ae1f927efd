"""Archives with entries that are no plain, readable files (MF605)."""

from __future__ import annotations

import stat

from tests.readers.hostile import Hostile, between

from memoryfield_validator.conformance.raw_zip import (
    ENCRYPTED,
    MASKED,
    PATCHED,
    STRONG_ENCRYPTION,
    Header,
    ZipEntry,
)

DOS_FOLDER = 0x10


def _attributes(what: str, mode: int, says: str, dos: int = 0) -> Hostile:
    entry = ZipEntry("odd.md", b"/etc/passwd", attributes=mode << 16 | dos)
    return Hostile(f"kind: {what}", between(entry), "MF605", f"`odd.md` {says}", "odd.md")


def _flagged(what: str, flags: int, says: str) -> Hostile:
    entry = ZipEntry("odd.md", bytes(12) + b"secret", flags=flags)
    return Hostile(f"flags: {what}", between(entry), "MF605", f"`odd.md` {says}", "odd.md")


def _method(method: int, name: str) -> Hostile:
    says = f"`odd.md` is compressed by method {method} ({name})"
    entry = ZipEntry("odd.md", b"whatever", method=method)
    return Hostile(f"method: {name}", between(entry), "MF605", says, "odd.md")


KINDS = (
    _attributes("symbolic link", stat.S_IFLNK | 0o777, "is a symbolic link"),
    _attributes("FIFO", stat.S_IFIFO | 0o644, "is a FIFO"),
    _attributes("socket", stat.S_IFSOCK | 0o644, "is a socket"),
    _attributes("character device", stat.S_IFCHR | 0o666, "is a character device"),
    _attributes("block device", stat.S_IFBLK | 0o660, "is a block device"),
    _attributes("a type that does not exist", 0o030000, "is no regular file (type 30000)"),
    _attributes("folder named as a file", stat.S_IFDIR | 0o755, "is marked as a folder"),
    Hostile(
        "kind: DOS folder named as a file",
        between(ZipEntry("dos.md", b"x\n", attributes=DOS_FOLDER)),
        "MF605",
        "`dos.md` is marked as a folder",
        "dos.md",
    ),
    _flagged("encrypted", ENCRYPTED, "is encrypted"),
    Hostile(
        "flags: strong encryption",
        between(ZipEntry("strong.md", bytes(12), flags=ENCRYPTED | STRONG_ENCRYPTION)),
        "MF605",
        "`strong.md` is encrypted",
        "strong.md",
    ),
    Hostile(
        "flags: masked headers",
        between(ZipEntry("masked.md", b"x\n", flags=MASKED)),
        "MF605",
        "`masked.md` is encrypted",
        "masked.md",
    ),
    _flagged("patch data", PATCHED, "is patch data"),
    _method(1, "shrink"),
    _method(6, "implode"),
    _method(9, "deflate64"),
    _method(12, "bzip2"),
    _method(14, "LZMA"),
    _method(93, "Zstandard"),
    _method(95, "xz"),
    _method(98, "PPMd"),
    _method(99, "AES"),
    _method(0x1234, "unknown"),
    Hostile(
        "version: a reader newer than any",
        between(ZipEntry("new.md", b"x\n", local=Header(version=99), central=Header(version=99))),
        "MF605",
        "`new.md` needs version 9.9",
        "new.md",
    ),
    Hostile(
        "kind: a folder that carries data",
        between(ZipEntry("logs/", b"hidden\n")),
        "MF606",
        "the folder `logs` carries data",
        "logs/",
    ),
)
