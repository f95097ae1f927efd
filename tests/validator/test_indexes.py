"""How SQLite indexes are opened: from any source, without a trace, and only with the library."""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.conformance.suites import kit_suite
from tests.readers.unprivileged import without_rights
from tests.validator.fields import (
    Files,
    archive,
    page,
    pages,
    report_on,
    rules_in,
    validated,
    write_files,
)
from tests.validator.index_files import VECTOR, Row, index, index_of, patched, row, vector
from tests.validator.schemas import assert_fits_schema
from tests.validator.test_unread import FailingSource

from memoryfield_readers import (
    DEFAULT_LIMITS,
    Entry,
    Field,
    Limits,
    SourceChanged,
    SourceUnavailable,
    inspect_field,
)
from memoryfield_spec import model_of
from memoryfield_validator import Finding, Report, validate
from memoryfield_validator.conformance import Ours, run_cases

COMMON = "nomic-embed-text-v1.5.sqlite3"
INDEX = "tiny-v1.sqlite3"
PAGES: Files = {"a.md": page(), "b.md": page(number=1)}
GOOD = index_of(PAGES)
STALE = index([row("a.md", "x"), row("b.md", PAGES["b.md"])])
NEED_LIBRARY = ["MF504", "MF505", "MF506", "MF509"]


def on_indexes(report: Report) -> list[Finding]:
    """The findings of the rules that look into SQLite indexes."""
    return [finding for finding in report.findings if finding.rule in NEED_LIBRARY]


def everything_in(folder: Path) -> dict[str, tuple[bytes, int]]:
    """The files of a folder with their content and the time of the last change."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary files are made during a test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("header", [b"\1\1", b"\2\2", b"\2\1"])
def test_reading_leaves_nothing_behind(header: bytes, tmp_path: Path, temporary: Path) -> None:
    """No side file appears and no byte changes, in WAL mode neither; no copy is left."""
    folder = write_files(tmp_path / "field", {**PAGES, INDEX: patched(STALE, 18, header)})
    before = everything_in(folder)
    assert "MF505" in rules_in(validated(folder))
    assert everything_in(folder) == before
    assert list(temporary.iterdir()) == []


def test_bad_index_leaves_nothing_behind(tmp_path: Path, temporary: Path) -> None:
    """What cannot be read is let go of as well."""
    folder = write_files(tmp_path / "field", {**PAGES, INDEX: GOOD[:700]})
    assert "MF504" in rules_in(validated(folder))
    assert list(temporary.iterdir()) == []


def test_what_stands_beside_an_index_is_not_looked_into(tmp_path: Path) -> None:
    """A log or a journal beside an index changes nothing of what is read, and is not touched."""
    folder = write_files(tmp_path / "field", {**PAGES, INDEX: patched(GOOD, 18, b"\2\2")})
    writer = apsw.Connection(str(folder / INDEX))
    writer.execute("DELETE FROM pages")  # stands in the log alone
    before = everything_in(folder)
    assert set(before) == {*PAGES, INDEX, f"{INDEX}-wal", f"{INDEX}-shm"}
    assert on_indexes(validated(folder)) == []
    assert everything_in(folder) == before
    writer.close()


def _read_only(folder: Path) -> None:
    write_files(folder, {**PAGES, INDEX: patched(STALE, 18, b"\2\2")})
    os.chmod(folder, 0o555)
    assert [one.rule for one in on_indexes(validated(folder))] == ["MF505"]
    assert sorted(os.listdir(folder)) == sorted([*PAGES, INDEX])
    os.chmod(folder, 0o755)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a child process of another user")
def test_folder_that_cannot_be_written_to_is_read(tmp_path: Path) -> None:
    """A folder without the right to write is no obstacle, in WAL mode neither."""
    validated(write_files(tmp_path / "field", {**PAGES, INDEX: GOOD}))
    without_rights(_read_only)


def test_every_source_gives_the_same_findings(tmp_path: Path) -> None:
    """A folder and an archive are read alike."""
    files: Files = {**PAGES, INDEX: STALE}
    folder = validated(write_files(tmp_path / "field", files))
    zipped = report_on(files)
    assert on_indexes(folder) == on_indexes(zipped) != []


def test_findings_of_several_indexes_are_in_order() -> None:
    """Each index has its own findings, in the order of names, whatever is asked for."""
    files: Files = {**PAGES, COMMON: GOOD, INDEX: STALE, "x-v2.sqlite3": b"x"}
    report = report_on(files)
    assert [(one.rule, one.file) for one in report.findings] == [
        ("MF506", COMMON),
        ("MF505", INDEX),
        ("MF504", "x-v2.sqlite3"),
    ]
    assert_fits_schema(report)
    only = validated(archive(files), select=["MF505"])
    assert [(one.rule, one.file) for one in only.findings] == [("MF505", INDEX)]


def test_rules_that_are_not_asked_for_open_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index is opened only by the rules that look into it."""
    monkeypatch.setattr(apsw, "Connection", None)
    report = validated(archive({**PAGES, INDEX: STALE}), ignore=NEED_LIBRARY)
    assert rules_in(report) == ["MF507"]
    assert report.unread == ()


