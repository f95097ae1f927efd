"""Opens a file as a disarmed SQLite database, and bounds the work that is done on it.

What may act was taken from it. What is left costs time, and that is bounded in steps of SQLite's
machine, not by a clock, so that a verdict does not depend on the computer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoryfield_readers.disarmed_sqlite import Allowed, connect

if TYPE_CHECKING:
    import apsw

_MOST_IN_SCHEMA = 65_536
"""Bytes of a value while the schema is read: more than an entry in UTF-16 has."""

_STRIDE = 100
"""Steps between two looks at the budget."""

_SCHEMA_STEPS = 10_000
"""More than ten times what a schema of `MOST_ENTRIES` takes; one that goes in circles ends here."""

_BASE_STEPS = 1_000_000
_STEPS_PER_BYTE = 1
"""A row of a few bytes takes a few steps; only one that a long schema pads with defaults more."""

_LEAST_ROW = 80
"""Bytes that a row accounts for at least: a short name, a time, a hash and a few numbers."""

_SPARE_BYTES = 100_000

_PRAGMAS = frozenset({"quick_check", "table_xinfo", "encoding"})
_TABLES = frozenset({"sqlite_master", "pages"})
_FUNCTIONS = frozenset({"octet_length", "typeof"})
_ALLOWED = Allowed(_TABLES, _FUNCTIONS, _PRAGMAS, _MOST_IN_SCHEMA)

TOO_MUCH_WORK = "takes more work to read than its size accounts for"


class Unsound(Exception):
    """A file is not a database that can be read: why, in one line."""


class Database:
    """An opened database, and how much work may be done on it.

    Attributes:
        connection: the connection; only a handful of statements is let through.
        size: the size of the file in bytes.
    """

    def __init__(self, connection: apsw.Connection, size: int) -> None:
        """Take over a connection, and bound the reading of the schema, which comes first."""
        self.connection = connection
        self.size = size
        self._left = _SCHEMA_STEPS
        connection.set_progress_handler(self._is_spent, _STRIDE)

    def all(self, statement: str, *bindings: int) -> list[tuple[Any, ...]]:
        """All rows of a statement that has few."""
        return list(self.connection.execute(statement, bindings))

    def rows(self, statement: str, *bindings: int) -> Iterator[tuple[bytes | None, ...]]:
        """The rows of a statement, one after the other, within the work that the size allows.

        A default value is told for each row that is too short to have one, and stands in the file
        once; and rows without values are many. So what is read is counted too.

        Raises:
            Unsound: there is more in the rows than can be in the file.
        """
        self.allow_for_size()
        left = self.size + _SPARE_BYTES
        for row in self.connection.execute(statement, bindings):
            left -= max(_LEAST_ROW, sum(map(len, filter(None, row))))
            if left < 0:
                raise Unsound(TOO_MUCH_WORK)
            yield row

    def allow_for_size(self) -> None:
        """Allow so much work for what comes next as reading the whole file can take.

        A value may then be as long as the file, since a quick check looks at values only when it
        knows that no part of the file is used twice.
        """
        import apsw

        self._left = _BASE_STEPS + self.size * _STEPS_PER_BYTE
        self.connection.limit(apsw.SQLITE_LIMIT_LENGTH, max(self.size, _MOST_IN_SCHEMA))

    def _is_spent(self) -> bool:
        self._left -= _STRIDE
        return self._left < 0


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open a file, and let go of it.

    Raises:
        Unsound: here or within the context: it cannot be read as a database.
        OSError: the system cannot give what it takes.
    """
    import apsw

    try:
        connection = connect(path, _ALLOWED)
        try:
            yield Database(connection, path.stat().st_size)
        finally:
            connection.close(True)
    except apsw.InterruptError:
        raise Unsound(TOO_MUCH_WORK) from None
    except (apsw.CantOpenError, apsw.IOError, apsw.NoMemError) as error:
        raise OSError(str(error)) from error
    except apsw.Error as error:
        raise Unsound(f"cannot be read as a database: {error}") from None
    except UnicodeDecodeError:  # what SQLite says holds a name of the schema
        raise Unsound("has names in its schema that are not valid UTF-8") from None
