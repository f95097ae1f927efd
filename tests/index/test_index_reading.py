"""An index of anybody is read as it is, and nothing is written by reading."""

from __future__ import annotations

import json
import math
import os
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import apsw
import pytest
from tests.index.fields import (
    DIMENSION,
    INDEX,
    MODEL,
    SUGGESTED,
    ModelEmbedder,
    build,
    change,
    folder,
    foreign,
    pages,
    vector,
)
from tests.index.rows import GOOD, HASH, opened, refused

from memoryfield_index.library import HOW_TO_INSTALL, sqlite
from memoryfield_index.storage import open_index, open_shipped
from memoryfield_readers import MemoryfieldError, NotFound, SourceUnavailable, open_field
from memoryfield_readers.errors import IndexMismatch


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder(tmp_path / "field", pages(3))


@pytest.fixture
def path(place: Path) -> Path:
    return place / INDEX


def test_a_foreign_index_is_read_as_it_is(path: Path) -> None:
    """The suggested table is enough; how its vectors were made is not known then."""
    foreign(path, [GOOD])
    with open_index(path) as index:
        [row] = index.rows()
        assert row.filename == "page-000.md"
        assert (row.sha256, row.vector) == (HASH, vector())
        assert row.frontmatter == '{"title": "Woks 0"}'
        assert row.last_modified == "2026-01-01T00:00:00Z"
        assert (index.recipe, index.model_code, index.dimension) == (None, MODEL, DIMENSION)
        assert (index.count(), index.meta.format_version) == (1, 0)


def test_columns_in_another_order_and_more_of_them(path: Path) -> None:
    """Tools differ; a column is found by its name."""
    schema = (
        "CREATE TABLE PAGES(id INTEGER, Embedding, SHA256_hash, last_modified, frontmatter, "
        "filename)"
    )
    with closing(apsw.Connection(str(path))) as database:
        database.execute(schema)
        row = (7, vector(), HASH, 1_767_225_600, "{}", "page-000.md")
        database.execute("INSERT INTO pages VALUES(?, ?, ?, ?, ?, ?)", row)
    with open_index(path) as index:
        [found] = index.usable_rows(["page-000.md"])
        assert (found.filename, found.last_modified) == ("page-000.md", "1767225600")


def test_an_index_in_utf_16(path: Path, place: Path) -> None:
    """A database has the encoding that its maker chose."""
    with closing(apsw.Connection(str(path))) as database:
        database.execute("PRAGMA encoding='UTF-16be'")
        database.execute(SUGGESTED)
        database.execute("INSERT INTO pages VALUES(?, ?, ?, ?, ?)", GOOD)
    with open_index(path) as index:
        [row] = index.usable_rows(["page-000.md"])
        assert row.frontmatter == GOOD[1]
    assert build(place).pages == 3


def test_names_are_never_followed(path: Path) -> None:
    """A row that names no page of the field is not used, whatever it names."""
    evil = [
        "../../etc/passwd",
        "/etc/passwd",
        "page-000.md\0",
        "page-000.md\n",
        "",
        ".",
        "PAGE-000.md",
        "./page-000.md",
        "page-000.md/../page-001.md",
        "index.sqlite3",
    ]
    rows = [(name, *GOOD[1:]) for name in evil]
    foreign(path, [*rows, GOOD])
    with open_index(path) as index:
        assert len(list(index.rows())) == len(evil) + 1
        assert [row.filename for row in index.usable_rows(pages(3))] == ["page-000.md"]


BAD_VALUES = {
    "name-is-a-number": (7, *GOOD[1:]),
    "name-is-bytes": (b"page-000.md", *GOOD[1:]),
    "name-is-long": ("x" * 200_000, *GOOD[1:]),
    "hash-is-text": (*GOOD[:3], HASH.hex(), vector()),
    "hash-is-short": (*GOOD[:3], HASH[:31], vector()),
    "vector-is-text": (*GOOD[:4], "[1, 2]"),
    "vector-is-empty": (*GOOD[:4], b""),
    "vector-is-short": (*GOOD[:4], vector()[:-4]),
    "vector-is-torn": (*GOOD[:4], vector()[:-1]),
    "vector-is-huge": (*GOOD[:4], bytes(300_000)),
    "vector-is-zero": (*GOOD[:4], bytes(4 * DIMENSION)),
    "vector-is-nan": (*GOOD[:4], vector(math.nan)),
    "vector-is-infinite": (*GOOD[:4], vector(1.0, math.inf)),
}


