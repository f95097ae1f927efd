"""An SQLite database in memory, of which every byte may be hostile: its tables and their rows.

It is only read. What a schema can bring along that acts (views, triggers, virtual tables, computed
columns, expressions) is refused, and the work and the bytes are bounded by the size of the file.
What is not understood ends in `NotPlain`, not in a guess.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

Value: TypeAlias = "Text | bytes | int | float | None"
Row: TypeAlias = "tuple[Value, ...]"

HEADER = b"SQLite format 3\0"
"""What a file begins with that is an SQLite database."""

MOST_ENTRIES = 100
"""Entries of a schema that are looked at, as readers do (MF504); an index has four."""

MOST_STATEMENT = 16_384
"""Bytes of the text of one entry of a schema (MF504)."""

_HEADER_BYTES = 100
_MOST_COLUMNS = 200
_MOST_DEPTH = 50
_MOST_VALUES = 2_000_000
_VALUES_OF_A_ROW = 4
"""What a row costs beside its values, in values; an index of a field has a row for each page."""

_SPARE_BYTES = 100_000
_LEAST_VALUE_BYTES = 65_536
_STRIDE = 1000
_BASE_STEPS = 1_000_000
_STEPS_PER_BYTE = 1
"""A row of a few bytes takes a few steps; only one that a long schema pads with defaults more."""

_UTF_8 = 1
_ROLLBACK, _WAL = b"\1\1", b"\2\2"
_MODE = slice(18, 20)
_ROWID_NAMES = ("rowid", "_rowid_", "oid")
SEQUENCE = "sqlite_sequence"
"""The table that SQLite makes by itself for numbers that are not given out twice."""

_ENTRIES = "SELECT type, name, rootpage, sql FROM main.sqlite_master ORDER BY rowid LIMIT ?"
_READABLE = frozenset({"sqlite_master", "sqlite_schema"})


class NotPlain(Exception):
    """The database is none, is damaged, or holds what is not taken over."""


class Text(bytes):
    """A value that is text, as its bytes in UTF-8, which may be none."""


class Facts(NamedTuple):
    """What the header of a database says of it.

    Attributes:
        page_bytes: bytes of a page.
        auto_vacuum: 0 for none, 1 for full, 2 for incremental, as the pragma has it.
        user_version: a number of whoever made it.
        application_id: another one.
        has_log: whether it is written by way of a write-ahead log.
    """

    page_bytes: int
    auto_vacuum: int
    user_version: int
    application_id: int
    has_log: bool


class Table(NamedTuple):
    """A table whose columns are all stored.

    Attributes:
        name: its name.
        columns: the names of its columns.
        rowid: what its row number is called; None where it has none.
        sql: the statement that makes it; "" for the one that SQLite makes by itself.
    """

    name: str
    columns: tuple[str, ...]
    rowid: str | None
    sql: str

    @property
    def places(self) -> tuple[str, ...]:
        """What a row has values for, quoted: the number, where there is one, and the columns."""
        return (*(() if self.rowid is None else (self.rowid,)), *map(quoted, self.columns))


class Database:
    """A database that is open for reading.

    Attributes:
        facts: what its header says.
        size: its bytes.
        tables: its tables; that of the numbers that were given out comes last.
        indexes: the statements that make its indexes, in order.
    """

    def __init__(self, connection: sqlite3.Connection, facts: Facts, size: int) -> None:
        """Read the schema; raises as `opened` does."""
        self.facts = facts
        self.size = size
        self._connection = connection
        self._readable = set(_READABLE)
        self._bytes_left = size + _SPARE_BYTES
        self._values_left = _MOST_VALUES
        self._steps_left = _BASE_STEPS + size * _STEPS_PER_BYTE
        connection.set_progress_handler(self._is_spent, _STRIDE)
        connection.set_authorizer(self._is_let_through)
        self.tables, self.indexes = self._schema()

    def rows(self, table: Table, places: Sequence[str] | None = None) -> Iterator[Row]:
        """The rows of a table, in its order.

        Arguments:
            table: one of `tables`.
            places: which of its places a row has values for; None for all.

        Raises:
            NotPlain: they are more, or have more bytes, than can be in the file.
            sqlite3.Error: they cannot be read.
        """
        wanted = ", ".join(table.places if places is None else places)
        for row in self._connection.execute(
            f"SELECT {wanted} FROM main.{quoted(table.name)} NOT INDEXED"  # noqa: S608 - quoted
        ):
            self._values_left -= len(row) + _VALUES_OF_A_ROW
            self._bytes_left -= sum(len(value) for value in row if isinstance(value, bytes))
            if self._values_left < 0 or self._bytes_left < 0:
                raise NotPlain("has more in its rows than its size accounts for")
            yield row

    def allow_again(self) -> None:
        """Allow as much reading as for a database that was just opened."""
        self._bytes_left = self.size + _SPARE_BYTES
        self._values_left = _MOST_VALUES
        self._steps_left = _BASE_STEPS + self.size * _STEPS_PER_BYTE

    def _schema(self) -> tuple[tuple[Table, ...], tuple[str, ...]]:
        entries = self._connection.execute(_ENTRIES, (MOST_ENTRIES + 1,)).fetchall()
        if len(entries) > MOST_ENTRIES:
            raise NotPlain(f"has more than {MOST_ENTRIES} entries in its schema")
        tables: list[Table] = []
        numbers: list[Table] = []
        indexes: list[str] = []
        for kind, raw_name, root, sql in entries:
            name = _text(raw_name)
            if kind == b"index":
                if sql is not None:
                    indexes.append(_text(sql))
            elif kind != b"table" or not root:
                raise NotPlain("has a view, a trigger or a virtual table")
            elif name == SEQUENCE:
                numbers.append(self._table(name, ""))
            elif not name.startswith("sqlite_stat"):  # which are made anew when they are wanted
                tables.append(self._table(name, _text(sql)))
        return (*tables, *numbers), tuple(indexes)

    def _table(self, name: str, sql: str) -> Table:
        found = self._connection.execute(f"PRAGMA main.table_xinfo({quoted(name)})").fetchall()
        if any(row[6] for row in found):
            raise NotPlain("has a column that is computed")
        self._readable.add(name.lower())
        columns = tuple(_text(row[1]) for row in found)
        taken = {column.lower() for column in columns}
        rowid = next((each for each in _ROWID_NAMES if each not in taken), None)
        if rowid is not None and not self._has(name, rowid):
            rowid = None
        return Table(name, columns, rowid, sql)

    def _has(self, table: str, rowid: str) -> bool:
        try:
            self._connection.execute(
                f"SELECT {rowid} FROM main.{quoted(table)} LIMIT 0"  # noqa: S608 - quoted
            )
        except sqlite3.OperationalError:
            return False
        return True

    def _is_spent(self) -> bool:
        self._steps_left -= _STRIDE
        return self._steps_left < 0

    def _is_let_through(
        self, action: int, first: str | None, _second: str | None, _in: str | None, _by: str | None
    ) -> int:
        """What a statement may do: look into the schema, and read plain tables."""
        if action == sqlite3.SQLITE_READ:
            good = (first or "").lower() in self._readable
        elif action == sqlite3.SQLITE_PRAGMA:
            good = first == "table_xinfo"
        else:
            good = action == sqlite3.SQLITE_SELECT
        return sqlite3.SQLITE_OK if good else sqlite3.SQLITE_DENY


@contextmanager
def opened(data: bytes) -> Iterator[Database]:
    """A database that is at hand as bytes; no file is touched.

    Raises:
        NotPlain, sqlite3.Error, UnicodeError: here or within the context: it cannot be read.
    """
    facts = _facts_of(data)
    connection = connected(len(data))
    try:
        if facts.has_log:  # in memory there is none; without its file, the log is empty
            changed = bytearray(data)
            changed[_MODE] = _ROLLBACK
            connection.deserialize(changed)
        else:
            connection.deserialize(data)
        connection.text_factory = Text
        connection.execute("PRAGMA query_only=ON")
        yield Database(connection, facts, len(data))
    finally:
        connection.close()


def connected(most_value: int) -> sqlite3.Connection:
    """A connection to an empty database in memory, within bounds.

    Arguments:
        most_value: bytes that a value or a row may have, unless that is very few.
    """
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for limit, most in (
        (sqlite3.SQLITE_LIMIT_LENGTH, max(most_value, _LEAST_VALUE_BYTES)),
        (sqlite3.SQLITE_LIMIT_SQL_LENGTH, MOST_STATEMENT),
        (sqlite3.SQLITE_LIMIT_COLUMN, _MOST_COLUMNS),
        (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, _MOST_DEPTH),
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0),
        (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
    ):
        connection.setlimit(limit, most)
    for pragma in (
        "trusted_schema=OFF",
        "cell_size_check=ON",
        "ignore_check_constraints=ON",
        "foreign_keys=OFF",
        "temp_store=MEMORY",
    ):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def with_log(data: bytes) -> bytes:
    """A database whose header says that it is written by way of a log."""
    return b"".join((data[: _MODE.start], _WAL, data[_MODE.stop :]))


def quoted(name: str) -> str:
    """A name as it stands in a statement."""
    return '"' + name.replace('"', '""') + '"'


def _facts_of(data: bytes) -> Facts:
    if len(data) < _HEADER_BYTES or not data.startswith(HEADER):
        raise NotPlain("does not begin with the header of SQLite 3")
    if not hasattr(sqlite3.Connection, "deserialize"):
        raise NotPlain("this Python cannot read a database that is no file")
    (page_bytes,) = struct.unpack_from(">H", data, 16)
    page_bytes = 65_536 if page_bytes == 1 else page_bytes
    if page_bytes < 512 or page_bytes & (page_bytes - 1) or len(data) % page_bytes:
        raise NotPlain("has pages of no size that SQLite knows, or not all of them")
    mode = data[_MODE]
    if mode not in (_ROLLBACK, _WAL):
        raise NotPlain("is of a version of the format that is not known")
    largest_root, encoding, user_version, incremental, application_id = struct.unpack_from(
        ">IIiIi", data, 52
    )
    if encoding != _UTF_8:
        raise NotPlain("has texts that are not UTF-8")
    auto_vacuum = 0 if not largest_root else 2 if incremental else 1
    return Facts(page_bytes, auto_vacuum, user_version, application_id, mode == _WAL)


def _text(value: Any) -> str:
    if not isinstance(value, bytes):
        raise NotPlain("has an entry in its schema that is no text")
    return value.decode("utf-8")
