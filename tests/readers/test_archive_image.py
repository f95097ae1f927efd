"""The raw make-up of an archive: every entry with its record, as it stands in the bytes."""

from __future__ import annotations

import io
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from memoryfield_readers import (
    DEFAULT_LIMITS,
    ArchiveImage,
    SourceUnavailable,
    UnsafeArchive,
    inspect_field,
    memory_field,
    open_field,
)
from memoryfield_readers.sources.archive import ArchiveSource
from memoryfield_readers.sources.random_access import SeekableFile
from memoryfield_validator.conformance.raw_zip import (
    DEFLATED,
    Descriptor,
    Header,
    Zip64End,
    ZipEntry,
    extra_field,
    zip_bytes,
)

_TIMES = extra_field(0x5455, bytes(5))
_ENTRIES = (
    ZipEntry("b.md", b"# B\n" * 9, DEFLATED),
    ZipEntry("a.md", b"# A\n", descriptor=Descriptor.SIGNED),
    ZipEntry("log/"),
    ZipEntry("log/x.txt", b"x", extra=_TIMES, central=Header(comment=b"of the entry")),
    ZipEntry("._a.md", b"debris"),
    ZipEntry("big.bin", b"big", zip64=True),
)
MIXED = zip_bytes(*_ENTRIES, comment=b"of the archive")
PLAIN = zip_bytes(_ENTRIES[0], ZipEntry("a.md", b"# A\n"))


def _image(data: bytes) -> ArchiveImage:
    with open_field(data) as field:
        image = field.archive_image()
        assert image is not None
        assert image.read_at(0, image.size) == data
        return image


@pytest.mark.parametrize(
    "data",
    [
        PLAIN,
        MIXED,
        zip_bytes(*_ENTRIES, zip64=Zip64End(), comment=b"PK"),
        zip_bytes(comment=b"empty"),
        zip_bytes(),
        zip_bytes(ZipEntry(b"\xff.md", b"named for CP437")),
    ],
    ids=["plain", "mixed", "zip64", "empty with a comment", "empty", "not marked"],
)
def test_an_image_is_put_together_to_the_archive(data: bytes) -> None:
    """Spans, records and what follows them are all bytes of the archive, in order."""
    image = _image(data)
    spans = b"".join(data[entry.start : entry.end] for entry in image.entries)
    records = b"".join(entry.record for entry in image.entries)
    assert data[: image.directory_at] == spans
    assert data[image.directory_at :].startswith(records + b"PK")
    assert data.endswith(len(image.comment).to_bytes(2, "little") + image.comment)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert image.comment == archive.comment
        assert image.directory_at == archive.start_dir
        told = [
            (i.is_dir(), i.compress_type, i.CRC, i.compress_size, i.file_size, i.header_offset)
            for i in archive.infolist()
        ]
    assert [
        (e.folder, e.method, e.crc, e.compressed, e.size, e.start) for e in image.entries
    ] == told


def test_folders_and_debris_are_in_an_image() -> None:
    """All entries, in the order of the central directory, folders without their slash."""
    entries = _image(MIXED).entries
    assert [(entry.path, entry.folder) for entry in entries] == [
        ("b.md", False), ("a.md", False), ("log", True), ("log/x.txt", False), ("._a.md", False),
        ("big.bin", False),
    ]  # fmt: skip
    assert entries[3].record.endswith(b"log/x.txt" + _TIMES + b"of the entry")


def test_what_is_no_archive_has_no_image(tmp_path: Path) -> None:
    """A folder and files in memory have none."""
    (tmp_path / "a.md").write_bytes(b"a\n")
    with open_field(tmp_path) as folder, memory_field({"a.md": b"a\n"}) as memory:
        assert folder.archive_image() is None
        assert memory.archive_image() is None


def test_a_pinned_archive_has_an_image_if_it_was_proved_whole() -> None:
    """A field pin does not cover the bytes of the archive; an archive pin does."""
    with open_field(MIXED) as field:
        pins = (field.archive_digest() or "", field.digest())
    with open_field(MIXED, pin=pins) as whole, open_field(MIXED, pin=pins[1]) as by_field:
        assert whole.archive_image() == _image(MIXED)
        assert by_field.archive_image() is None


def test_an_archive_that_was_not_checked_whole_has_an_image_only_then() -> None:
    """One elsewhere is checked entry by entry; its pin checks it whole."""
    file = SeekableFile(io.BytesIO(MIXED), owned=True)
    with closing(
        ArchiveSource(
            file, location="", archive_name="f.zip", name="f", limits=DEFAULT_LIMITS, strict=False
        )
    ) as source:
        assert source.archive_image() is None
        source.archive_digest()
        assert source.archive_image() == _image(MIXED)


def test_an_unsafe_archive_has_no_image() -> None:
    """What only a review may look into is not to be copied."""
    with inspect_field(zip_bytes(ZipEntry("a.md"), ZipEntry("a.md"))) as field:
        with pytest.raises(UnsafeArchive) as caught:
            field.archive_image()
        assert [fault.rule for fault in caught.value.faults] == ["MF604"]


def test_an_image_reads_as_long_as_its_field_is_open() -> None:
    """After that nothing is read, and nothing is made up."""
    with open_field(MIXED) as field:
        image = field.archive_image()
        assert image is not None
    with pytest.raises(SourceUnavailable):
        image.read_at(0, 4)
    with pytest.raises(SourceUnavailable):
        field.archive_image()