@pytest.mark.parametrize("bad", BAD_VALUES.values(), ids=BAD_VALUES)
def test_rows_that_cannot_be_used_are_passed_over(bad: tuple[object, ...], path: Path) -> None:
    """One of them keeps no other from being used."""
    loose = "CREATE TABLE pages(filename, frontmatter, last_modified, sha256_hash, embedding)"
    second = ("page-001.md", *GOOD[1:])
    foreign(path, [bad, second], loose)
    with open_index(path) as index:
        assert [row.filename for row in index.usable_rows(pages(3))] == ["page-001.md"]


def test_of_two_rows_for_a_page_the_first_counts(path: Path) -> None:
    loose = "CREATE TABLE pages(filename, frontmatter, last_modified, sha256_hash, embedding)"
    foreign(path, [GOOD, (*GOOD[:4], vector(2.0))], loose)
    with open_index(path) as index:
        assert [row.vector for row in index.usable_rows(pages(3))] == [vector()]


def test_the_bad_row_does_not_set_the_dimension(tmp_path: Path) -> None:
    """Where the model is not known, a vector has the size that it has."""
    path = foreign(tmp_path / "unknown-v9.sqlite3", [GOOD])
    with open_index(path) as index:
        assert (index.model_code, index.dimension) == (None, None)
        assert len(list(index.usable_rows(pages(1)))) == 1


@pytest.mark.parametrize(
    "value",
    [
        "",
        "{",
        "[]",
        "{}",
        "null",
        "[" * 100_000,
        '{"model": 7}',
        '{"model": "a", "dimension": -1, "document_prefix": "", "query_prefix": "", "embedder": '
        '"", "model_digest": "", "most_bytes": 1, "normalised": true}',
        '{"model": "a", "dimension": true, "document_prefix": "", "query_prefix": "", "embedder": '
        '"", "model_digest": "", "most_bytes": 1, "normalised": true}',
    ],
    ids=["empty", "torn", "list", "no-fields", "null", "deep", "types", "negative", "boolean"],
)
def test_a_recipe_that_means_nothing_is_not_known(value: str, place: Path, path: Path) -> None:
    """Then nothing of the index is mixed with anything."""
    build(place)
    with closing(apsw.Connection(str(path))) as database:
        database.execute("UPDATE meta SET value = ? WHERE key = 'recipe'", (value,))
    with open_index(path) as index:
        assert index.recipe is None
    assert build(place).reused == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model", "http://example.com/v1#mine-v1"),
        ("model", "../other-v1"),
        ("model", "mine-v1\n"),
        ("model", ""),
        ("embedder", "openai:http://example.com/v1#"),
        ("embedder", "local\x1b[2J"),
        ("document_prefix", "\ud800"),
    ],
    ids=["address", "path", "line", "nothing", "address-in-the-embedder", "escape", "surrogate"],
)
def test_a_recipe_of_what_is_no_name_is_not_known(
    name: str, value: str, place: Path, path: Path
) -> None:
    """What could lead anywhere is no model code, and no embedder; and nothing else is a text."""
    build(place)
    text = json.dumps({**asdict(ModelEmbedder().recipe), name: value})
    with closing(apsw.Connection(str(path))) as database:
        database.execute("UPDATE meta SET value = ? WHERE key = 'recipe'", (text,))
    with open_index(path) as index:
        assert (index.recipe, index.model_code) == (None, "nomic-embed-text-v1.5")


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE meta(name TEXT, setting TEXT)",
        "CREATE TABLE meta(key TEXT, value TEXT AS ('{}'))",
    ],
    ids=["columns", "computed"],
)
def test_a_table_meta_of_another_tool_says_nothing(schema: str, path: Path) -> None:
    """The rest is read as it is."""
    foreign(path, [])
    change(path, schema)
    with open_index(path) as index:
        assert (index.recipe, index.meta.format_version, index.count()) == (None, 0, 0)