def test_large_index_is_checked_row_by_row(tmp_path: Path) -> None:
    """In 10,000 rows the three that are at fault are found, each with its name."""
    field = pages(10_000)
    numbers = random.Random(1)
    rows = [
        row(name, text, vector(*(numbers.uniform(-1, 1) for _ in range(16))))
        for name, text in field.items()
    ]
    rows[4321] = rows[4321]._replace(sha256_hash=bytes(32))
    rows[7654] = rows[7654]._replace(embedding=bytes(64))
    rows[9998] = rows[9998]._replace(filename="gone.md")
    folder = write_files(tmp_path / "field", {**field, INDEX: index(rows, page_size=4096)})
    with inspect_field(folder) as opened:
        found = on_indexes(validate(opened, select=["MF5"]))
    assert [(one.rule, one.message.rpartition(": ")[2]) for one in found] == [
        ("MF505", "`page-9999.md`"),
        ("MF505", "`gone.md`"),
        ("MF505", "`page-4322.md`"),
        ("MF506", "`page-7655.md`"),
    ]


@pytest.fixture(params=["missing", "3.53.4"])
def no_library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """There is no library, or one that is too old; what is said of it."""
    if request.param == "missing":
        monkeypatch.setitem(sys.modules, "apsw", None)
        return "needs the package apsw, which is not installed"
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: request.param)
    return "needs SQLite 3.54.0 or newer, and the package apsw brings 3.53.4"


def test_without_the_library_each_rule_says_that_it_was_not_run(no_library: str) -> None:
    """One finding a rule, at level info, on the field; and what was not read counts as unread."""
    files: Files = {**PAGES, INDEX: STALE, "x-v2.sqlite3": b"x", "x-v2.sqlite3-wal": b""}
    report = report_on(files)
    found = on_indexes(report)
    assert [one.rule for one in found] == NEED_LIBRARY
    for one in found:
        assert (one.level, one.file, one.line) == ("info", None, None)
        assert one.message == f"was not run: it {no_library}"
        assert one.hint == "pip install 'memoryfield-kit[index]'"
    assert [one.rule for one in report.findings if one.rule not in NEED_LIBRARY] == [
        "MF507",
        "MF508",
    ]
    (error,) = report.unread
    assert isinstance(error, SourceUnavailable)
    assert error.exit_code == 4
    assert error.entry is None
    assert error.message == f"the SQLite indexes were not checked: it {no_library}"
    assert error.hint == "pip install 'memoryfield-kit[index]'"
    assert_fits_schema(report)


def test_library_is_missed_only_where_it_is_needed(no_library: str) -> None:
    """Without an SQLite index, or without the rules that read one, nothing is missed."""
    assert no_library
    for files in (
        PAGES,
        {**PAGES, "nomic-embed-text-v1.5.bin": b"x"},
        {**PAGES, f"{INDEX}-wal": ""},
    ):
        report = report_on(files)
        assert on_indexes(report) == []
        assert report.unread == ()
    one = validated(archive({**PAGES, INDEX: GOOD}), select=["MF506", "MF3"])
    assert (rules_in(one), len(one.unread)) == (["MF506"], 1)
    none = validated(archive({**PAGES, INDEX: GOOD}), ignore=NEED_LIBRARY)
    assert (rules_in(none), none.unread) == (["MF507"], ())


def test_by_the_draft_alone_nothing_is_missed(no_library: str) -> None:
    """Rules that are not the draft's do not count there, so they make nothing unread."""
    assert no_library
    report = validated(archive({**PAGES, INDEX: GOOD}), profile="draft-0.1")
    assert [one.rule for one in on_indexes(report)] == NEED_LIBRARY
    assert report.unread == ()


