"""Archives that one widespread reader takes for something else than another does (MF604-MF606)."""

from __future__ import annotations

import struct

from tests.readers.hostile import Hostile, between

from memoryfield_validator.conformance.raw_zip import (
    DEFLATED,
    Descriptor,
    Header,
    ZipEntry,
    extra_field,
    local_bytes,
    zip_bytes,
)

_LINK = extra_field(0x756E, struct.pack("<LHLHH", 0, 0o120777, 11, 0, 0) + b"/etc/passwd")
_BY_SOME = "by which some readers may see another file"
_EVIL = local_bytes(ZipEntry("evil.md", b"evil\n"))


def _extra(what: str, name: str, kind: int, data: bytes) -> Hostile:
    entry = ZipEntry(name, b"text\n", extra=extra_field(kind, data))
    says = f"`{name}`: it has an extra field 0x{kind:04x}, {_BY_SOME}"
    return Hostile(f"other readers: {what}", between(entry), "MF606", says, name)


OTHER_READERS = (
    Hostile(
        "other readers: an ASi Unix field makes it a link to unzip",
        between(ZipEntry("asi.md", b"text\n", central=Header(extra=_LINK))),
        "MF606",
        f"`asi.md`: it has an extra field 0x756e, {_BY_SOME}",
        "asi.md",
    ),
    _extra("a PKWARE Unix field may make it a link", "pk.md", 0x000D, bytes(12)),
    _extra("a libarchive field makes it a link to bsdtar", "xl.md", 0x6C78, b"\x07\x17\3\xff\xa1"),
    _extra("an AES field without encryption", "aes.md", 0x9901, bytes(7)),
    _extra("a field of nobody", "who.md", 0xBEEF, b""),
    Hostile(
        "other readers: a stored entry with a descriptor and another entry in its data",
        between(
            ZipEntry("desc.md", b"hello" + b"PK\x07\x08" + _EVIL, descriptor=Descriptor.SIGNED)
        ),
        "MF606",
        "`desc.md`: it is stored, its size stands behind its data, and the data hold the signature",
        "desc.md",
    ),
    Hostile(
        "other readers: a stored entry with a descriptor that has no signature",
        between(ZipEntry("bare.md", b"text\n", descriptor=Descriptor.BARE)),
        "MF606",
        "`bare.md`: it is stored, and its data descriptor has no signature",
        "bare.md",
    ),
    Hostile(
        "other readers: a version that unzip does not know",
        between(ZipEntry("v.md", b"x\n", local=Header(version=63), central=Header(version=63))),
        "MF605",
        "`v.md` needs version 6.3",
        "v.md",
    ),
    Hostile(
        "other readers: a 64-bit descriptor that no zip64 field announces",
        between(
            ZipEntry(
                "wide.md", b"text\n", DEFLATED, descriptor=Descriptor.SIGNED,
                descriptor_bytes=b"PK\x07\x08" + struct.pack("<L2Q", 0x37ECDA27, 7, 5),
            )
        ),
        "MF606",
        "`wide.md`: its data descriptor is missing or disagrees",
        "wide.md",
    ),
    Hostile(
        "other readers: a folder that carries another entry",
        between(
            ZipEntry("sub/", b"", DEFLATED, data=b"\x03\x00" + _EVIL),
        ),
        "MF606",
        "`sub`: it is a folder, but carries data",
        "sub/",
    ),
    Hostile(
        "other readers: a volume label is left out by unzip",
        between(ZipEntry("label.md", b"text\n", attributes=0x08)),
        "MF605",
        "`label.md` is marked as a volume label",
        "label.md",
    ),
    Hostile(
        "other readers: flags that differ in a bit of no meaning",
        between(ZipEntry("bit.md", b"text\n", local=Header(flags=0x1000))),
        "MF606",
        "`bit.md`: the flags of its local header differ",
        "bit.md",
    ),
    Hostile(
        "other readers: two names that are one in CP437",
        zip_bytes(
            ZipEntry("caf├⌐.md", b"one\n", flags=0x0800),
            ZipEntry("café.md".encode(), b"two\n", flags=0),
        ),
        "MF604",
        "`café.md` is `caf├⌐.md` to some readers",
        "caf├⌐.md",
        beside={},
    ),
)  # fmt: skip
