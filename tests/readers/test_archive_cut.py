"""An archive that lost its end, at whatever byte, is refused and never half read."""

from __future__ import annotations

import io
import zipfile

import pytest

from memoryfield_readers import UnsafeArchive, inspect_field, open_field
from memoryfield_validator.conformance.raw_zip import (
    DEFLATED,
    Descriptor,
    Zip64End,
    ZipEntry,
    zip_bytes,
)

A = ZipEntry("a.md", b"# A\n" * 30, DEFLATED)
B = ZipEntry("b.md", b"# B\n", descriptor=Descriptor.SIGNED)
INNER = ZipEntry("inner.zip", zip_bytes(A, B))


def _read_all(data: bytes) -> None:
    with open_field(data) as field:
        for name in (*field.pages, *field.attachments):
            field.sha256(name)


def _stream() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.md", b"text\n" * number)
    return target.getvalue()


ARCHIVES = {
    "plain": zip_bytes(A, B),
    "with a comment": zip_bytes(A, B, comment=b"a comment\n" * 9),
    "zip64": zip_bytes(A, B, zip64=Zip64End()),
    "with an archive in it": zip_bytes(A, INNER, B),
    "with an archive at its end": zip_bytes(A, B, INNER),
    "empty": zip_bytes(),
    "by zipfile": _stream(),
}


@pytest.mark.parametrize("data", ARCHIVES.values(), ids=ARCHIVES)
def test_a_cut_archive_is_refused_at_every_length(data: bytes) -> None:
    """Cut anywhere, it is unsafe (MF601 or MF606) for a reader, and a review does not crash."""
    with open_field(data) as field:
        assert field.faults == ()
    for length in range(len(data)):
        with inspect_field(data[:length]) as field:
            rules = {fault.rule for fault in field.faults}
            assert rules, length
            assert rules <= {"MF601", "MF606"}, length
        with pytest.raises(UnsafeArchive) as caught:
            open_field(data[:length])
        assert caught.value.exit_code == 3


@pytest.mark.parametrize("data", ARCHIVES.values(), ids=ARCHIVES)
def test_an_archive_that_lost_its_beginning_is_refused(data: bytes) -> None:
    """Bytes lost at the start are noticed at every length."""
    for length in range(1, len(data) + 1):
        with pytest.raises(UnsafeArchive):
            open_field(data[length:])


@pytest.mark.parametrize("data", ARCHIVES.values(), ids=ARCHIVES)
def test_an_archive_that_lost_its_middle_is_refused(data: bytes) -> None:
    """Bytes lost within are noticed, whichever and however many, at the latest when reading."""
    for at in range(0, len(data), 3):
        for count in (1, 2, 7, 30):
            cut = data[:at] + data[at + count :]
            if len(cut) == len(data):
                continue
            with pytest.raises(UnsafeArchive):
                _read_all(cut)
