"""A database anew, with all that is in another one but for some rows; nothing of these lingers.

The other one is never written to, since a damaged one cannot be trusted to forget, or to survive
it. Its tables are made again by their own statements, under an authorizer that lets nothing through
but that, and filled row by row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TypeAlias

from .database import (
    SEQUENCE,
    Database,
    NotPlain,
    Row,
    Table,
    Text,
    Value,
    connected,
    quoted,
    with_log,
)

Change: TypeAlias = "Callable[[Table, Row], Row | None]"
"""Another row in place of one, which is that itself if it stays as it is; None for none."""

_SPARE_PAGES = 32
_NEW = "SELECT type, name, sql FROM main.sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"

_MAY = frozenset(
    {
        sqlite3.SQLITE_CREATE_TABLE,
        sqlite3.SQLITE_CREATE_INDEX,
        sqlite3.SQLITE_REINDEX,
        sqlite3.SQLITE_INSERT,
        sqlite3.SQLITE_UPDATE,
        sqlite3.SQLITE_DELETE,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_TRANSACTION,
    }
)
_FUNCTIONS = frozenset({"count"})


def copied(database: Database, change: Change) -> bytes:
    """The bytes of a new database.

    Arguments:
        database: the other one.
        change: what becomes of each row.

    Raises:
        NotPlain: not all of it can be taken over.
        sqlite3.Error: it cannot be read, or breaks its own constraints.
    """
    facts = database.facts
    with closing(connected(database.size)) as connection:
        most_pages = database.size * 5 // (4 * facts.page_bytes) + _SPARE_PAGES
        for pragma in (
            f"page_size={facts.page_bytes}",
            f"auto_vacuum={facts.auto_vacuum}",
            f"user_version={facts.user_version}",
            f"application_id={facts.application_id}",
            f"max_page_count={most_pages}",
            "encoding='UTF-8'",
            "synchronous=OFF",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.set_authorizer(_is_let_through)
        connection.execute("BEGIN")
        for table in database.tables:
            if table.sql:
                connection.execute(table.sql)
        for table in database.tables:
            _fill(connection, table, _changed(database, table, change))
        for sql in database.indexes:
            connection.execute(sql)
        connection.execute("COMMIT")
        _check_schema(connection, database)
        connection.set_authorizer(None)
        data = connection.serialize()
    return with_log(data) if facts.has_log else data


def _changed(database: Database, table: Table, change: Change) -> Iterator[Row]:
    for row in database.rows(table):
        new = change(table, row)
        if new is not None:
            yield new


def _fill(connection: sqlite3.Connection, table: Table, rows: Iterator[Row]) -> None:
    target = f"main.{quoted(table.name)}"
    beginning = f"INSERT INTO {target}({', '.join(table.places)}) VALUES"
    if not table.sql:  # SQLite has made it, and has filled it in meanwhile
        connection.execute(f"DELETE FROM {target}")  # noqa: S608 - quoted
    count = 0
    for row in rows:
        # What is text and what is bytes is told by the statement: a text may be no UTF-8.
        places = ("CAST(? AS TEXT)" if isinstance(value, Text) else "?" for value in row)
        connection.execute(f"{beginning}({', '.join(places)})", tuple(map(_bound, row)))
        count += 1
    [(found,)] = connection.execute(f"SELECT count(*) FROM {target}")  # noqa: S608 - quoted
    if found != count:
        raise NotPlain("has rows that its own constraints do not allow")


def _bound(value: Value) -> Value:
    return bytes(value) if isinstance(value, Text) else value


def _check_schema(connection: sqlite3.Connection, database: Database) -> None:
    """See that what was made is what was there: a statement may name another thing than its entry.

    Raises:
        NotPlain: it is not.
    """
    made = connection.execute(_NEW).fetchall()
    tables = [(table.name, table.sql) for table in database.tables if table.sql]
    found = [(name, sql) for kind, name, sql in made if kind == "table" and name != SEQUENCE]
    indexes = [sql for kind, _, sql in made if kind == "index"]
    if found != tables or indexes != list(database.indexes):
        raise NotPlain("has statements in its schema that make something else")


def _is_let_through(
    action: int, _first: str | None, second: str | None, place: str | None, _by: str | None
) -> int:
    if action == sqlite3.SQLITE_FUNCTION:
        good = (second or "").lower() in _FUNCTIONS
    else:
        good = action in _MAY and place in ("main", None)
    return sqlite3.SQLITE_OK if good else sqlite3.SQLITE_DENY
