"""Archives whose entries are one thing to one reader and another to the next (MF606)."""

from __future__ import annotations

import struct

from tests.readers.hostile import BESIDE, FIRST, LAST, Hostile, between

from memoryfield_validator.conformance.raw_zip import (
    DEFLATED,
    ENCRYPTED,
    HAS_DESCRIPTOR,
    MASKED,
    PATCHED,
    STRONG_ENCRYPTION,
    UTF8_NAME,
    Descriptor,
    Header,
    ZipEntry,
    extra_field,
    local_bytes,
    unicode_path,
    zip_bytes,
)

_ONLY_LAST = {"last.md": BESIDE["last.md"]}
_LYING_DESCRIPTOR = "its data descriptor is missing or disagrees with the directory"


def _local(what: str, name: str, local: Header, says: str, flags: int = 0) -> Hostile:
    entry = ZipEntry(name, b"content\n" * 9, DEFLATED, local=local, flags=flags)
    return Hostile(f"local header: {what}", between(entry), "MF606", f"`{name}`: {says}", name)


def _flag(what: str, name: str, flag: int) -> Hostile:
    says = "the flags of its local header differ from the directory's"
    return _local(what, name, Header(flags=flag), says)


_NAMES = "its local header names"
_SAYS = "its local header says"
LOCAL_HEADERS = (
    _local("another name", "a.md", Header(name="b.md"), f"{_NAMES} another file, `b.md`"),
    _local("a longer name", "l.md", Header(name="l.md.txt"), f"{_NAMES} another file, `l.md.txt`"),
    _local("a shorter name", "n.md", Header(name="n"), f"{_NAMES} another file, `n`"),
    _local("a name of 60,000 bytes", "b.md", Header(name="n" * 60_000), f"{_NAMES} another file"),
    _local("another method", "m.md", Header(method=0), f"{_SAYS} another compression method"),
    _local("another CRC", "crc.md", Header(crc=1), f"{_SAYS} another CRC"),
    _local("another size", "s.md", Header(size=7), f"{_SAYS} another size"),
    _local("no size", "zero.md", Header(size=0), f"{_SAYS} another size"),
    _local("other data", "c.md", Header(compressed=7), f"{_SAYS} another compressed size"),
    _local("no signature", "sig.md", Header(signature=b"PK\x03\x05"), "there is no local header"),
    _flag("encrypted here alone", "e.md", ENCRYPTED),
    _flag("strongly encrypted here alone", "strong.md", STRONG_ENCRYPTION),
    _flag("masked here alone", "masked.md", MASKED),
    _flag("patch data here alone", "patch.md", PATCHED),
    _flag("a descriptor here alone", "d.md", HAS_DESCRIPTOR),
    _flag("UTF-8 here alone", "u.md", UTF8_NAME),
    _local(
        "a descriptor in the directory alone", "dd.md", Header(flags=0),
        "the flags of its local header differ", HAS_DESCRIPTOR,
    ),
    _local(
        "an extra field that is too long", "x.md", Header(extra=b"\x99\x99\x09\x00"),
        "an extra field is longer than its record",
    ),
    _local(
        "sizes in a zip64 field that is too short", "z.md",
        Header(size=0xFFFFFFFF, extra=extra_field(1, b"1234")), "a zip64 extra field is too short",
    ),
    _local(
        "two zip64 fields", "zz.md", Header(extra=extra_field(1, b"") * 2),
        "an extra field stands twice",
    ),
)  # fmt: skip


def _descriptor(what: str, name: str, data: bytes, local: Header | None = None) -> Hostile:
    entry = ZipEntry(
        name, b"text\n", descriptor=Descriptor.SIGNED, descriptor_bytes=data,
        local=local or Header(),
    )  # fmt: skip
    says = f"`{name}`: {_LYING_DESCRIPTOR}"
    return Hostile(f"descriptor: {what}", between(entry), "MF606", says, name)


TEXT_CRC = 0x37ECDA27
_SIGNED = b"PK\x07\x08"

DESCRIPTORS = (
    _descriptor("missing", "d1.md", b""),
    _descriptor("another CRC", "d2.md", _SIGNED + struct.pack("<3L", 1, 5, 5)),
    _descriptor("another size", "d3.md", _SIGNED + struct.pack("<3L", TEXT_CRC, 5, 6)),
    _descriptor("another compressed size", "d4.md", _SIGNED + struct.pack("<3L", TEXT_CRC, 6, 5)),
    _descriptor("another signature", "d5.md", b"PK\x07\x09" + struct.pack("<3L", TEXT_CRC, 5, 5)),
    _descriptor("cut", "d6.md", _SIGNED + struct.pack("<2L", TEXT_CRC, 5)),
    _descriptor(
        "followed by a gap", "d7.md", _SIGNED + struct.pack("<3L", TEXT_CRC, 5, 5) + b"gap"
    ),
    _descriptor("zip64 and another size", "d8.md", struct.pack("<L2Q", TEXT_CRC, 5, 5 | 1 << 32)),
    _descriptor("twice", "d9.md", (_SIGNED + struct.pack("<3L", TEXT_CRC, 5, 5)) * 2),
)

_MORE = Header(size=60, compressed=60)
_TO_THE_END = Header(size=20_000, compressed=20_000)
_INNER = zip_bytes(ZipEntry("inner.md", b"inner\n"))

