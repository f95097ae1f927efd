"""Indexes that are built to run something, or to take time or memory for ever, do neither."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from tests.validator.fields import Files, page, report_on, write_files
from tests.validator.index_files import (
    LOOSE,
    PAGE_SIZE,
    TABLE,
    VECTOR,
    Row,
    index,
    interior,
    patched,
    row,
    serialized,
    with_pages,
)
from tests.validator.test_hostile_sizes import MOST, Measured

INDEX = "tiny-v1.sqlite3"
_A = row("a.md", page())
_GOOD = index([_A])
_END = len(_GOOD) // PAGE_SIZE
_LEAF = _GOOD[PAGE_SIZE : 2 * PAGE_SIZE]
_ROOT = 2
"""The page with which the table `pages` of the good index begins."""

_HEAVY = "length(replace(hex(zeroblob(300000000)), '0', '1'))"
"""What takes gigabytes and many seconds, where it is evaluated."""

_NUMBERS = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n{where}) SELECT x{more} FROM n"
)
_ENDLESS = _NUMBERS.format(where="", more=" AS filename")
_MUCH = "takes more work to read"


def _edited(data: bytes, statement: str) -> bytes:
    """A database of which the schema was written to by hand."""
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", data)
    connection.execute(f"PRAGMA writable_schema = on; {statement}")
    return serialized(connection)


def _with_column(column: str) -> bytes:
    """The good index, after the table got a column that nothing was evaluated for."""
    quoted = f"{TABLE[:-1]}, {column})".replace("'", "''")
    return _edited(_GOOD, f"UPDATE sqlite_schema SET sql = '{quoted}' WHERE name = 'pages'")


def _with_columns(count: int, columns: str) -> bytes:
    """A table `pages` of so many rows that are shorter than its columns."""
    where = f" WHERE x < {count}"
    fill = f"INSERT INTO pages(z) {_NUMBERS.format(where=where, more=' * 0')}"
    data = index(table="CREATE TABLE t(z)", page_size=4096, before=["CREATE TABLE pages(z)", fill])
    return _edited(
        data,
        f"UPDATE sqlite_schema SET sql = 'CREATE TABLE pages(z, {columns})' WHERE rootpage = 2",
    )


def _schema_in_circles(length: int) -> bytes:
    """A schema that has one entry of such a length, and 40 ** 11 ways that lead to it."""
    entry = "CREATE TABLE IF NOT EXISTS pages(a /*" + "x" * length + "*/)"
    data = _edited(index([_A], table=LOOSE), f"UPDATE sqlite_schema SET sql = '{entry}'")
    count = len(data) // PAGE_SIZE
    leaf = data[100:110] + bytes(100) + data[110:PAGE_SIZE]
    ways = {count + n: interior(count + n + 1, 40) for n in range(1, 11)}
    return with_pages(data, {1: interior(count + 1, 40, PAGE_SIZE - 100), **ways, count + 11: leaf})


def _chain(length: int) -> bytes:
    """A table that is a chain of pages, each of which leads to the next."""
    links = {_END + n: interior(_END + n + 1, 0) for n in range(1, length)}
    return with_pages(_GOOD, {_ROOT: interior(_END + 1, 0), **links, _END + length: _LEAF})


def _large(**values: object) -> bytes:
    return index([_A._replace(**values)], page_size=4096)


_DEFAULTS = (
    "filename DEFAULT ''a.md'', frontmatter, last_modified, sha256_hash, "
    f"embedding DEFAULT x''{'7f' * 7000}''"
)
_PADDED = ", ".join(f"c{n} TEXT NOT NULL DEFAULT 1" for n in range(190))

# What each is, how it is made, and what has to be said of it: a rule and a part of its message.
REFUSED: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "an endless view": (
        lambda: index(after=["DROP TABLE pages", f"CREATE VIEW pages AS {_ENDLESS}"]),
        "MF509",
        "is a view",
    ),
    "a virtual table": (
        lambda: index(after=["DROP TABLE pages", "CREATE VIRTUAL TABLE pages USING fts5(a)"]),
        "MF509",
        "is a virtual table",
    ),
    "a virtual table that nothing makes": (
        lambda: _edited(
            index(after=["DROP TABLE pages", "CREATE VIRTUAL TABLE pages USING fts5(a)"]),
            "UPDATE sqlite_schema SET sql = replace(sql, 'fts5', 'none') WHERE name = 'pages'",
        ),
        "MF509",
        "is a virtual table",
    ),
    "a column that is computed": (
        lambda: _with_column(f"z TEXT NOT NULL AS ({_HEAVY})"),
        "MF504",
        "computes the column `z`",
    ),
    "a default that is computed": (
        lambda: _with_column(f"z TEXT NOT NULL DEFAULT ({_HEAVY})"),
        "MF504",
        "cannot be read",
    ),
    "an order that nothing knows": (
        lambda: _with_column("UNIQUE(filename COLLATE x)"),
        "MF504",
        "cannot be read",
    ),
    "101 entries": (
        lambda: index([_A], before=[f"CREATE TABLE t{n}(z)" for n in range(99)]),
        "MF504",
        "more than 100 tables",
    ),
    "5,000 tables": (
        lambda: index([_A], before=[f"CREATE TABLE t{n}(z)" for n in range(5000)]),
        "MF504",
        _MUCH,
    ),
    "a long entry": (
        lambda: index([_A], before=[f"CREATE TABLE t(z /*{'x' * 16_363}*/)"]),
        "MF504",
        "too big",
    ),
    "an entry of 5 MB": (
        lambda: index([_A], before=[f"CREATE TABLE t(z /*{'x' * 5_000_000}*/)"]),
        "MF504",
        "too big",
    ),
    "a deep expression": (
        lambda: index([_A], table=f"{TABLE[:-1]}, CHECK({'NOT ' * 500}1))"),
        "MF504",
        "cannot be read",
    ),
    "a name that is no UTF-8": (
        lambda: index([_A], after=["CREATE TABLE QQQQ(z)"]).replace(b"QQQQ", b"\xff\xfe\xfd\xfc"),
        "MF504",
        "not valid UTF-8",
    ),
    "a schema in circles": (lambda: _schema_in_circles(10), "MF504", _MUCH),
    "a schema of long entries in circles": (lambda: _schema_in_circles(16_000), "MF504", _MUCH),
    "a schema that leads to itself": (
        lambda: with_pages(_GOOD, {1: interior(1, 40, PAGE_SIZE - 100)}),
        "MF504",
        "cannot be read",
    ),
    "a table that leads to itself": (
        lambda: with_pages(_GOOD, {_ROOT: interior(_ROOT, 60)}),
        "MF504",
        "quick check",
    ),
    "a table of 60 ** 11 ways": (
        lambda: with_pages(
            _GOOD,
            {
                _ROOT: interior(_END + 1, 60),
                **{_END + n: interior(_END + n + 1, 60) for n in range(1, 11)},
                _END + 11: _LEAF,
            },
        ),
        "MF504",
        "quick check",
    ),
    "a chain of 120,000 pages": (lambda: _chain(120_000), "MF504", "quick check"),
    "two tables in one place": (
        lambda: _edited(
            index([_A], after=["CREATE TABLE t(z)"]),
            "UPDATE sqlite_schema SET rootpage = 2 WHERE name = 't'",
        ),
        "MF504",
        "quick check",
    ),
    "a table in no place": (
        lambda: _edited(_GOOD, "UPDATE sqlite_schema SET rootpage = 0 WHERE name = 'pages'"),
        "MF504",
        "quick check",
    ),
    "an index that says it is a table": (
        lambda: _edited(
            index([_A], after=['CREATE INDEX "5" ON pages(filename)', "CREATE TABLE t(z)"]),
            "UPDATE sqlite_schema SET name = 5, sql = NULL WHERE name = 't'",
        ),
        "MF504",
        "quick check",
    ),
    "a value that uses its own pages again": (
        lambda: _overflow_in_circles(),
        "MF504",
        "quick check",
    ),
    "defaults for many columns": (lambda: _with_columns(200_000, _PADDED), "MF504", _MUCH),
    "a long default for many rows": (lambda: _with_columns(1_000_000, _DEFAULTS), "MF504", _MUCH),
    "rows without values": (
        lambda: _with_columns(
            1_000_000, "filename, frontmatter, last_modified, sha256_hash, embedding"
        ),
        "MF504",
        _MUCH,
    ),
    "a name of 20 MB": (
        lambda: index([_A, Row("x" * 20_000_000, b"", VECTOR)], table=LOOSE, page_size=4096),
        "MF509",
        "row 2",
    ),
    "an embedding of 40 MB": (lambda: _large(embedding=b"\x7f" * 40_000_000), "MF506", "length"),
    "a hash of 40 MB": (lambda: _large(sha256_hash=b"\x7f" * 40_000_000), "MF505", "`a.md`"),
}


def _overflow_in_circles() -> bytes:
    """A row with a value that goes on in other pages, the first of which goes on in itself."""
    data = index([_A._replace(frontmatter="x" * 10_000)], table=LOOSE)
    first = next(
        number
        for number in range(3, len(data) // PAGE_SIZE)
        if data[(number - 1) * PAGE_SIZE :][:4] == (number + 1).to_bytes(4)
    )
    return patched(data, (first - 1) * PAGE_SIZE, first.to_bytes(4))


PASSED: dict[str, Callable[[], bytes]] = {
    "checks": lambda: index([_A], table=f"{TABLE[:-1]}, CHECK({_HEAVY} = 1))"),
    "indexes over expressions": lambda: _edited(
        index(
            [_A],
            after=[
                "CREATE INDEX i ON pages(length(hex(zeroblob(9))))",
                "CREATE INDEX j ON pages(filename) WHERE length(hex(zeroblob(9))) > 1",
            ],
        ),
        "UPDATE sqlite_schema SET sql = replace(sql, 'zeroblob(9)', 'zeroblob(400000000)')",
    ),
    "a trigger": lambda: index(
        [_A],
        after=[f"CREATE TRIGGER t AFTER INSERT ON pages BEGIN SELECT {_HEAVY}; END"],
    ),
    "a view of another name": lambda: index([_A], after=[f"CREATE VIEW v AS {_ENDLESS}"]),
    "a virtual table of another name": lambda: index(
        [_A], after=["CREATE VIRTUAL TABLE f USING fts5(z)"]
    ),
    "parentheses": lambda: index([_A], table=f"{TABLE[:-1]}, CHECK({'(' * 500}1{')' * 500}))"),
    "100 entries": lambda: index([_A], before=[f"CREATE TABLE t{n}(z)" for n in range(98)]),
    "an entry of 16384 bytes": lambda: index(
        [_A], before=[f"CREATE TABLE t(z /*{'x' * 16_362}*/)"]
    ),
    "statistics": lambda: index(
        [_A], after=["CREATE INDEX i ON pages(last_modified)", "ANALYZE"]
    ),
    "large values": lambda: index(
        [_A._replace(frontmatter="x" * 20_000_000)],
        after=["CREATE TABLE t(z)", "INSERT INTO t VALUES(zeroblob(20000000))"],
        page_size=4096,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measured]:
    """What measures fields one after the other, and ends one that takes too long."""
    small: Files = {"a.md": page(), INDEX: _GOOD}
    child = Measured(write_files(tmp_path_factory.mktemp("warm-up"), small))
    yield child
    child.close()


def assert_costs_little(index: bytes, measured: Measured, folder: Path) -> None:
    """It is judged within bounds of time and memory, whatever it is built for."""
    if not Path("/proc/self/clear_refs").exists():
        return  # it is measured by Linux's /proc
    memory, found = measured(write_files(folder, {"a.md": page(), INDEX: index}))
    assert memory <= MOST
    assert found


@pytest.mark.parametrize("what", REFUSED)
def test_hostile_index_is_refused(what: str, measured: Measured, tmp_path: Path) -> None:
    """It is an error of the index that says what is wrong, the only one, and the rest is read.

    That costs little.
    """
    made, rule, says = REFUSED[what]
    index = made()
    report = report_on({"a.md": page(), INDEX: index})
    found = {(one.rule, one.file) for one in report.findings} - {("MF507", None)}
    assert found == {(rule, INDEX)}
    assert says in next(one.message for one in report.findings if one.rule == rule)
    assert report.unread == ()
    assert report.digest is not None
    assert_costs_little(index, measured, tmp_path / "field")


@pytest.mark.parametrize("what", PASSED)
def test_what_is_never_run_does_no_harm(what: str, measured: Measured, tmp_path: Path) -> None:
    """What only acts where it is run does not make an index a bad one, and costs little."""
    index = PASSED[what]()
    report = report_on({"a.md": page(), INDEX: index})
    assert [one.rule for one in report.findings] == ["MF507"]
    assert report.unread == ()
    assert_costs_little(index, measured, tmp_path / "field")
