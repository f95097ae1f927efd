"""Every honest form of an archive is accepted, and reads as Python's own reader reads it."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime

import pytest

from memoryfield_readers import Limits, inspect_field, open_field
from memoryfield_validator.conformance.raw_zip import (
    DEFLATED,
    STORED,
    Descriptor,
    Header,
    Zip64End,
    ZipEntry,
    extra_field,
    unicode_path,
    zip_bytes,
)

PAGE = b"# A page\n" * 40


def _read(data: bytes) -> dict[str, bytes]:
    """The pages of an archive without any fault, which `zipfile` must see just so."""
    with open_field(data) as field:
        assert field.faults == ()
        pages = {name: field.page(name).raw for name in field.pages}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert pages == {name: archive.read(name) for name in archive.namelist()}
    return pages


@pytest.mark.parametrize("zip64", [False, True], ids=["zip32", "zip64"])
@pytest.mark.parametrize(
    ("method", "form"),
    [
        (STORED, None), (STORED, Descriptor.SIGNED),
        (DEFLATED, None), (DEFLATED, Descriptor.SIGNED), (DEFLATED, Descriptor.BARE),
    ],
)  # fmt: skip
def test_all_forms_of_descriptors(form: Descriptor | None, method: int, zip64: bool) -> None:
    """A data descriptor has sizes of 32 or 64 bits, and after deflated data needs no signature."""
    entry = ZipEntry("a.md", PAGE, method, descriptor=form, zip64=zip64)
    data = zip_bytes(entry, ZipEntry("b.md", b"b\n", zip64=zip64))
    assert _read(data) == {"a.md": PAGE, "b.md": b"b\n"}


def test_a_descriptor_may_repeat_what_the_local_header_says() -> None:
    """With a descriptor, the local header says nothing or the truth."""
    known = Header(size=len(PAGE), compressed=len(PAGE))
    entry = ZipEntry("a.md", PAGE, descriptor=Descriptor.SIGNED, local=known)
    assert _read(zip_bytes(entry)) == {"a.md": PAGE}


@pytest.mark.parametrize("entries", [0, 1, 2])
def test_a_zip64_end_record(entries: int) -> None:
    """A zip64 end record is read where the plain one says "see there"."""
    names = [f"{number}.md" for number in range(entries)]
    data = zip_bytes(*(ZipEntry(name, PAGE) for name in names), zip64=Zip64End())
    assert _read(data) == dict.fromkeys(names, PAGE)


def test_the_directory_may_have_another_order_than_the_file() -> None:
    """Entries are read by offset, whatever the order in which the directory lists them."""
    first, second = ZipEntry("b.md", b"b\n"), ZipEntry("a.md", b"a\n")
    hidden = ZipEntry("a.md", b"a\n", listed=False)
    listed = ZipEntry("a.md", b"a\n", written=False, central=Header(offset=0))
    assert _read(zip_bytes(first, second)) == {"a.md": b"a\n", "b.md": b"b\n"}
    assert _read(zip_bytes(hidden, first, listed)) == {"a.md": b"a\n", "b.md": b"b\n"}


def test_comments_and_extra_fields_say_nothing() -> None:
    """Comments of entries and of the archive, harmless extra fields and padding are let be."""
    padded = extra_field(0xCAFE, b"") + extra_field(0x5455, b"\x01\0\0\0\0") + bytes(3)
    entry = ZipEntry("a.md", PAGE, extra=padded, central=Header(comment=b"PK\x03\x04 no entry"))
    assert _read(zip_bytes(entry, comment=b"PK\x01\x02 no directory")) == {"a.md": PAGE}
    assert _read(zip_bytes(entry, comment=b"c" * 0xFFFF)) == {"a.md": PAGE}


def test_a_long_local_extra_field_is_read_whole() -> None:
    """A local header may be longer than what one guess at its length reads."""
    assert _read(zip_bytes(ZipEntry("a.md", PAGE, extra=extra_field(0xCAFE, bytes(60_000))))) == {
        "a.md": PAGE
    }


def test_folders_are_no_files() -> None:
    """Folder entries, implied folders and what is in them are no part of the field."""
    data = zip_bytes(
        ZipEntry("a.md", b"a\n"), ZipEntry("log/"), ZipEntry("log/b.md", b"b\n"),
        ZipEntry("deep/er/c.txt", b"c\n"), ZipEntry("empty/", b"", DEFLATED, data=b"\x03\0"),
    )  # fmt: skip
    with open_field(data) as field:
        assert field.faults == ()
        assert (field.pages, field.attachments) == (("a.md",), ())
        assert field.folders == ("deep", "empty", "log")
        assert [entry.path for entry in field.nested()] == ["deep/er/c.txt", "log/b.md"]
        assert list(field.damaged()) == []


def test_modes_and_setuid_bits_are_not_taken_over() -> None:
    """A setuid, setgid or world-writable file of an archive is a page like any other."""
    assert _read(zip_bytes(ZipEntry("a.md", PAGE, attributes=0o106777 << 16))) == {"a.md": PAGE}


def test_an_empty_archive_is_an_archive() -> None:
    """An archive without entries opens, has no fault, and has no page."""
    with open_field(zip_bytes()) as field:
        assert (field.faults, field.pages, field.attachments) == ((), (), ())


@pytest.mark.parametrize("version", [0, 10, 20, 45, 0x0314], ids=hex)
def test_any_version_up_to_zip64_is_read(version: int) -> None:
    """The version an entry needs is judged by its lower byte; the upper one names a system."""
    says = Header(version=version)
    assert _read(zip_bytes(ZipEntry("a.md", PAGE, local=says, central=says))) == {"a.md": PAGE}


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("é.md".encode(), "é.md"),
        ("日本.md".encode(), "日本.md"),
        (b"\x82.md", "é.md"),
        (b"\xe1\xe9.md", "ßΘ.md"),
        (bytes(range(0x80, 0x100)), bytes(range(0x80, 0x100)).decode("cp437")),
    ],
    ids=ascii,
)
def test_unmarked_names_are_read_and_warned_of(raw: bytes, name: str) -> None:
    """A name without the UTF-8 mark is UTF-8 if it can be, else CP437, and is MF609 either way."""
    data = zip_bytes(ZipEntry(raw, b"x\n"))
    with open_field(data) as field:
        assert field.pages + field.attachments == (name,)
        assert [(fault.rule, fault.entry) for fault in field.faults] == [("MF609", name)]


def test_a_marked_name_is_utf8() -> None:
    """A name with the UTF-8 mark is read as that, without a word."""
    assert _read(zip_bytes(ZipEntry("日本.md", PAGE))) == {"日本.md": PAGE}


@pytest.mark.parametrize(
    "entry",
    [
        ZipEntry("a.md", PAGE, extra=unicode_path("a.md", b"a.md")),
        ZipEntry("a.md", PAGE, central=Header(extra=unicode_path("a.md", b"a.md"))),
        ZipEntry("a.md", PAGE, local=Header(extra=unicode_path("a.md", b"a.md"))),
        ZipEntry(b"\x82.md", PAGE, extra=unicode_path("é.md", b"\x82.md")),
        ZipEntry("d/", extra=unicode_path("d/", b"d/")),
    ],
    ids=["both", "directory", "local", "CP437", "folder"],
)
def test_a_unicode_path_field_that_agrees(entry: ZipEntry) -> None:
    """A Unicode path field that says the same name does no harm."""
    with open_field(zip_bytes(entry)) as field:
        assert {fault.rule for fault in field.faults} <= {"MF609"}
        assert field.pages in (("a.md",), ("é.md",), ())


@pytest.mark.parametrize(
    ("date", "time", "modified"),
    [
        (46 << 9 | 3 << 5 | 1, 9 << 11 | 30 << 5 | 29, datetime(2026, 3, 1, 9, 30, 58, tzinfo=UTC)),
        (127 << 9 | 12 << 5 | 31, 0, datetime(2107, 12, 31, tzinfo=UTC)),
        (0, 0, datetime(1980, 1, 1, tzinfo=UTC)),
        (46 << 9 | 13 << 5 | 1, 0, datetime(1980, 1, 1, tzinfo=UTC)),
        (46 << 9 | 2 << 5 | 30, 0, datetime(1980, 1, 1, tzinfo=UTC)),
        (46 << 9 | 3 << 5, 0, datetime(1980, 1, 1, tzinfo=UTC)),
        (46 << 9 | 3 << 5 | 1, 24 << 11, datetime(2026, 3, 1, tzinfo=UTC)),
        (46 << 9 | 3 << 5 | 1, 60 << 5, datetime(2026, 3, 1, tzinfo=UTC)),
        (46 << 9 | 3 << 5 | 1, 30, datetime(2026, 3, 1, tzinfo=UTC)),
        (0xFFFF, 0xFFFF, datetime(1980, 1, 1, tzinfo=UTC)),
    ],
)
def test_times_no_calendar_has_are_clamped(date: int, time: int, modified: datetime) -> None:
    """An entry's timestamp is taken as UTC; an impossible date or time is no error."""
    says = Header(date=date, time=time)
    with open_field(zip_bytes(ZipEntry("a.md", PAGE, local=says, central=says))) as field:
        assert field.faults == ()
        assert field.page("a.md").modified == modified


