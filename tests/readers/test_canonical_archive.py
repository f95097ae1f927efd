"""The canonical archive of a field, piece by piece (SPEC.md, "Archives that are the same …")."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryfield_readers import (
    EmptyField,
    MemoryfieldError,
    PageError,
    SourceChanged,
    SourceUnavailable,
    UnsafeArchive,
    memory_field,
    open_field,
)
from memoryfield_readers.canonical_archive import canonical_archive, is_canonical

FILES = {
    "b.md": b"# B\n" * 40,
    "a.md": b"# A\n",
    "empty.md": b"",
    "map.png": bytes(range(256)) * 3000,
    "\u00e4.txt": b"not ASCII\n",
    "m.sqlite3": b"derived",
    "m.sqlite3-shm": b"x",
    "log/c.md": b"no page\n",
    "d~": b"debris\n",
}
NAMES = ["a.md", "b.md", "empty.md", "map.png", "\u00e4.txt"]


def test_the_known_answer_of_the_specification() -> None:
    """The worked example as an archive."""
    archive = canonical_archive(memory_field({"a.md": b"a\n", "b.md": b"b\n"}))
    assert archive.size == 194
    assert archive.sha256 == "45c0f2506b8745f2ec522425f9599914a29be4e1960f59e823f1e20173b753c1"


def test_it_is_the_archive_of_the_field() -> None:
    """Its size is known before; pages and attachments are in it, and indexes where wanted."""
    field = memory_field(FILES)
    archive = canonical_archive(field)
    data = b"".join(archive.pieces())
    assert archive.names == (*NAMES,)
    assert len(data) == archive.size
    assert hashlib.sha256(data).hexdigest() == archive.sha256
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        assert found.namelist() == NAMES
        assert found.testzip() is None
    with open_field(data) as read:
        assert read.digest() == field.digest()
        image = read.archive_image()
        assert image is not None
        assert is_canonical(image)
    with_indexes = canonical_archive(field, indexes=True)
    assert with_indexes.names == tuple(sorted([*NAMES, "m.sqlite3"], key=str.encode))
    assert max(map(len, archive.pieces())) <= 256 * 1024


@settings(max_examples=60)
@given(data=st.data())
def test_any_part_of_it(data: st.DataObject) -> None:
    """Any range has the bytes that the whole has there."""
    contents = st.dictionaries(st.sampled_from(NAMES), st.binary(max_size=30), min_size=1)
    files = data.draw(contents)
    archive = canonical_archive(memory_field(files))
    whole = b"".join(archive.pieces())
    start = data.draw(st.integers(0, archive.size))
    end = data.draw(st.integers(start, archive.size))
    assert b"".join(archive.pieces(start, end)) == whole[start:end]
    assert b"".join(archive.pieces(start)) == whole[start:]


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (0, 10**6), (10**6, None)])
def test_no_other_bytes(start: int, end: int | None) -> None:
    archive = canonical_archive(memory_field({"a.md": b"a\n"}))
    with pytest.raises(ValueError, match="bytes"):
        archive.pieces(start, end)


@pytest.mark.parametrize("name", ["a\\b.png", "C:x.png", "a\x01.png", "\udcff.png"])
def test_a_name_that_must_not_stand_in_an_archive(name: str) -> None:
    """A folder may have it, and no reader would take the archive (MF603)."""
    field = memory_field({"a.md": b"a\n", name: b"x"})
    with pytest.raises(UnsafeArchive, match="MF603"):
        canonical_archive(field)


def test_a_field_without_a_file() -> None:
    with pytest.raises(EmptyField):
        canonical_archive(memory_field({"log/a.md": b"a\n"}))


def test_an_entry_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"a\n")
    (tmp_path / "b.md").symlink_to("/nowhere")
    with open_field(tmp_path) as field, pytest.raises(PageError, match=r"b\.md"):
        canonical_archive(field)


def test_an_index_that_is_being_written() -> None:
    field = memory_field({"a.md": b"a\n", "m.sqlite3": b"x", "m.sqlite3-wal": b"x"})
    with pytest.raises(SourceUnavailable, match="not finished with the vector index"):
        canonical_archive(field, indexes=True)
    assert canonical_archive(field).names == ("a.md",)


@pytest.mark.parametrize("content", [b"b\n", b"longer\n"], ids=["as-long", "longer"])
def test_a_file_that_changes_afterwards(tmp_path: Path, content: bytes) -> None:
    """What comes is what was announced, or an error."""
    (tmp_path / "a.md").write_bytes(b"a\n")
    with open_field(tmp_path) as field:
        archive = canonical_archive(field)
        (tmp_path / "a.md").write_bytes(content)
        with pytest.raises(MemoryfieldError) as caught:
            b"".join(archive.pieces())
    assert isinstance(caught.value, SourceChanged)
