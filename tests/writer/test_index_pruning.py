"""Rows taken out of an index: these and no others, and nothing of them is left in its bytes."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import struct
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryfield_writer.indexes.pruning import Moved, Pruned, pruned

PAGES = """
CREATE TABLE pages(filename TEXT PRIMARY KEY, frontmatter JSON NOT NULL,
  last_modified DATETIME NOT NULL, sha256_hash BLOB NOT NULL, embedding BLOB NOT NULL)
"""
META = "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL)"
NAMES = [f"page-{number}.md" for number in range(8)]


def sha(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def row(name: str) -> tuple[Any, ...]:
    embedding = b"vector of " + name.encode() + bytes(range(200))
    return (name, json.dumps({"title": f"Title of {name}"}), "2026-01-01T00:00:00Z", sha(name),
            embedding)  # fmt: skip


def database(*statements: str, rows: Iterable[Sequence[Any]] = (), before: str = "") -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(before)
        for statement in statements:
            connection.execute(statement)
        for each in rows:
            connection.execute("INSERT INTO pages VALUES(?, ?, ?, ?, ?)", each)
        return connection.serialize()


def index(*statements: str, names: Sequence[str] = NAMES, before: str = "") -> bytes:
    """An index with rows for some pages; statements are done before the rows come."""
    return database(PAGES, *statements, rows=map(row, names), before=before)


def asked(data: bytes, statement: str) -> list[Any]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(data)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return connection.execute(statement).fetchall()


def of(result: Pruned | None) -> Pruned:
    assert result is not None
    return result


def test_rows_go_and_nothing_of_them_is_left() -> None:
    """The other rows are as they were; the row's texts and vector are in no free page."""
    data = index(META)
    result = of(pruned(data, {"page-3.md", "page-5.md", "other.md"}))
    assert result.rows == 2
    expected = [row(name) for name in NAMES if name not in ("page-3.md", "page-5.md")]
    assert asked(result.data, "SELECT * FROM pages") == expected
    for left in (b"page-3.md", b"page-5.md", sha("page-3.md")):
        assert left in data
        assert left not in result.data
    again = of(pruned(result.data, {"page-3.md"}))
    assert again.data is result.data
    assert again.rows == 0


@pytest.mark.parametrize("names", [set(), {"other.md"}, {"PAGE-3.md"}], ids=str)
def test_bytes_that_need_no_change_are_the_same_object(names: set[str]) -> None:
    data = index()
    assert of(pruned(data, names)) == (data, 0)
    assert of(pruned(data, names)).data is data


