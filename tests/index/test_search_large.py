"""A large index is searched by way of a table of its own, with the same results."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

import apsw
import pytest
from tests.index.search_fields import make_index
from tests.index.test_search_nearest import BAD, HASH, opened, random_rows

from memoryfield_index.searching import cosine, large
from memoryfield_index.searching.large import FOLDER, nearest_of_any
from memoryfield_index.searching.nearest import Near, nearest

QUERY = random_rows(1, 8, 99)[0][2]


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the tables; an index of 100 rows is large, and 64 neighbours are many."""
    monkeypatch.setattr(large, "MANY", 100)
    monkeypatch.setattr(large, "_MOST_ASKED", 64)
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path.joinpath("cache", *FOLDER)


def both(path: Path, identity: str = "one") -> tuple[list[Near], list[Near]]:
    """What comes of an index by its rows alone, and by the table if it is large."""
    with opened(path) as index:
        return list(nearest(index, QUERY)), list(nearest_of_any(index, identity, QUERY))


def test_same_results_as_from_the_rows(tables: Path, tmp_path: Path) -> None:
    """To the last page, also beyond what the table can be asked for; bad rows are in neither."""
    rows = random_rows(300, 8, 1) + [(f"bad{n}.md", HASH, bad) for n, bad in enumerate(BAD)]
    by_rows, by_table = both(make_index(tmp_path / "m-1.sqlite3", rows))
    assert by_table == by_rows
    assert len(by_rows) == 340
    assert len(list(tables.glob("*.sqlite3"))) == 1


def test_table_is_what_gives_the_first_results(tables: Path, tmp_path: Path) -> None:
    """The rows are not gone through again for these."""
    path = make_index(tmp_path / "m-1.sqlite3", random_rows(300, 8, 1))
    by_rows, _ = both(path)
    with opened(path) as index, mock.patch.object(large, "nearest") as nearest_rows:
        found = nearest_of_any(index, "one", QUERY)
        assert [next(found) for _ in range(20)] == by_rows[:20]
    assert nearest_rows.call_count == 0


def test_a_small_index_has_no_table(tables: Path, tmp_path: Path) -> None:
    """One with no more rows than the bound is read as it is."""
    by_rows, found = both(make_index(tmp_path / "m-1.sqlite3", random_rows(60, 8, 1)))
    assert found == by_rows
    assert not tables.exists()


def test_table_is_made_once(tables: Path, tmp_path: Path) -> None:
    """And anew for another state of the index, in the place of the old one."""
    path = make_index(tmp_path / "m-1.sqlite3", random_rows(120, 8, 1))
    both(path)
    [made] = tables.glob("*.sqlite3")
    before = made.stat()
    both(path)
    assert os.path.samestat(before, made.stat())
    path.unlink()
    make_index(path, random_rows(130, 8, 2))
    by_rows, found = both(path, "two")
    assert found == by_rows
    assert list(tables.iterdir()) == [made]
    assert not os.path.samestat(before, made.stat())


@pytest.mark.parametrize("damage", [b"", b"SQLite format 3\0", b"x" * 5000])
def test_a_damaged_table_is_made_anew(damage: bytes, tables: Path, tmp_path: Path) -> None:
    """Nobody has to know that there is one."""
    path = make_index(tmp_path / "m-1.sqlite3", random_rows(120, 8, 1))
    both(path)
    [made] = tables.glob("*.sqlite3")
    made.write_bytes(damage)
    by_rows, found = both(path)
    assert found == by_rows


def test_a_table_damaged_inside(tables: Path, tmp_path: Path) -> None:
    """What opens and cannot be read through gives the rows all the same."""
    path = make_index(tmp_path / "m-1.sqlite3", random_rows(120, 8, 1))
    by_rows, _ = both(path)
    [made] = tables.glob("*.sqlite3")
    connection = apsw.Connection(str(made))
    connection.execute("UPDATE vectors_vector_chunks00 SET vectors = x'00'")
    connection.close()
    assert both(path)[1] == by_rows


def test_without_sqlite_vec(tables: Path, tmp_path: Path) -> None:
    """There is no table then, and the rows are gone through in Python."""
    path = make_index(tmp_path / "m-1.sqlite3", random_rows(120, 8, 1))
    with (
        mock.patch.object(cosine, "load_vec", return_value=False),
        mock.patch.object(large, "load_vec", return_value=False),
    ):
        by_rows, found = both(path)
    assert found == by_rows
    assert list(tables.iterdir()) == []


def test_a_cache_that_cannot_be_used(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then it is slower, and that is all."""
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "file" / "cache"))
    by_rows, found = both(make_index(tmp_path / "m-1.sqlite3", random_rows(120, 8, 1)))
    assert found == by_rows


def test_a_cache_whose_name_is_no_utf_8(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table is made there, and used."""
    root = tmp_path / os.fsdecode(b"caf\xe9 #%41")
    try:
        root.mkdir()
    except OSError:
        pytest.skip("this file system takes no such name")
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(root))
    for _ in range(2):
        by_rows, found = both(make_index(tmp_path / "m-1.sqlite3", random_rows(120, 8, 1)))
        assert found == by_rows
        assert len(list(root.joinpath(*FOLDER).iterdir())) == 1
        (tmp_path / "m-1.sqlite3").unlink()


def test_names_beyond_ascii(tables: Path, tmp_path: Path) -> None:
    """Names go through the table as they are."""
    rows = [*random_rows(120, 8, 1), ("caf\u00e9 \u78b3.md", HASH, QUERY)]
    by_rows, found = both(make_index(tmp_path / "m-1.sqlite3", rows))
    assert found == by_rows
    assert found[0].filename == "caf\u00e9 \u78b3.md"
