"""An SQLite database of which every byte may be hostile, opened to be read and nothing else.

No lock is taken and no file made or looked for beside it. What a schema can bring along does not
act: no function, view, trigger, virtual table or CHECK constraint. How much work may be done on it
is for who opens it to say.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import apsw

Prepare: TypeAlias = "Callable[[apsw.Connection], None]"

MOST_ENTRIES = 100
"""Entries of a schema that are looked at (MF504); an index has four."""

MOST_STATEMENT = 16_384
"""Bytes of the text of one entry of a schema (MF504)."""

_LOG_AT = 18
"""Offset in a database of the versions that it is written and read by; 2 means a log beside it."""

_MOST_COLUMNS = 200
_MOST_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Allowed:
    """What statements may use.

    Attributes:
        tables: the tables that are read, in lower case.
        functions: the functions that are called, in lower case.
        pragmas: the pragmas that are asked, in lower case.
        most_value: bytes of a value or a row.
    """

    tables: frozenset[str]
    functions: frozenset[str]
    pragmas: frozenset[str]
    most_value: int


def connect(
    database: Path | bytes, allowed: Allowed, prepare: Prepare | None = None
) -> apsw.Connection:
    """Open a regular file, or what one holds.

    Arguments:
        database: the file, or its bytes, of which a copy is kept in memory.
        allowed: what statements may use.
        prepare: is given the connection when nothing of the file was read, to add functions.

    Raises:
        apsw.Error: it cannot be opened.
    """
    import apsw

    if isinstance(database, bytes):
        connection = apsw.Connection(":memory:")
    else:
        uri = f"{database.absolute().as_uri()}?mode=ro&immutable=1"
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    with ExitStack() as undo:
        undo.callback(connection.close, True)
        if isinstance(database, bytes):
            connection.deserialize("main", _without_log(database))
        _disarm(connection, allowed, prepare)
        undo.pop_all()
    return connection


def _without_log(database: bytes) -> bytes:
    """The bytes of a database whose header asks for no log beside it, as none is looked for."""
    if database[_LOG_AT : _LOG_AT + 2] != b"\x02\x02":
        return database
    return database[:_LOG_AT] + b"\x01\x01" + database[_LOG_AT + 2 :]


def _disarm(connection: apsw.Connection, allowed: Allowed, prepare: Prepare | None) -> None:
    """Take from a connection all that a schema could make use of."""
    import apsw

    connection.drop_modules(None)
    if prepare is not None:
        prepare(connection)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    for setting in (
        apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA,
        apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
        apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER,
        apsw.SQLITE_DBCONFIG_ENABLE_VIEW,
        apsw.SQLITE_DBCONFIG_DQS_DML,
        apsw.SQLITE_DBCONFIG_DQS_DDL,
    ):
        connection.config(setting, 0)
    for limit, most in (
        (apsw.SQLITE_LIMIT_LENGTH, allowed.most_value),
        (apsw.SQLITE_LIMIT_SQL_LENGTH, MOST_STATEMENT),
        (apsw.SQLITE_LIMIT_COLUMN, _MOST_COLUMNS),
        (apsw.SQLITE_LIMIT_EXPR_DEPTH, _MOST_DEPTH),
        (apsw.SQLITE_LIMIT_ATTACHED, 0),
        (apsw.SQLITE_LIMIT_TRIGGER_DEPTH, 0),
        (apsw.SQLITE_LIMIT_WORKER_THREADS, 0),
    ):
        connection.limit(limit, most)
    for pragma in ("temp_store=memory", "ignore_check_constraints=on", "cell_size_check=on"):
        connection.execute(f"PRAGMA {pragma}")

    def is_let_through(
        action: int, first: str | None, second: str | None, _database: str | None, _by: str | None
    ) -> int:
        """What a statement may do: look into the schema, and read what is allowed."""
        name = {
            apsw.SQLITE_PRAGMA: (first, allowed.pragmas),
            apsw.SQLITE_READ: (first, allowed.tables),
            apsw.SQLITE_FUNCTION: (second, allowed.functions),
        }.get(action)
        if name is not None:
            asked, known = name
            good = (asked or "").lower() in known
        else:
            good = action == apsw.SQLITE_SELECT
        return apsw.SQLITE_OK if good else apsw.SQLITE_DENY

    connection.authorizer = is_let_through
