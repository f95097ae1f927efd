"""What cannot be read is told, counts as unread, and does not keep the rest from being checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.readers.unprivileged import without_rights
from tests.validator.fields import Files, as_bytes, page, validated, write_files
from tests.validator.schemas import assert_fits_schema

from memoryfield_readers import (
    DEFAULT_LIMITS,
    AccessDenied,
    Entry,
    EntryKind,
    Fault,
    Field,
    LimitExceeded,
    MemoryfieldError,
    PageError,
    Source,
    SourceChanged,
    SourceUnavailable,
    UnsafeArchive,
)
from memoryfield_validator import validate

FILES: Files = {
    "a.md": page(title="no"),
    "b.md": page(number=1),
    "c.md": page(title="yes", number=2),
    "pan.png": "x",
    "nomic-embed-text-v1.5.sqlite3": "x" * 2000,
}


class FailingSource(Source):
    """A source that lists files and fails to give one of them."""

    location = "memory"
    name = "memory"
    archive_name: str | None = None
    faults: tuple[Fault, ...] = ()

    def __init__(self, files: Files, name: str, error: MemoryfieldError) -> None:
        self._files = files
        self._name = name
        self._error = error

    def root(self) -> tuple[Entry, ...]:
        return tuple(
            Entry(name, EntryKind.FILE, len(as_bytes(self._files[name])))
            for name in sorted(self._files)
        )

    def nested(self) -> tuple[Entry, ...]:
        return ()

    def read(self, entry: Entry, most: int) -> bytes:
        return b"".join(self.chunks(entry))

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        yield as_bytes(self._files[entry.path])[:1]
        if entry.path == self._name:
            raise self._error
        yield as_bytes(self._files[entry.path])[1:]

    def archive_digest(self) -> None:
        return None

    def close(self) -> None:
        pass


def field_without(name: str, error: MemoryfieldError) -> Field:
    """The field of which one file cannot be read."""
    return Field(FailingSource(FILES, name, error), DEFAULT_LIMITS)


@pytest.mark.parametrize("name", ["b.md", "pan.png", "nomic-embed-text-v1.5.sqlite3"])
@pytest.mark.parametrize(
    "error",
    [
        SourceUnavailable("the connection broke", hint="try again"),
        AccessDenied("cannot be read: permission denied"),
        SourceChanged("changed while the field was being read"),
        PageError("is no longer the regular file it was"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_file_that_cannot_be_read_is_told(name: str, error: MemoryfieldError) -> None:
    """It is MF105, with the reason and the way out; the others are checked; there is no digest."""
    report = validate(field_without(name, error))
    (finding,) = (one for one in report.findings if one.rule == "MF105")
    assert (finding.level, finding.file, finding.line) == ("error", name, None)
    assert finding.message == f"`{name}` {error.message}"
    assert error.hint is None or finding.hint == error.hint
    assert report.unread == (error,)
    assert report.digest is None
    assert report.pages == 3
    assert [one.file for one in report.findings if one.rule == "MF305"] == ["a.md", "c.md"]
    assert_fits_schema(report)


def test_unread_does_not_depend_on_the_rules() -> None:
    """A file that cannot be read is counted as unread also where MF105 is not asked for."""
    error = AccessDenied("cannot be read: permission denied")
    report = validate(field_without("b.md", error), select=["MF6"])
    assert report.findings == ()
    assert report.unread == (error,)
    assert validate(field_without("b.md", error), ignore=["MF105"]).unread == (error,)


def test_content_that_is_not_what_was_announced_is_a_fault() -> None:
    """What an archive's entry turns out to be goes under its own requirement, not under MF105."""
    fault = Fault("MF606", "has more bytes than announced", "b.md")
    report = validate(field_without("b.md", UnsafeArchive((fault,))))
    assert [(one.rule, one.file) for one in report.findings if one.file == "b.md"] == [
        ("MF606", "b.md")
    ]
    assert report.unread == ()
    assert report.digest is None


