"""Archives that are well built, with entries whose content is not what is announced."""

from __future__ import annotations

from tests.readers.hostile import Hostile, between

from memoryfield_validator.conformance.raw_zip import DEFLATED, STORED, Header, ZipEntry, deflated

_TEXT = b"text\n" * 50


def _announced(
    what: str, rule: str, says: str, name: str, content: bytes, method: int, header: Header
) -> Hostile:
    """An entry of which both headers say the same, which is not true."""
    entry = ZipEntry(name, content, method, local=header, central=header)
    return Hostile(f"content: {what}", between(entry), rule, f"`{name}` {says}", name)


def _stream(what: str, rule: str, says: str, name: str, data: bytes) -> Hostile:
    """An entry of 250 bytes with another stream of compressed bytes."""
    entry = ZipEntry(name, _TEXT, DEFLATED, data=data)
    return Hostile(f"content: {what}", between(entry), rule, f"`{name}` {says}", name)


CONTENTS = (
    _announced(
        "another CRC, stored",
        "MF601",
        "is damaged: its CRC is ",
        "crc.md",
        _TEXT,
        STORED,
        Header(crc=7),
    ),
    _announced(
        "another CRC, deflated",
        "MF601",
        "is damaged: its CRC",
        "crc-2.md",
        _TEXT,
        DEFLATED,
        Header(crc=7),
    ),
    _announced(
        "more bytes",
        "MF606",
        "has more bytes than the 10",
        "more.md",
        _TEXT,
        DEFLATED,
        Header(size=10),
    ),
    _announced(
        "no byte announced",
        "MF606",
        "has more bytes than the 0",
        "none.md",
        _TEXT,
        DEFLATED,
        Header(size=0),
    ),
    _announced(
        "fewer bytes",
        "MF606",
        "has fewer bytes than the 251",
        "less.md",
        _TEXT,
        DEFLATED,
        Header(size=251),
    ),
    _stream(
        "bytes after the stream",
        "MF606",
        "has bytes after the end",
        "tail.md",
        deflated(_TEXT) + b".",
    ),
    _stream("two streams", "MF606", "has bytes after the end", "two.md", deflated(_TEXT) * 2),
    _stream(
        "bytes far after the stream",
        "MF606",
        "has bytes after the end",
        "far.md",
        deflated(_TEXT) + bytes(600_000),
    ),
    _stream("a cut stream", "MF601", "is cut off: its data does", "cut.md", deflated(_TEXT)[:-2]),
    _stream("no stream", "MF601", "is cut off: its data does", "empty.md", b""),
    _stream("noise", "MF601", "cannot be inflated: invalid block type", "noise.md", b"\xff" * 20),
    _stream(
        "a zlib stream", "MF601", "cannot be inflated", "zlib.md", b"\x78\x9c" + deflated(_TEXT)
    ),
    _stream(
        "far distances", "MF601", "cannot be inflated: invalid", "far-2.md", b"\x63\x00\x62\xff"
    ),
)