SPANS = (
    Hostile(
        "span: data that reach into the next entry",
        between(ZipEntry("a.md", b"short\n", local=_MORE, central=_MORE)),
        "MF606",
        "`a.md`: overlaps the next one, `last.md`",
        "a.md",
    ),
    Hostile(
        "span: data that reach into the directory",
        zip_bytes(
            FIRST, LAST, ZipEntry("a.md", b"short\n", local=_TO_THE_END, central=_TO_THE_END)
        ),
        "MF606",
        "`a.md`: overlaps the central directory",
        "a.md",
    ),
    Hostile(
        "span: two lines of the directory for one entry",
        between(ZipEntry("a.md", b"one\n"), ZipEntry("b.md", b"one\n", written=False,
                central=Header(offset=len(local_bytes(FIRST))))),
        "MF606",
        "`a.md`: overlaps the next one, `b.md`",
        "a.md",
        more=("MF606",),
    ),
    Hostile(
        "span: an entry within the data of another",
        between(
            ZipEntry("outer.md", local_bytes(ZipEntry("inner.md", b"inner\n"))),
            ZipEntry("inner.md", b"inner\n", written=False,
                     central=Header(offset=len(local_bytes(FIRST)) + 30 + len("outer.md"))),
        ),
        "MF606",
        "`outer.md`: overlaps the next one, `inner.md`",
        "outer.md",
        BESIDE | {"inner.md": b"inner\n"},
    ),
    Hostile(
        "span: a gap before an entry",
        zip_bytes(FIRST, ZipEntry("a.md", b"x\n", gap=bytes(17)), LAST),
        "MF606",
        "`first.md`: 17 bytes that belong to no entry follow it",
        "first.md",
        _ONLY_LAST | {"a.md": b"x\n"},
    ),
    Hostile(
        "span: an entry that the directory does not list",
        between(ZipEntry("hidden.md", b"hidden\n", listed=False)),
        "MF606",
        "`first.md`: 46 bytes that belong to no entry follow it",
        "first.md",
        _ONLY_LAST,
    ),
    Hostile(
        "span: an archive before the directory",
        zip_bytes(LAST, FIRST, before_directory=_INNER),
        "MF606",
        f"`first.md`: {len(_INNER)} bytes that belong to no entry follow it",
        "first.md",
        _ONLY_LAST,
    ),
    Hostile(
        "span: a descriptor that no flag announces",
        between(ZipEntry("a.md", b"x\n", descriptor_bytes=bytes(16))),
        "MF606",
        "`a.md`: 16 bytes that belong to no entry follow it",
        "a.md",
    ),
    Hostile(
        "span: stored, but with two sizes",
        between(ZipEntry("a.md", b"text\n", local=Header(size=4), central=Header(size=4))),
        "MF606",
        "`a.md` is stored, but its two sizes differ",
        "a.md",
    ),
)  # fmt: skip


def _offset(what: str, name: str, offset: int, says: str, *, zip64: bool = False) -> Hostile:
    entry = ZipEntry(name, b"", written=False, central=Header(offset=offset), zip64=zip64)
    return Hostile(f"offset: {what}", between(entry), "MF606", f"`{name}`: {says}", name)


_BEYOND = "its local header would lie beyond the entries"
OFFSETS = (
    _offset("in the directory", "o1.md", 80, _BEYOND),
    _offset("beyond the end", "o2.md", 4096, _BEYOND),
    _offset("2**32 - 2", "o3.md", 2**32 - 2, _BEYOND),
    _offset("2**32 - 1", "o4.md", 2**32 - 1, _BEYOND),
    _offset("2**63 - 1", "o5.md", 2**63 - 1, _BEYOND, zip64=True),
    _offset("2**63", "o6.md", 2**63, _BEYOND, zip64=True),
    _offset("2**64 - 1", "o7.md", 2**64 - 1, _BEYOND, zip64=True),
    Hostile(
        "offset: 2**64 - 1, of the only entry",
        zip_bytes(ZipEntry("o8.md", b"x\n", zip64=True, central=Header(offset=2**64 - 1))),
        "MF606",
        f"`o8.md`: {_BEYOND}",
        "o8.md",
        {},
    ),
)


_NO_NAME = "`{}.md`: a Unicode path field gives it no name"


def _path(what: str, name: str | bytes, local: bytes, central: bytes, says: str) -> Hostile:
    entry = ZipEntry(name, b"x\n", local=Header(extra=local), central=Header(extra=central))
    shown = name if isinstance(name, str) else name.decode("cp437")
    return Hostile(f"path field: {what}", between(entry), "MF606", says, shown)


_EVIL = unicode_path("../evil.md", b"p.md")
UNICODE_PATHS = (
    _path("in the directory", "p.md", b"", _EVIL, "gives it another name, `../evil.md`"),
    _path("in the local header", "q.md", _EVIL, b"", "`q.md`: a Unicode path field gives it"),
    _path("in both", "r.md", _EVIL, _EVIL, "`r.md`: a Unicode path field gives it"),
    _path("a folder", "s.md", b"", unicode_path("s.md/", b"s.md"), "another name, `s.md/`"),
    _path("empty", "t.md", b"", unicode_path("", b"t.md"), _NO_NAME.format("t")),
    _path("not UTF-8", "\ufffd.md", b"", unicode_path(b"\xff.md"), "name, `\\xff.md`"),
    _path("of a CP437 name", b"\x82.md", b"", unicode_path("Θ.md", b"\x82.md"), "`é.md`: a"),
    _path(
        "no version", "v.md", extra_field(0x7075, b"\x02\0\0\0\0v.md"), b"", _NO_NAME.format("v")
    ),
    _path("too short", "w.md", extra_field(0x7075, b"\x01"), b"", _NO_NAME.format("w")),
)
