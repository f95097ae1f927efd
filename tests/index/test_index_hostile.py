"""Nothing in an index acts, whatever was put into it, and reading it comes to an end."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.index.fields import (
    DIMENSION,
    INDEX,
    build,
    change,
    folder,
    foreign,
    pages,
)
from tests.index.rows import GOOD, opened, refused

from memoryfield_index.storage import Index, open_index
from memoryfield_readers import MemoryfieldError
from memoryfield_readers.errors import IndexMismatch


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder(tmp_path / "field", pages(3))


@pytest.fixture
def path(place: Path) -> Path:
    return place / INDEX


ACTING = {
    "view": "CREATE VIEW pages AS SELECT 1 filename, 2 frontmatter, 3 last_modified, "
    "4 sha256_hash, 5 embedding",
    "endless-view": "CREATE VIEW pages AS WITH RECURSIVE r(filename) AS (SELECT 1 UNION ALL "
    "SELECT filename + 1 FROM r) SELECT filename, 2 frontmatter, 3 last_modified, 4 sha256_hash, "
    "5 embedding FROM r",
    "full-text": "CREATE VIRTUAL TABLE pages USING fts5(filename, frontmatter, last_modified, "
    "sha256_hash, embedding)",
    "computed": "CREATE TABLE pages(filename, frontmatter, last_modified, sha256_hash, "
    "embedding AS (zeroblob(1000000)))",
    "stored": "CREATE TABLE pages(filename, frontmatter, last_modified, sha256_hash, "
    "embedding AS (zeroblob(1000000)) STORED)",
    "columns": "CREATE TABLE pages(filename, frontmatter)",
    "nothing": "CREATE TABLE other(x)",
}


@pytest.mark.parametrize("schema", ACTING.values(), ids=ACTING)
def test_what_could_act_is_refused(schema: str, path: Path) -> None:
    """`pages` is a table with the columns of the standard, and none of them is computed."""
    with closing(apsw.Connection(str(path))) as database:
        database.execute(schema)
    assert "`pages`" in refused(path)


def test_triggers_and_other_tables_do_nothing(path: Path) -> None:
    """They may stand there; nothing looks at them."""
    foreign(path, [GOOD])
    change(
        path,
        "CREATE TRIGGER t AFTER INSERT ON pages BEGIN SELECT load_extension('/tmp/x'); END",
        "CREATE VIEW v AS SELECT load_extension('/tmp/x')",
        "CREATE TABLE t2(x CHECK (abs(x) > zeroblob(1000000)))",
    )
    assert opened(path) == ["page-000.md"]


def test_meta_that_is_a_view_tells_nothing(path: Path) -> None:
    """How the vectors were made is not known then."""
    foreign(path, [GOOD])
    change(path, "CREATE VIEW meta AS SELECT 'recipe' key, '{}' value")
    with open_index(path) as index:
        assert (index.recipe, index.meta.format_version) == (None, 0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs here")
def test_a_fifo_does_not_hang(path: Path) -> None:
    os.mkfifo(path)
    assert "no regular file" in refused(path)


def test_a_long_schema_is_refused(path: Path) -> None:
    foreign(path, [GOOD])
    change(path, "BEGIN", *(f"CREATE TABLE t{n}(x)" for n in range(100)), "COMMIT")
    assert "more than 100" in refused(path)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO pages VALUES('x', 'x', 'x', 'x', 'x')",
        "DELETE FROM pages",
        "DROP TABLE pages",
        "CREATE TABLE t(x)",
        "CREATE TEMP TABLE t(x)",
        "ATTACH '/tmp/other' AS other",
        "SELECT load_extension('/tmp/x')",
        "SELECT * FROM other",
        "SELECT randomblob(10)",
        "PRAGMA writable_schema=on",
        "PRAGMA journal_mode=wal",
        "VACUUM INTO '/tmp/x'",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r",
    ],
)
def test_no_other_statement_is_let_through(statement: str, path: Path) -> None:
    """Whoever is talked into running it gets an error."""
    foreign(path, [GOOD])
    change(path, "CREATE TABLE other(x)")
    with open_index(path) as index, pytest.raises(IndexMismatch):
        list(index.database.rows(statement))


def test_functions_can_be_added(path: Path) -> None:
    """A search brings its own, by name, before anything of the file is read."""
    foreign(path, [GOOD])

    def first(*values: object) -> float:
        [raw] = values
        assert isinstance(raw, bytes)
        return float(struct.unpack_from("<f", raw)[0])

    def prepare(connection: apsw.Connection) -> None:
        connection.create_scalar_function("first", first)

    statement = "SELECT first(embedding) FROM pages"
    with open_index(path, prepare=prepare, functions={"first"}) as index:
        assert list(index.database.rows(statement)) == [(1.0,)]
    with open_index(path, prepare=prepare) as index, pytest.raises(IndexMismatch):
        list(index.database.rows(statement))


def test_default_values_do_not_multiply(path: Path) -> None:
    """A long default stands in the file once, and would be told for each of many rows."""
    long = "x" * 10_000
    schema = "CREATE TABLE pages(filename, last_modified, sha256_hash, embedding); "
    with closing(apsw.Connection(str(path))) as database:
        database.execute(schema)
        database.execute(
            "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3000) "
            "INSERT INTO pages SELECT 'p', '', '', '' FROM r"
        )
        database.execute(f"ALTER TABLE pages ADD COLUMN frontmatter DEFAULT '{long}'")
    assert "more rows than its size accounts for" in refused(path)


def test_work_is_bounded(path: Path) -> None:
    """A statement that never ends is ended, by its steps and not by a clock."""
    foreign(path, [(f"{n}", *GOOD[1:4], b"") for n in range(50)])
    endless = "SELECT count(*) FROM pages a, pages b, pages c, pages d, pages e"
    with open_index(path) as index, pytest.raises(IndexMismatch, match="more work"):
        list(index.database.rows(endless))


Look = Callable[[Index], object]


LOOKS: tuple[Look, ...] = (
    lambda index: list(index.rows()),
    lambda index: list(index.usable_rows(pages(3))),
    lambda index: list(index.whole_rows(DIMENSION)),
    lambda index: index.count(),
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of an index that is sound."""
    place = folder(tmp_path_factory.mktemp("sound"), pages(3))
    build(place)
    return (place / INDEX).read_bytes()


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    changes=st.lists(
        st.tuples(st.integers(16, 40_000), st.integers(0, 255)), min_size=1, max_size=8
    ),
    near=st.booleans(),
)
def test_damage_is_an_error_of_ours_or_none(
    changes: list[tuple[int, int]], near: bool, sound: bytes, tmp_path: Path
) -> None:
    """Whichever bytes are wrong, nothing else is raised, and all comes to an end."""
    content = bytearray(sound)
    for place, value in changes:
        content[place % (4096 if near else len(content))] = value
    path = tmp_path / INDEX
    path.write_bytes(content)
    for look in LOOKS:
        with suppress(MemoryfieldError), open_index(path) as index:
            look(index)