def test_what_was_deleted_before_does_not_linger_either() -> None:
    """Another tool has left an old version of the row in free pages."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete=OFF")
        connection.execute(PAGES)
        for name in NAMES:
            connection.execute("INSERT INTO pages VALUES(?, ?, ?, ?, ?)", row(name))
        connection.execute("UPDATE pages SET embedding = 'x' WHERE filename = 'page-3.md'")
        data = connection.serialize()
    assert b"vector of page-3.md" in data
    assert b"page-3.md" not in of(pruned(data, {"page-3.md"})).data


def test_what_an_index_of_ours_says_of_itself() -> None:
    """It is of no field that was indexed, and tells of no page that is gone."""
    told = {"page-1.md": 1, "page-2.md": 2, "page-3.md": 3}
    rows = {
        "format_version": "1",
        "field_digest": "field-sha256:x",
        "bytes_embedded": json.dumps(told),
        "model": "m",
    }
    values = ", ".join(f"('{key}', '{value}')" for key, value in rows.items())
    data = index(META, f"INSERT INTO meta VALUES {values}")
    result = of(pruned(data, {"page-1.md"}, {"page-2.md": Moved("new.md", sha("page-2.md"))}))
    assert dict(asked(result.data, "SELECT * FROM meta")) == {
        "format_version": "1",
        "field_digest": "",
        "bytes_embedded": '{"new.md": 2, "page-3.md": 3}',
        "model": "m",
    }


@pytest.mark.parametrize("version", ["2", ""], ids=["newer", "none"])
def test_what_another_index_says_of_itself_stays(version: str) -> None:
    data = index(
        META, f"INSERT INTO meta VALUES('format_version','{version}'),('field_digest','x')"
    )
    result = of(pruned(data, {"page-1.md"}))
    assert dict(asked(result.data, "SELECT * FROM meta"))["field_digest"] == "x"


def test_a_row_gets_the_new_name_of_its_page() -> None:
    """Its time and vector stay; a stale row of the new name goes."""
    moved = {"page-1.md": Moved("page-2.md", sha("page-1.md"))}
    result = of(pruned(index(), {"page-2.md"}, moved))
    assert result.rows == 2
    rows = {each[0]: each[1:] for each in asked(result.data, "SELECT * FROM pages")}
    assert "page-1.md" not in rows
    assert rows["page-2.md"] == row("page-1.md")[1:]


def test_names_that_are_swapped() -> None:
    moved = {
        "page-1.md": Moved("page-2.md", sha("page-1.md")),
        "page-2.md": Moved("page-1.md", sha("page-2.md")),
    }
    result = of(pruned(index(), {"page-1.md", "page-2.md"}, moved))
    rows = {each[0]: each[1:] for each in asked(result.data, "SELECT * FROM pages")}
    assert rows["page-1.md"] == row("page-2.md")[1:]
    assert rows["page-2.md"] == row("page-1.md")[1:]


def test_a_row_of_what_the_page_was_once_is_not_renamed() -> None:
    result = of(pruned(index(), (), {"page-1.md": Moved("new.md", sha("another"))}))
    assert [name for (name,) in asked(result.data, "SELECT filename FROM pages")] == [
        name for name in NAMES if name != "page-1.md"
    ]


def test_of_two_rows_for_one_page_one_is_renamed() -> None:
    loose = PAGES.replace("PRIMARY KEY", "")
    data = database(loose, rows=[row("page-1.md"), row("page-1.md"), row("page-2.md")])
    result = of(pruned(data, (), {"page-1.md": Moved("new.md", sha("page-1.md"))}))
    assert asked(result.data, "SELECT rowid, filename FROM pages") == [
        (1, "new.md"), (3, "page-2.md"),
    ]  # fmt: skip


KINDS = {
    "an index": (PAGES, "CREATE INDEX by_time ON pages(last_modified DESC)"),
    "a partial index": (PAGES, "CREATE INDEX late ON pages(filename) WHERE last_modified > '2'"),
    "no row numbers": (PAGES.rstrip() + " WITHOUT ROWID",),
    "a column called rowid": (PAGES, "CREATE TABLE r(rowid TEXT, oid, _rowid_)"),
    "numbers not given out twice": (
        PAGES,
        "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT, v)",
        "INSERT INTO n VALUES(5, 'five'), (9, 'nine')",
        "DELETE FROM n WHERE id = 9",
    ),
    "values of all kinds": (
        PAGES,
        'CREATE TABLE v(a, b, c, d, e, "f ""g")',
        "INSERT INTO v VALUES(1, 1.5, NULL, x'00ff', 'te' || char(0) || 'xt', -9e18)",
        "INSERT INTO v VALUES(CAST(x'ff' AS TEXT), '', x'', 0.0, 1e300, 7)",
    ),
    "gaps in the row numbers": (
        PAGES,
        "CREATE TABLE g(x)",
        "INSERT INTO g(rowid, x) VALUES(7, 'a'), (-3, 'b')",
    ),
    "a name in other letters": (PAGES.replace("pages(filename", "Pages(FileName"),),
}


@pytest.mark.parametrize("kind", KINDS)
def test_other_tables_stay_as_they_are(kind: str) -> None:
    """Each row with the type of each value, its number, and each statement of the schema."""
    data = database(*KINDS[kind], rows=map(row, NAMES))
    result = of(pruned(data, {"page-3.md"}))
    schema = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"
    assert asked(result.data, schema) == asked(data, schema)
    names = [name for (name,) in asked(data, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    for name in names:
        columns = [each[1] for each in asked(data, f"PRAGMA table_info({name})")]
        quoted = ['"' + each.replace('"', '""') + '"' for each in columns]
        wanted = ", ".join(f"typeof({each}), hex({each})" for each in quoted)
        where = "WHERE filename <> 'page-3.md'" if name.lower() == "pages" else ""
        number = "" if kind in ("no row numbers", "a column called rowid") else "rowid, "
        statement = f"SELECT {number}{wanted} FROM {name} "
        assert asked(result.data, statement) == asked(data, statement + where)


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_what_the_header_says_stays(page_size: int) -> None:
    before = (
        f"PRAGMA page_size={page_size}; PRAGMA auto_vacuum=2; PRAGMA user_version=-7; "
        "PRAGMA application_id=1234;"
    )
    result = of(pruned(index(before=before), {"page-3.md"}))
    for pragma, value in (
        ("page_size", page_size), ("auto_vacuum", 2), ("user_version", -7),
        ("application_id", 1234),
    ):  # fmt: skip
        assert asked(result.data, f"PRAGMA {pragma}") == [(value,)]


def test_an_index_that_is_written_by_way_of_a_log_stays_one() -> None:
    data = bytearray(index())
    data[18:20] = b"\2\2"
    result = of(pruned(bytes(data), {"page-3.md"}))
    assert result.data[18:20] == b"\2\2"
    plain = bytearray(result.data)
    plain[18:20] = b"\1\1"
    assert len(asked(bytes(plain), "SELECT * FROM pages")) == len(NAMES) - 1


def test_a_name_that_is_no_utf_8() -> None:
    data = index("INSERT INTO pages VALUES(CAST(x'ff2e6d64' AS TEXT), '{}', '', x'00', x'00')")
    result = of(pruned(data, {"\udcff.md"}))
    assert asked(result.data, "SELECT * FROM pages") == [row(name) for name in NAMES]


REFUSED = {
    "nothing": b"",
    "no database": b"# A page\n" * 100,
    "a pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    "the header alone": b"SQLite format 3\0",
    "cut": index()[:-512],
    "no table": database("CREATE TABLE other(filename TEXT)"),
    "no names": database("CREATE TABLE pages(name TEXT)"),
    "UTF-16": index(before="PRAGMA encoding='UTF-16le';"),
    "a view": index("CREATE VIEW v AS SELECT * FROM pages"),
    "pages as a view": database("CREATE VIEW pages AS SELECT 'page-3.md' AS filename"),
    "a trigger": index(
        "CREATE TRIGGER t AFTER DELETE ON pages BEGIN INSERT INTO pages SELECT * FROM pages; END"
    ),
    "a virtual table": index("CREATE VIRTUAL TABLE f USING fts5(x)"),
    "pages as a virtual table": database("CREATE VIRTUAL TABLE pages USING fts5(filename)"),
    "a computed column": index("CREATE TABLE g(a, b AS (a || zeroblob(1000)))"),
    "a stored computed column": index("CREATE TABLE g(a, b AS (a + 1) STORED)"),
    "an index that calls": index("CREATE INDEX i ON pages(hex(embedding))"),
    "a check that calls": index("CREATE TABLE c(a CHECK(length(randomblob(a)) > 0))"),
    "a hundred tables": index(*(f"CREATE TABLE t{number}(a)" for number in range(101))),
    "a long statement": index(f"CREATE TABLE t(a DEFAULT '{'x' * 20_000}')"),
    "many columns": index(f"CREATE TABLE t({', '.join(f'c{n}' for n in range(300))})"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_written_anew(kind: str) -> None:
    assert pruned(REFUSED[kind], {"page-3.md", "filename"}) is None


def test_a_default_that_stands_for_more_than_the_file_holds() -> None:
    """Rows that are shorter than their table have a long text each, which is there once."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(PAGES)
        connection.execute("INSERT INTO pages VALUES(?, ?, ?, ?, ?)", row("page-3.md"))
        connection.execute("CREATE TABLE t(a)")
        connection.executemany("INSERT INTO t VALUES(?)", [(number,) for number in range(5000)])
        connection.execute(f"ALTER TABLE t ADD COLUMN b DEFAULT '{'x' * 10_000}'")
        data = connection.serialize()
    assert pruned(data, {"page-3.md"}) is None


