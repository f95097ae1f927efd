"""Whether an opened database is sound, and whether its `pages` is a table that can be read."""

from __future__ import annotations

from typing import NamedTuple

from memoryfield_readers import shown
from memoryfield_readers.disarmed_sqlite import MOST_ENTRIES

from .opening import Database, Unsound

HEADER = b"SQLite format 3\0"
"""What a file begins with that is an SQLite database."""

COLUMNS = ("filename", "frontmatter", "last_modified", "sha256_hash", "embedding")
"""The columns of the suggested table."""

_PAGES = "pages"
_TABLE = "a table"
_READ_LIKE_TABLES = (_TABLE, "a virtual table", "a view")
_ENTRIES = "SELECT type, name, rootpage FROM main.sqlite_schema ORDER BY rowid LIMIT ?"
_COMPUTED = 2
"""What SQLite tells of a generated column that is computed whenever it is read."""


class _Entry(NamedTuple):
    """An entry of a schema: what it is, and its name."""

    kind: str
    name: str

    @property
    def is_pages(self) -> bool:
        return self.name.lower() == _PAGES and self.kind in _READ_LIKE_TABLES


def pages_kind(database: Database) -> str | None:
    """Check a database, and say what its `pages` is.

    It is "a table", "a virtual table" or "a view", or None where there is none.

    Raises:
        Unsound: it has a schema out of bounds, a column that is computed, does not pass a quick
            check, or its table `pages` lacks columns.
    """
    entries = _schema(database)
    for entry in entries:
        if entry.kind == _TABLE:
            _refuse_computed(entry.name, database)
    _quick_check(database)
    found = next((entry for entry in entries if entry.is_pages), None)
    if found is None:
        return None
    if found.kind == _TABLE:
        _require_columns(found.name, database)
    return found.kind


def _schema(database: Database) -> list[_Entry]:
    rows = database.all(_ENTRIES, MOST_ENTRIES + 1)
    if len(rows) > MOST_ENTRIES:
        raise Unsound(f"has more than {MOST_ENTRIES} tables, indexes and other entries")
    return [_Entry(_kind(type_, root), str(name)) for type_, name, root in rows]


def _kind(type_: str, root: int | None) -> str:
    """What an entry is; a virtual table has no page of its own.

    SQLite has seen to it that the type and the name are what the text of the entry says. Only an
    index without a text can claim to be something else, and is then a table without columns.
    """
    if type_ == "table":
        return _TABLE if root else "a virtual table"
    return f"a {type_}"


def _columns(table: str, database: Database) -> list[tuple[str, int]]:
    """The names of a table's columns, in lower case, each with whether it is hidden or computed."""
    quoted = table.replace('"', '""')
    return [
        (row[1].lower(), row[6]) for row in database.all(f'PRAGMA main.table_xinfo("{quoted}")')
    ]


def _refuse_computed(table: str, database: Database) -> None:
    for column, hidden in _columns(table, database):
        if hidden == _COMPUTED:
            raise Unsound(f"computes the column {shown(column)} of its table {shown(table)}")


def _quick_check(database: Database) -> None:
    database.allow_for_size()
    [(said,)] = database.all("PRAGMA main.quick_check(1)")
    if said != "ok":
        what = said.removeprefix("*** in database main ***\n")
        raise Unsound(f"does not pass a quick check: {shown(what, 200)}")


def _require_columns(table: str, database: Database) -> None:
    present = {column for column, _ in _columns(table, database)}
    missing = [column for column in COLUMNS if column not in present]
    if missing:
        raise Unsound(f"its table `pages` lacks {', '.join(map(shown, missing))}")