def test_a_recipe_of_another_format_is_not_known(place: Path, path: Path) -> None:
    build(place)
    change(path, "UPDATE meta SET value = '2' WHERE key = 'format_version'")
    with open_index(path) as index:
        assert index.recipe is None


CONTENTS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "header"),
    "html": (b"<html>404</html>", "header"),
    "lfs": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 5\n",
        "LFS",
    ),
    "header-alone": (b"SQLite format 3\0", "database"),
    "noise": (b"SQLite format 3\0" + bytes(range(256)) * 40, "database"),
}


@pytest.mark.parametrize(("content", "word"), CONTENTS.values(), ids=CONTENTS)
def test_what_is_no_database_is_refused(content: bytes, word: str, path: Path) -> None:
    path.write_bytes(content)
    assert word in refused(path)


def test_what_is_not_there(path: Path) -> None:
    with pytest.raises(NotFound):
        open_index(path)


def test_a_folder_is_no_index(path: Path) -> None:
    path.mkdir()
    with pytest.raises(MemoryfieldError):
        open_index(path)


def test_reading_writes_nothing(place: Path, path: Path) -> None:
    """Not even for a database in WAL mode, or with a journal that waits to be played back."""
    foreign(path, [GOOD])
    change(path, "PRAGMA journal_mode=wal")
    (place / (INDEX + "-journal")).write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(1000))
    before = {item.name: (item.stat().st_mtime_ns, item.read_bytes()) for item in place.iterdir()}
    assert opened(path) == ["page-000.md"]
    after = {item.name: (item.stat().st_mtime_ns, item.read_bytes()) for item in place.iterdir()}
    assert after == before


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any index is taken for one that is too large for memory."""
    monkeypatch.setattr("memoryfield_index.storage.opening._MOST_IN_MEMORY", 0)


def test_an_index_that_travels_is_read_from_memory(
    place: Path, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file is made for it, also not for one in WAL mode."""
    build(place)
    change(path, "PRAGMA journal_mode=wal")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with open_field(place) as field, open_shipped(field, INDEX) as index:
        assert index.count() == 3
        assert index.location == f"{place}: {INDEX}"
        assert index.database.connection.db_filename("main") == ""


def test_what_travels_and_is_no_index(place: Path, path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0 and no more")
    with open_field(place) as field, pytest.raises(IndexMismatch):
        open_shipped(field, INDEX)


@pytest.mark.usefixtures("large")
def test_a_large_index_that_travels_is_copied(place: Path, path: Path, tmp_path: Path) -> None:
    """It is read from a private copy, which is gone when it is closed."""
    build(place)
    with open_field(place) as field, open_shipped(field, INDEX) as index:
        assert index.count() == 3
        assert index.location == f"{place}: {INDEX}"
        copy = Path(index.database.connection.db_filename("main"))
        assert copy.exists()
        assert place not in copy.parents
    assert not copy.exists()


@pytest.mark.usefixtures("large")
def test_a_copy_is_gone_if_it_cannot_be_used(
    place: Path, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "room"))
    (tmp_path / "room").mkdir()
    path.write_bytes(b"SQLite format 3\0 and no more")
    with open_field(place) as field, pytest.raises(IndexMismatch):
        open_shipped(field, INDEX)
    assert os.listdir(tmp_path / "room") == []


@pytest.mark.usefixtures("large")
def test_no_room_for_a_copy(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(place)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with open_field(place) as field, pytest.raises(SourceUnavailable, match="cannot be copied"):
        open_shipped(field, INDEX)


def test_without_the_library_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "apsw", None)
    with pytest.raises(SourceUnavailable) as caught:
        sqlite()
    assert caught.value.hint == HOW_TO_INSTALL