def test_a_leaf_that_stands_in_many_places() -> None:
    """Pages of a tree that are used again and again would make a small file a large one."""
    big = [(*row(name)[:4], bytes(300)) for name in map("page-{:04d}.md".format, range(400))]
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript("PRAGMA page_size=512")
        connection.execute(PAGES.replace("PRIMARY KEY", ""))
        for each in big:
            connection.execute("INSERT INTO pages VALUES(?, ?, ?, ?, ?)", each)
        data = bytearray(connection.serialize())
        [(root,)] = connection.execute("SELECT rootpage FROM sqlite_master")
    at = (root - 1) * 512
    assert data[at] == 5  # an inner page of a table
    [cells] = struct.unpack_from(">H", data, at + 3)
    heaviest = struct.unpack_from(">H", data, at + 12)[0]
    child = bytes(data[at + heaviest : at + heaviest + 4])
    # All cells of all inner pages lead to one subtree.
    for page in range(1, len(data) // 512):
        start = page * 512
        if data[start] != 5:
            continue
        [cells] = struct.unpack_from(">H", data, start + 3)
        for number in range(cells):
            [cell] = struct.unpack_from(">H", data, start + 12 + 2 * number)
            data[start + cell : start + cell + 4] = child
    result = pruned(bytes(data), {"page-0001.md"})
    assert result is None or len(result.data) < 2 * len(data)


SMALL = index(META, "CREATE INDEX i ON pages(last_modified)", before="PRAGMA page_size=512;")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(SMALL) - 1), st.binary(min_size=1, max_size=4)),
        min_size=1,
        max_size=6,
    )
)
def test_whatever_the_bytes_are(changes: list[tuple[int, bytes]]) -> None:
    """Nothing is raised; what comes is a database that names the page no more."""
    data = bytearray(SMALL)
    for at, new in changes:
        data[at : at + len(new)] = new
    result = pruned(bytes(data[: len(SMALL)]), {"page-3.md"})
    if result is not None and result.rows:
        assert len(result.data) <= 2 * len(SMALL) + 100 * 512
        names = "SELECT count(*) FROM pages WHERE filename = 'page-3.md'"
        text = bytearray(result.data)
        text[18:20] = b"\1\1"
        assert asked(bytes(text), names) == [(0,)]
