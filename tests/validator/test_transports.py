"""A field has the same findings as a folder and as an archive, but for two about archives."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.validator.fields import Files, archive, page, pages, validated, write_files

from memoryfield_validator import Finding, Report
from memoryfield_validator.conformance.raw_zip import DEFLATED, STORED

NAMES = (
    "a.md", "b.md", "A.md", "index.md", "listing.md", "x y.md", "é.md", "e\u0301.md", "con.md",
    "a (conflicted copy).md", "pan.png", "Pan.png", "b.MD", "c.markdown", "com¹.md", "nul",
    "x-v1.sqlite3", "x-v1.sqlite3-wal", ".x.md", "a.md~", "Thumbs.db", "a.sync-conflict-1.md",
    "x/c.md", "x/.c.md", "x/y/d.md", "x/pan.png", "__MACOSX/._a.md", ".trash/e.md", "y.md/z.txt",
)  # fmt: skip
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:8742\nsize 40960\n"
CONTENTS = (
    "", "x", POINTER, b"\xff\xfe", "---\nprose\n---\n", "\ufeff" + page(),
    page(), page(number=1), page(title="no"), page(title="a: b"), page(created="2026-02-30"),
    page("[a](a.md) [b](b.md) [c](x/c.md) [p](pan.png)\nb.md c.md\n"), page(" ".join(pages(12))),
    page("\x00\x1b\n<<<<<<< a\n"), page("x" * 9000), page(more="x: !y z\n"),
)  # fmt: skip


def told(report: Report) -> list[Finding | tuple[object, ...]]:
    """The findings, without what may differ: the level of debris, and the name of an archive."""
    return [
        one if one.rule != "MF104" else (one.rule, one.file, one.message, one.hint)
        for one in report.findings
        if one.rule != "MF602"
    ]


def reports_on(files: Files) -> tuple[Report, Report, Report]:
    """The reports on files as a folder, stored in an archive, and deflated in one."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = validated(write_files(Path(scratch) / "field", files))
    stored, deflated = archive(files, STORED), archive(files, DEFLATED)
    return folder, validated(stored), validated(deflated, name="field.zip")


@settings(max_examples=75, deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(CONTENTS), max_size=8))
def test_findings_do_not_depend_on_the_transport(others: Files) -> None:
    """Folder and archives agree on every finding, on the digest and on the pages."""
    folder, stored, deflated = reports_on({"z.md": page(number=9), **others})
    assert told(folder) == told(stored) == told(deflated)
    assert folder.digest == stored.digest == deflated.digest
    assert folder.pages == stored.pages == deflated.pages


def test_debris_is_worse_in_an_archive() -> None:
    """Debris is info where it comes and goes, and a warning where somebody packed it."""
    levels = [
        [one.level for one in report.findings if one.rule == "MF104"]
        for report in reports_on({"a.md": page(), ".x": ""})
    ]
    assert levels == [["info"], ["warning"], ["warning"]]


def test_only_an_archive_has_a_name_to_complain_of() -> None:
    """MF602 is about the name of an archive, and about no folder."""
    assert [[one.rule for one in report.findings] for report in reports_on({"a.md": page()})] == [
        [],
        [],
        ["MF602"],
    ]


@pytest.mark.parametrize("method", [STORED, DEFLATED])
def test_archive_in_a_file_is_the_same_as_its_bytes(method: int, tmp_path: Path) -> None:
    """An archive gives the same report from a path as from memory, but for its location."""
    data = archive({"a.md": page(title="no"), "b/c.md": ""}, method)
    path = tmp_path / "field.memoryfield.zip"
    path.write_bytes(data)
    report = validated(path)
    assert report.findings == validated(data).findings
    assert report.location == str(path)
