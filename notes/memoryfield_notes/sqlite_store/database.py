"""One connection to the database of a store, of which every byte may be hostile until read.

Who reads makes no file. Who writes holds the lock of the store, connects anew, and lets go before
the lock does: no connection that may write is ever left on a file that is replaced, where it would
take the journal of the next one for its own.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

from memoryfield_readers import LockTimeout

from ..errors import StoreError
from ..placing import IN_USE, OPENING, SQLITE_HEADER, CutOff, head_within, status_of
from .schema import EXPECTED, check_head, check_marks, no_store

_LEAST_WAIT = 5.0
"""Seconds that a commit of another one, or a program that knows of no lock file, is waited for."""

_SPARE_BYTES = 1_000_000
_BYTES_PER_BYTE = 2
"""A row has over a hundred bytes in the file, and is given the pin of the field, which has less."""

_LONGEST = 1_000_000_000
_MOST_STATEMENT = 16_384
_STRIDE = 1_000
_BASE_STEPS = 2_000_000
_STEPS_PER_BYTE = 4
"""A row has over a hundred bytes, and no statement takes so many steps for one."""

_PRAGMAS = (
    "trusted_schema=OFF",
    "cell_size_check=ON",
    "foreign_keys=ON",
    "temp_store=MEMORY",
    "mmap_size=0",
)
_WRITING_PRAGMAS = ("synchronous=EXTRA", "secure_delete=ON", "journal_mode=DELETE")
_SETTINGS = (
    ("SQLITE_DBCONFIG_DEFENSIVE", True),
    ("SQLITE_DBCONFIG_TRUSTED_SCHEMA", False),
    ("SQLITE_DBCONFIG_ENABLE_VIEW", False),
    ("SQLITE_DBCONFIG_DQS_DML", False),
    ("SQLITE_DBCONFIG_DQS_DDL", False),
)
"""What Python can say from 3.12 on."""

_HOT = sqlite3.SQLITE_READONLY | (3 << 8)  # SQLITE_READONLY_ROLLBACK
_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk cannot be read or written",
    sqlite3.SQLITE_READONLY: "it may not be written",
    sqlite3.SQLITE_PERM: "it may not be opened",
    sqlite3.SQLITE_CANTOPEN: "it, or a file beside it, cannot be opened",
    sqlite3.SQLITE_NOMEM: "there is not enough memory",
}


class Database:
    """A connection; a context that closes it."""

    def __init__(self, path: Path, *, write: bool, wait: float) -> None:
        """Connect, and look at it; raises `StoreError` and `LockTimeout`."""
        self.path = path
        self._writes = write
        self._bytes_left = self._steps_left = 0
        with ExitStack() as undo, told(path):
            with OPENING:
                self.status = status_of(path)
                key = (self.status.st_dev, self.status.st_ino)
                head = head_within(path)
                if head != SQLITE_HEADER:
                    check_head(head, str(path))
                IN_USE[key] += 1
                undo.callback(_let_go, key)
            uri = f"{path.absolute().as_uri()}?mode={'rw' if write else 'ro'}&cache=private"
            self._connection = sqlite3.connect(
                uri,
                timeout=max(wait, _LEAST_WAIT),
                isolation_level=None,
                check_same_thread=False,
                uri=True,
            )
            undo.callback(self._connection.close)
            self._disarm()
            with self.transaction():
                if not os.path.samestat(status_of(path), self.status):
                    raise StoreError("was replaced just now", location=str(path), hint="try again")
            self._undo = undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of it; what was not committed is rolled back."""
        self._undo.close()

    @contextmanager
    def transaction(self) -> Iterator[Self]:
        """What is read and written within is of one moment; an error undoes what was written.

        Raises:
            StoreError: it is not as it should be, or cannot be read or written.
            LockTimeout: another program writes to it for too long.
        """
        with told(self.path), ExitStack() as undo:
            self._allow()
            self._connection.execute("BEGIN IMMEDIATE" if self._writes else "BEGIN")
            undo.callback(self._roll_back)
            self._check()
            yield self
            self._connection.execute("COMMIT")

    def rows(self, statement: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement; they have no more bytes than the file accounts for.

        Raises:
            StoreError: they have.
        """
        for row in self._connection.execute(statement, values):
            self._bytes_left -= sum(len(value) for value in row if isinstance(value, str | bytes))
            if self._bytes_left < 0:
                raise no_store("its rows have more bytes than it accounts for", str(self.path))
            yield row

    def run(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Do something; how many rows were changed."""
        return self._connection.execute(statement, values).rowcount

    def allow(self, more: int) -> None:
        """Allow for so many bytes that are about to be written."""
        self._steps_left += more * _STEPS_PER_BYTE
        self._bytes_left += more
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)

    def check_whole(self) -> None:
        """See that no page is damaged, no index misses a row and no note is without its record.

        Raises:
            StoreError: something is.
        """
        for check in ("PRAGMA main.integrity_check(1)", "PRAGMA main.foreign_key_check"):
            for row in self.rows(check):
                if row != ("ok",):
                    raise no_store("it is damaged", str(self.path))

    def image(self) -> bytes:
        """The bytes of a database that holds the same."""
        memory = sqlite3.connect(":memory:", isolation_level=None)
        try:
            self._connection.backup(memory)
            return serialized(memory, self.path)
        finally:
            memory.close()

    def _disarm(self) -> None:
        connection = self._connection
        for name, on in _SETTINGS:
            if hasattr(connection, "setconfig") and hasattr(sqlite3, name):
                connection.setconfig(getattr(sqlite3, name), on)
        for limit, most in (
            (sqlite3.SQLITE_LIMIT_SQL_LENGTH, _MOST_STATEMENT),
            (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
            (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
        ):
            connection.setlimit(limit, most)
        self._allow()
        connection.set_progress_handler(self._is_spent, _STRIDE)
        for pragma in (*_PRAGMAS, *(_WRITING_PRAGMAS if self._writes else ())):
            connection.execute(f"PRAGMA {pragma}").fetchall()

    def _allow(self) -> None:
        """Allow as much work as a file of its size can ask for."""
        size = status_of(self.path).st_size
        self._bytes_left = size * _BYTES_PER_BYTE + _SPARE_BYTES
        self._steps_left = _BASE_STEPS + size * _STEPS_PER_BYTE
        longest = min(size + _SPARE_BYTES, _LONGEST)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)

    def _check(self) -> None:
        """See that it is what it should be: another program may have changed it meanwhile."""
        ask = self._connection.execute
        location = str(self.path)
        ((application,),) = ask("PRAGMA main.application_id").fetchall()
        ((version,),) = ask("PRAGMA main.user_version").fetchall()
        check_marks(application, version, location)
        entries = ask(
            "SELECT type, name, tbl_name, sql FROM main.sqlite_master LIMIT ?", (len(EXPECTED) + 1,)
        ).fetchall()
        if len(entries) != len(EXPECTED) or {*entries} != EXPECTED:
            raise no_store("its tables are others than those of a store", location)

    def _is_spent(self) -> bool:
        self._steps_left -= _STRIDE
        return self._steps_left < 0

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            with told(self.path):
                self._connection.execute("ROLLBACK")


def _let_go(key: tuple[int, int]) -> None:
    with OPENING:
        IN_USE[key] -= 1
        if IN_USE[key] <= 0:
            del IN_USE[key]


def serialized(connection: sqlite3.Connection, path: Path) -> bytes:
    """The bytes of a database in memory.

    Raises:
        StoreError: this Python cannot tell them.
    """
    if not hasattr(connection, "serialize"):
        raise StoreError(
            "cannot be written: SQLite of this Python gives no database away as bytes",
            location=str(path),
            hint="keep the notes in JSON, or use another Python",
        )
    return connection.serialize()


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Raise errors of SQLite as ours."""
    try:
        yield
    except (sqlite3.Error, UnicodeError) as error:
        raise _error_of(error, path) from error


def _error_of(error: Exception, path: Path) -> StoreError | LockTimeout:
    location, code = str(path), getattr(error, "sqlite_errorcode", 0)
    if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LockTimeout(
            "another program has been writing to it for too long; nothing was changed",
            location=location,
            hint="try again when that program is done",
        )
    if code == _HOT:
        return CutOff(
            "cannot be read: a program that wrote to it was ended in the middle",
            location=location,
            hint="`memoryfield note convert LOCATION sqlite` (with --store FILE, if it has another "
            "place) undoes what was left half done, and needs nothing of the field",
        )
    if (reason := _REASONS.get(code & 0xFF)) is not None:
        return StoreError(
            f"cannot be used: {reason}; see what it holds before you try again",
            location=location,
            hint="see that there is room, and that it and its folder may be written",
        )
    if code & 0xFF == sqlite3.SQLITE_INTERRUPT:
        return no_store("it asks for more work than its size accounts for", location)
    return no_store(f"it is damaged ({error})", location)
