"""A disarmed database, and how much work may be done on it.

What may act was taken from it; what is left costs time and room, and both are bounded by the size
of the file: in steps of SQLite's machine, not by a clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoryfield_readers import SourceUnavailable
from memoryfield_readers.disarmed_sqlite import Allowed, Prepare, connect
from memoryfield_readers.errors import IndexMismatch

from ..library import sqlite

if TYPE_CHECKING:
    import apsw

MOST_VALUE = 8 * 1024 * 1024
"""Bytes of a row: more than any that is read has, unless it was made to be large."""

_STRIDE = 1000
"""Steps between two looks at the budget."""

_BASE_STEPS = 1_000_000
_STEPS_PER_BYTE = 1
"""A row of a few bytes takes a few steps; only one that a long schema pads with defaults more."""

_LEAST_ROW = 64
"""Bytes that a row accounts for at least: a name, a time and a hash."""

_SPARE_BYTES = 100_000

_PRAGMAS = frozenset({"table_xinfo", "encoding"})
_TABLES = frozenset({"sqlite_master", "sqlite_schema", "pages", "meta"})
_FUNCTIONS = frozenset({"octet_length", "typeof", "count", "json_valid"})

HOW_TO_REBUILD = "`memoryfield index build` makes a new one"


class Database:
    """A database that is open, and how much work may be done on it.

    Attributes:
        connection: the connection; only reading the tables of an index is let through.
        size: bytes of the file.
        shown: the name of the file, as messages have it.
    """

    def __init__(self, connection: apsw.Connection, size: int, shown: str) -> None:
        """Take over a connection, which is closed with this."""
        self.connection = connection
        self.size = size
        self.shown = shown
        self._left = _BASE_STEPS
        connection.set_progress_handler(self._is_spent, _STRIDE)

    def rows(self, statement: str, bindings: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement, one after the other, within the work that the size allows.

        Raises:
            IndexMismatch: it cannot be read, or takes more than is in the file.
            SourceUnavailable: the system cannot give what it takes.
        """
        self._left = _BASE_STEPS + self.size * _STEPS_PER_BYTE
        left = self.size + _SPARE_BYTES
        with errors_as_ours(self.shown):
            for row in self.connection.execute(statement, tuple(bindings)):
                try:
                    taken = sum(map(len, row))
                except TypeError:  # there are numbers, or nothing, among the values
                    taken = sum(len(each) for each in row if isinstance(each, bytes | str))
                left -= max(taken, _LEAST_ROW)
                if left < 0:
                    raise mismatch("has more rows than its size accounts for", self.shown)
                yield row

    def close(self) -> None:
        """Close the connection."""
        self.connection.close(True)

    def _is_spent(self) -> bool:
        self._left -= _STRIDE
        return self._left < 0


def mismatch(what: str, shown: str) -> IndexMismatch:
    """The error of an index that cannot be used."""
    return IndexMismatch(what, location=shown, hint=HOW_TO_REBUILD)


@contextmanager
def errors_as_ours(shown: str) -> Iterator[None]:
    """Errors of the library as those of the readers.

    Arguments:
        shown: the name of the file, as messages have it.

    Raises:
        IndexMismatch: it is no database, is damaged, or takes too much to read.
        SourceUnavailable: the system cannot give what it takes.
    """
    apsw = sqlite()
    try:
        yield
    except apsw.InterruptError:
        raise mismatch("takes more work to read than its size accounts for", shown) from None
    except (apsw.CantOpenError, apsw.IOError, apsw.NoMemError, apsw.PermissionsError) as error:
        raise SourceUnavailable(f"cannot be read: {error}", location=shown) from error
    except apsw.Error as error:
        raise mismatch(f"cannot be read as a database: {error}", shown) from None
    except UnicodeDecodeError:  # names of the schema, in what SQLite says
        raise mismatch("has text that is not valid UTF-8", shown) from None


def open_disarmed(
    file: Path | bytes, size: int, shown: str, prepare: Prepare | None, functions: Collection[str]
) -> Database:
    """Open a file, or what one holds.

    Arguments:
        file: a regular file, or its bytes.
        size: how many bytes it has.
        shown: its name, as messages have it.
        prepare: is given the connection when nothing of the file was read, to add functions.
        functions: the names of these, in lower case; no other ones can be called.

    Raises:
        IndexMismatch: it is no database that can be read.
        SourceUnavailable: the system cannot give what it takes.
    """
    allowed = Allowed(_TABLES, _FUNCTIONS | frozenset(functions), _PRAGMAS, MOST_VALUE)
    with errors_as_ours(shown):
        return Database(connect(file, allowed, prepare), size, shown)
