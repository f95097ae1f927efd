"""Archives that are larger than the limits, or say so (MF607)."""

from __future__ import annotations

import struct

from tests.readers.hostile import Hostile, between

from memoryfield_validator.conformance.raw_zip import DEFLATED, Header, ZipEntry, zip_bytes

MIB = 1024 * 1024


def _announced(name: str, size: int) -> ZipEntry:
    """An entry whose headers announce a size, with as much data as the ratio asks for."""
    says = Header(size=size)
    return ZipEntry(name, b"", DEFLATED, data=bytes(size // 100 + 1), local=says, central=says)


_MANY = zip_bytes(*(ZipEntry(f"{number}.md", b"x\n") for number in range(20_000)))

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
        _MANY,
        "MF607",
        "20000 entries, over the limit of 16384",
        beside={},
    ),
    Hostile(
        "limit: a central directory over 4 MiB",
        zip_bytes(*(ZipEntry(f"{number:065000}.md", b"") for number in range(66))),
        "MF607",
        "over the limit of 4194304",
        beside={},
    ),
    Hostile(
        "end: 20,000 entries that are announced as one",
        _MANY[:-14] + struct.pack("<HH", 1, 1) + _MANY[-10:],
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
        more=("MF606",),
    ),
)  # fmt: skip
