"""The handbook is itself a memoryfield, and one in which nothing is to be found."""

from __future__ import annotations

from pathlib import Path

from memoryfield_readers import inspect_field
from memoryfield_validator import Report, validate
from memoryfield_validator.conformance.raw_zip import DEFLATED, ZipEntry, zip_bytes

HANDBOOK = Path(__file__).resolve().parent.parent / "docs" / "handbook"
MOST_BYTES = 8192
"""MF203: more than that is not sure to be found by a search."""


def report_on(location: Path) -> Report:
    with inspect_field(location) as field:
        return validate(field)


def packed(folder: Path) -> Path:
    """An archive of the handbook."""
    path = folder / "handbook.memoryfield.zip"
    pages = sorted(HANDBOOK.iterdir())
    entries = (ZipEntry(page.name, page.read_bytes(), method=DEFLATED) for page in pages)
    path.write_bytes(zip_bytes(*entries))
    return path


def test_folder_has_no_finding() -> None:
    """It is valid, and there is nothing to warn of or to note."""
    report = report_on(HANDBOOK)
    assert report.findings == ()
    assert report.verdict == "valid"


def test_archive_has_no_finding_and_the_same_pin(tmp_path: Path) -> None:
    """Packed, it is the same field."""
    report = report_on(packed(tmp_path))
    assert report.findings == ()
    assert report.digest == report_on(HANDBOOK).digest


def test_there_are_a_dozen_pages() -> None:
    """It is large enough to be a real input, and holds nothing but pages."""
    with inspect_field(HANDBOOK) as field:
        assert len(field.pages) >= 12
        assert {"index.md", "listing.md"} <= set(field.pages)
        assert (field.attachments, field.indexes, field.debris, field.folders) == ((), (), (), ())


def test_pages_are_small() -> None:
    """Each page is under 8 KiB."""
    sizes = {path.name: path.stat().st_size for path in HANDBOOK.iterdir()}
    assert {name: size for name, size in sizes.items() if size >= MOST_BYTES} == {}


def test_pages_are_complete() -> None:
    """Each has every field that the standard defines, also the one that may be left out."""
    with inspect_field(HANDBOOK) as field:
        for page in field.read(field.pages):
            fields = page.frontmatter.fields
            assert set(fields) >= {"title", "uuid", "summary", "created", "updated"}, page.name
            assert page.body.strip(), page.name
