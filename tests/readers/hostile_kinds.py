"""Archives with entries that are no plain, readable files, or are too large (MF605, MF607)."""

from __future__ import annotations

import stat

from tests.archives import (
    DEFLATED,
    ENCRYPTED,
    MASKED,
    PATCHED,
    STRONG_ENCRYPTION,
    End,
    Header,
    ZipEntry,
    deflated,
    zip_bytes,
)
from tests.readers.hostile import Hostile, between

MIB = 1024 * 1024
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
        "logs",
    ),
)


def _announced(name: str, size: int) -> ZipEntry:
    """An entry whose headers announce a size, with as much data as the ratio asks for."""
    says = Header(size=size)
    return ZipEntry(name, b"", DEFLATED, data=bytes(size // 100 + 1), local=says, central=says)


LIMITS = (
    Hostile(
        "limit: 50 MB of zeros",
        between(ZipEntry("zeros.md", bytes(50_000_000), DEFLATED)),
        "MF607",
        "bytes, more than 100 to 1",
        "zeros.md",
    ),
    Hostile(
        "limit: a ratio of little more than 100",
        between(
            ZipEntry(
                "ratio.md", b"", DEFLATED, data=bytes(20_000),
                local=Header(size=2_000_001), central=Header(size=2_000_001),
            )
        ),
        "MF607",
        "`ratio.md` inflates from 20000 to 2000001 bytes",
        "ratio.md",
    ),
    Hostile(
        "limit: one file over 64 MiB",
        between(_announced("large.bin", 64 * MIB + 1)),
        "MF607",
        f"`large.bin` has {64 * MIB + 1} bytes, over the limit of {64 * MIB}",
        "large.bin",
    ),
    Hostile(
        "limit: one file over all limits",
        between(_announced("larger.bin", 300 * MIB)),
        "MF607",
        f"`larger.bin` has {300 * MIB} bytes, over the limit of {64 * MIB}",
        "larger.bin",
    ),
    Hostile(
        "limit: all files over 256 MiB",
        between(*(_announced(f"{number}.bin", 60 * MIB) for number in range(5))),
        "MF607",
        f"{300 * MIB + 15} bytes in all, over the limit of {256 * MIB}",
        beside={},
    ),
    Hostile(
        "limit: 20,000 entries",
        zip_bytes(*(ZipEntry(f"{number}.md", b"x\n") for number in range(20_000))),
        "MF607",
        "20000 entries, over the limit of 16384",
        beside={},
    ),
    Hostile(
        "limit: a central directory over 16 MiB",
        zip_bytes(*(ZipEntry(f"{number:065000}.md", b"") for number in range(259))),
        "MF607",
        "over the limit of 16777216",
        beside={},
    ),
    Hostile(
        "limit: 20,000 entries that are announced as one",
        zip_bytes(
            *(ZipEntry(f"{number}.md", b"x\n") for number in range(20_000)),
            end=End(entries=1, entries_here=1),
        ),
        "MF606",
        "the end record announces 1 entries, the central directory has more",
        beside={},
    ),
    Hostile(
        "limit: 2**64 - 1 bytes",
        between(
            ZipEntry(
                "huge.md", b"x", zip64=True,
                local=Header(size=2**64 - 1, compressed=2**64 - 1),
                central=Header(size=2**64 - 1, compressed=2**64 - 1),
            )
        ),
        "MF607",
        "`huge.md` has 18446744073709551615 bytes",
        "huge.md",
    ),
)  # fmt: skip

CONTENTS = (
    Hostile(
        "content: CRC of other bytes, stored",
        between(
            ZipEntry(
                "crc.md",
                b"tampered\n",
                local=Header(crc=0xDEADBEEF),
                central=Header(crc=0xDEADBEEF),
            )
        ),
        "MF601",
        "`crc.md` is damaged: its CRC is",
        "crc.md",
    ),
    Hostile(
        "content: CRC of other bytes, deflated",
        between(
            ZipEntry(
                "crc.md", b"tampered\n" * 9, DEFLATED, local=Header(crc=1), central=Header(crc=1)
            )
        ),
        "MF601",
        "not 00000001",
        "crc.md",
    ),
    Hostile(
        "content: more bytes than announced",
        between(
            ZipEntry(
                "more.md", b"x" * 100, DEFLATED, local=Header(size=10), central=Header(size=10)
            )
        ),
        "MF606",
        "`more.md` has more bytes than the 10 announced",
        "more.md",
    ),
    Hostile(
        "content: fewer bytes than announced",
        between(
            ZipEntry(
                "less.md", b"x" * 100, DEFLATED, local=Header(size=101), central=Header(size=101)
            )
        ),
        "MF606",
        "`less.md` has fewer bytes than the 101 announced",
        "less.md",
    ),
    Hostile(
        "content: bytes after the end of the stream",
        between(ZipEntry("tail.md", b"x\n", DEFLATED, data=deflated(b"x\n") + b"hidden")),
        "MF606",
        "`tail.md` has bytes after the end of its data",
        "tail.md",
    ),
    Hostile(
        "content: a second stream after the first",
        between(ZipEntry("two.md", b"x\n", DEFLATED, data=deflated(b"x\n") + deflated(b"y\n"))),
        "MF606",
        "`two.md` has bytes after the end of its data",
        "two.md",
    ),
    Hostile(
        "content: a stream that is cut off",
        between(ZipEntry("cut.md", b"text\n" * 50, DEFLATED, data=deflated(b"text\n" * 50)[:-4])),
        "MF601",
        "`cut.md` is cut off: its data does not end",
        "cut.md",
    ),
    Hostile(
        "content: no stream at all",
        between(ZipEntry("none.md", b"", DEFLATED, data=b"")),
        "MF601",
        "`none.md` is cut off: its data does not end",
        "none.md",
    ),
    Hostile(
        "content: no deflate stream",
        between(ZipEntry("noise.md", b"text\n", DEFLATED, data=b"\xff" * 20)),
        "MF601",
        "`noise.md` cannot be inflated: invalid block type",
        "noise.md",
    ),
    Hostile(
        "content: a zlib stream",
        between(ZipEntry("zlib.md", b"text\n", DEFLATED, data=b"\x78\x9c" + deflated(b"text\n"))),
        "MF601",
        "`zlib.md` cannot be inflated",
        "zlib.md",
    ),
)