class Changing(FailingSource):
    """A source of which one file is another one whenever it is read again."""

    def __init__(self, files: Files, name: str) -> None:
        super().__init__(files, "", SourceUnavailable(""))
        self._changing = name
        self._times = 0

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        yield from super().chunks(entry)
        if entry.path == self._changing:
            self._times += 1
            yield b"x" * self._times


def test_index_that_changes_while_it_is_read_is_unread() -> None:
    """What is looked into is what was hashed before; if it is not, nothing is said of it."""
    field = Field(Changing({**PAGES, INDEX: GOOD}, INDEX), DEFAULT_LIMITS)
    report = validate(field)
    assert on_indexes(report) == []
    (error,) = report.unread
    assert isinstance(error, SourceChanged)
    assert error.entry == INDEX


def test_no_room_for_a_copy_is_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no temporary file can be made, the index is unread, and the hint says what to do."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not-there"))
    report = report_on({**PAGES, INDEX: STALE})
    assert on_indexes(report) == []
    (error,) = report.unread
    assert (error.entry, error.exit_code) == (INDEX, 4)
    assert "cannot be looked into" in error.message
    assert "TMPDIR" in str(error.hint)


def test_index_over_the_limit_is_told_once() -> None:
    """An index that is too large, or in a field that is, is MF607 and nothing else."""
    files: Files = {**PAGES, INDEX: STALE}
    for limits in (Limits(file_bytes=1000), Limits(total_bytes=1000)):
        report = report_on(files, limits=limits)
        assert on_indexes(report) == []
        assert "MF607" in rules_in(report)
        assert report.unread == ()


def test_hash_of_what_is_no_page_content_is_not_compared() -> None:
    """A page that is an LFS pointer has no hash that a row could have."""
    pointer = "version https://git-lfs.github.com/spec/v1\n"
    rows = [Row("a.md", bytes(32), VECTOR), row("b.md", PAGES["b.md"])]
    report = report_on({**PAGES, "a.md": pointer, INDEX: index(rows)})
    assert rules_in(report) == ["MF507", "MF108"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("nomic-embed-text-v1.5x.sqlite3", None),
        ("nomic-embed-text-v1.2026.sqlite3", None),
        ("nomic-embed-text-v1.5.0.json", None),
        ("nomic-embed-text-v1.5.x5.json", "nomic-embed-text-v1.5"),
        ("nomic-embed-text-v1.", "nomic-embed-text-v1"),
        ("nomic-embed-text-v1.\u0663", "nomic-embed-text-v1"),
        ("bge-m3_2.sqlite3", "bge-m3"),
        ("bge-m3-2.sqlite3", "bge-m3"),
        ("bge-m3@2.sqlite3", None),
    ],
)
def test_code_that_goes_on_is_another_one(name: str, code: str | None) -> None:
    """A point and a digit behind a model code make it the code of another version."""
    found = model_of(name)
    assert (found.code if found else None) == code


SPOTS = st.tuples(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=8))


@given(st.lists(SPOTS, min_size=1, max_size=6), st.integers(0, len(GOOD)))
@example([(18, b"\3\3")], len(GOOD))
@example([(16, b"\0\0")], len(GOOD))
@example([(56, b"\0\0\0\2")], len(GOOD))
@example([(56, b"\0\0\0\7")], len(GOOD))
def test_damage_is_a_finding_or_nothing(spots: list[tuple[int, bytes]], size: int) -> None:
    """Whatever bytes of an index change, it is judged: nothing is raised, nothing goes unread."""
    data = GOOD
    for at, new in spots:
        data = patched(data, at, new)[: len(GOOD)]
    report = report_on({**PAGES, INDEX: data[:size]})
    assert report.unread == ()
    assert set(rules_in(report)) <= {"MF507", "MF508", *NEED_LIBRARY}


def test_conformance_cases_are_skipped_without_the_library(no_library: str) -> None:
    """Cases of the four rules are skipped, with a reason; those of others pass without them."""
    assert no_library
    cases = [case for case in kit_suite().cases if case.id.startswith("mf50")]
    outcomes = list(run_cases(cases, Ours(), sources=["archive"]))
    assert {outcome.result for outcome in outcomes} == {"pass", "skipped"}
    for outcome in outcomes:
        needed = [id for id in outcome.case.requirements if id in NEED_LIBRARY]
        if needed:
            assert outcome.reason == f"memoryfield-kit does not check {', '.join(needed)}"
        else:
            assert outcome.result == "pass"