def test_file_that_grew_beyond_the_limit_is_a_fault() -> None:
    """A limit that is passed while reading is MF607 on that file."""
    error = LimitExceeded("99 bytes, over the limit of 9", entry="pan.png")
    report = validate(field_without("pan.png", error))
    (finding,) = (one for one in report.findings if one.rule == "MF607")
    assert (finding.file, finding.message) == ("pan.png", "99 bytes, over the limit of 9")
    assert report.unread == ()


def test_a_sum_that_is_known_only_by_reading_is_a_fault_of_the_field() -> None:
    """Beyond the limit on all bytes together, one finding says so, and of no file (MF607)."""
    report = validate(field_without("pan.png", LimitExceeded("more than 9 bytes in all")))
    (finding,) = (one for one in report.findings if one.rule == "MF607")
    assert finding.file is None
    assert report.digest is None


def test_progress_is_told_of_every_page() -> None:
    """The callback hears each name, in order, once it is checked, also of what cannot be read."""
    heard: list[str] = []
    field = field_without("b.md", SourceUnavailable("gone"))
    validate(field, progress=heard.append)
    assert heard == ["a.md", "b.md", "c.md"]


def test_page_that_is_read_by_nobody_is_no_page() -> None:
    """An error that is none of ours is not swallowed."""

    class Broken(FailingSource):
        def read(self, entry: Entry, most: int) -> bytes:
            raise RuntimeError("a mistake of the program")

    field = Field(Broken(FILES, "", SourceUnavailable("")), DEFAULT_LIMITS)
    with pytest.raises(RuntimeError, match="a mistake of the program"):
        validate(field)


def _closed(name: str) -> Callable[[Path], None]:
    def check(folder: Path) -> None:
        write_files(folder, FILES)
        os.chmod(folder / name, 0)
        report = validated(folder)
        found = [(one.file, one.message) for one in report.findings if one.rule == "MF105"]
        assert found == [(name, f"`{name}` cannot be read: permission denied")]
        assert [(type(one), one.entry) for one in report.unread] == [(AccessDenied, name)]
        assert report.digest is None

    return check


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a child process of another user")
@pytest.mark.parametrize("name", ["b.md", "pan.png", "nomic-embed-text-v1.5.sqlite3"])
def test_file_without_permission_is_told(name: str, tmp_path: Path) -> None:
    """A page, an attachment or an index that may not be read is MF105, for real."""
    validated(write_files(tmp_path / "field", FILES))  # what is imported late is imported now
    without_rights(_closed(name))


def _closed_folder(folder: Path) -> None:
    write_files(folder, {"a.md": page(), "x/b.md": "", "y/c.md": "", "y/z/d.md": ""})
    os.chmod(folder / "x", 0)
    os.chmod(folder / "y" / "z", 0)
    report = validated(folder)
    assert [(one.rule, one.file) for one in report.findings] == [
        ("MF103", "x/"),
        ("MF103", "y/"),
        ("MF102", "y/c.md"),
    ]
    assert "(it cannot be read: permission denied)" in report.findings[0].message
    assert sorted(str(one.entry) for one in report.unread) == ["x", "y/z"]
    assert report.digest is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a child process of another user")
def test_folder_without_permission_is_told(tmp_path: Path) -> None:
    """A sub-directory that may not be listed counts as unread, and the others are listed."""
    validated(write_files(tmp_path / "field", FILES))
    without_rights(_closed_folder)


def _folder_without_search(folder: Path) -> None:
    write_files(folder, FILES)
    os.chmod(folder, 0o400)
    report = validated(folder)
    found = [(one.rule, one.file, one.message) for one in report.findings]
    assert [one for one in found if one[0] != "MF101"] == [
        ("MF105", name, f"`{name}` cannot be read: permission denied") for name in sorted(FILES)
    ]
    assert sorted(str(one.entry) for one in report.unread) == sorted(FILES)
    assert report.digest is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a child process of another user")
def test_files_of_which_only_the_names_are_known_are_unread(tmp_path: Path) -> None:
    """Where a folder can be listed and not be entered, every file is MF105 and unread.

    Whether they are taken for pages (MF101) depends on what the file system's listing says.
    """
    validated(write_files(tmp_path / "field", FILES))
    without_rights(_folder_without_search)
