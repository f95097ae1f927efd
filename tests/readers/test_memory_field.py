"""A field whose files are in memory, and the bytes of one file in one call."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tests.readers.places import packed

from memoryfield_readers import (
    LimitExceeded,
    Limits,
    NotFound,
    PageError,
    SourceChanged,
    memory_field,
    open_field,
)
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

FILES = {
    "b.md": b"# B\n",
    "a.md": b"---\ntitle: A\n---\nbody\n",
    "empty.md": b"",
    "pan.png": b"\x89",
    "m.sqlite3": b"SQLite",
    "notes~": b"debris",
    "log/x.txt": b"x",
    "é \\.md": b"e",
}


def test_files_in_memory_are_the_field_they_would_be_on_disk() -> None:
    """Roles, bytes and pin are those of the same files in an archive."""
    files = {name: data for name, data in FILES.items() if "\\" not in name}
    with memory_field(files) as field, open_field(packed(files)) as expected:
        for what in ("pages", "attachments", "indexes", "debris", "folders", "irregular"):
            assert getattr(field, what) == getattr(expected, what), what
        assert field.digest() == expected.digest()
        assert field.page("a.md").title == "A"
        assert [entry.path for entry in field.nested()] == ["log/x.txt"]
        assert {name: field.content(name) for name in field.entries} == {
            name: files[name] for name in expected.entries
        }
        assert (field.archive_name, field.archive_digest(), field.archive_size) == (None,) * 3


def test_it_is_named_as_it_is_told() -> None:
    """Name and location are for messages alone."""
    with memory_field({}) as plain, memory_field({}, "woks", "x.zip") as named:
        assert (plain.name, plain.location) == ("field", "<memory>")
        assert (named.name, named.location) == ("woks", "x.zip")


def test_odd_names_are_kept() -> None:
    """A validator is to see what is wrong with them."""
    with memory_field(FILES) as field:
        assert field.content("é \\.md") == b"e"
        assert field.manifest().lines[-1].startswith("\\")


def test_it_is_a_snapshot() -> None:
    """What becomes of the mapping is no matter."""
    files = {"a.md": b"a\n"}
    with memory_field(files) as field:
        files["a.md"] = b"other\n"
        files["b.md"] = b"b\n"
        assert (field.pages, field.content("a.md")) == (("a.md",), b"a\n")


@pytest.mark.parametrize(
    "limits",
    [Limits(entries=1), Limits(total_bytes=3)],
    ids=["entries", "total-bytes"],
)
def test_limits_hold_for_files_in_memory(limits: Limits) -> None:
    """More than the limits allow is refused."""
    with pytest.raises(LimitExceeded):
        memory_field({"a.md": b"ab", "b.md": b"cd"}, limits=limits)


@pytest.mark.parametrize("kind", ["memory", "archive", "folder"])
def test_the_content_of_a_file_in_one_call(kind: str, tmp_path: Path) -> None:
    """Pages, attachments and indexes alike, within the limit of a file; nothing else."""
    files = {"a.md": b"# A\n", "pan.png": b"x" * 5, "m.sqlite3": b"SQLite", "notes~": b"-"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    limits = Limits(file_bytes=5)
    with (
        memory_field(files, limits=limits)
        if kind == "memory"
        else open_field(tmp_path, limits=limits)
        if kind == "folder"
        else open_field(packed({k: v for k, v in files.items() if len(v) < 6}), limits=limits)
    ) as field:
        assert field.content("a.md") == b"# A\n"
        assert field.content("pan.png") == b"x" * 5
        for name in ("notes~", "b.md", "../a.md"):
            with pytest.raises(NotFound):
                field.content(name)
        if kind != "archive":
            with pytest.raises(LimitExceeded) as caught:
                field.content("m.sqlite3")
            assert "file-bytes" in (caught.value.hint or "")


def test_a_page_may_be_read_as_content_beyond_the_limit_of_pages() -> None:
    """`page` is for what is parsed; bytes are bounded as files are."""
    with memory_field({"a.md": b"12345"}, limits=Limits(page_bytes=4)) as field:
        assert field.content("a.md") == b"12345"
        with pytest.raises(LimitExceeded):
            field.page("a.md")


def test_content_that_changed_meanwhile(tmp_path: Path) -> None:
    """What is read twice is the same, or an error."""
    (tmp_path / "a.md").write_bytes(b"one")
    with open_field(tmp_path) as field:
        assert field.content("a.md") == b"one"
        assert field.sha256("a.md") == hashlib.sha256(b"one").hexdigest()
        (tmp_path / "a.md").write_bytes(b"two")
        with pytest.raises(SourceChanged):
            field.content("a.md")


def test_the_pin_of_entries_small_and_large() -> None:
    """Entries that are read in one go and those in pieces are hashed to one manifest."""
    large = bytes(range(256)) * 4000
    data = zip_bytes(ZipEntry("z.md", b"z"), ZipEntry("large.bin", large), ZipEntry("a.md", b"a"))
    with open_field(data) as field:
        assert dict(field.manifest().hashes) == {
            name: hashlib.sha256(content).hexdigest()
            for name, content in (("a.md", b"a"), ("large.bin", large), ("z.md", b"z"))
        }
        assert field.content("large.bin") == large
        with pytest.raises(PageError):
            field.page("large.bin")