@pytest.mark.parametrize("around", [0, 256 * 1024, 512 * 1024])
def test_content_of_any_length_around_a_piece(around: int) -> None:
    """Content that ends near the end of a piece as it is inflated is whole, to the last byte."""
    entries = {}
    for more in (*range(-2, 3), 255, 256, 257, 258, 259, 260, 516, 517):
        if around + more >= 0:
            entries[f"{more + 2}.md"] = bytes(around + more)
    data = zip_bytes(*(ZipEntry(name, content, DEFLATED) for name, content in entries.items()))
    assert _read(data) == entries


def test_limits_can_be_raised() -> None:
    """What is refused by default is read, whole, once the limits are raised."""
    zeros = bytes(50_000_000)
    data = zip_bytes(ZipEntry("zeros.bin", zeros, DEFLATED), ZipEntry("a.md", PAGE))
    with inspect_field(data) as field:
        assert [fault.rule for fault in field.faults] == ["MF607"]
        assert field.attachments == ()
    with open_field(data, limits=Limits(ratio=2000)) as field:
        assert sum(map(len, field.chunks("zeros.bin"))) == len(zeros)


@pytest.mark.parametrize(
    ("limits", "count"),
    [
        (Limits(entries=3), 3),
        (Limits(total_bytes=30), 3),
        (Limits(file_bytes=10), 3),
        (Limits(directory_bytes=3 * (46 + 4)), 3),
    ],
    ids=["entries", "total", "file", "directory"],
)
def test_limits_are_exact(limits: Limits, count: int) -> None:
    """As much as a limit says is read, and not one byte or entry more."""
    entries = [ZipEntry(f"{number}.md", b"123456789\n") for number in range(count)]
    with open_field(zip_bytes(*entries), limits=limits) as field:
        assert len(field.pages) == count
    one_more = zip_bytes(*entries[1:], ZipEntry("0.md", b"1234567890\n"), ZipEntry("4.md"))
    with inspect_field(one_more, limits=limits) as field:
        assert [fault.rule for fault in field.faults] == ["MF607"]
