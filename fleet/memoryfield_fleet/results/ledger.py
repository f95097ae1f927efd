"""Where in the files the newest result of each field stands, and which fields are meant this time.

It is a database on the disk that nobody else sees and that goes away with the process: a million
fields take no more memory than ten.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from memoryfield_readers import SourceUnavailable

if TYPE_CHECKING:
    import sqlite3

_TABLE = """
CREATE TABLE places (
  field BLOB PRIMARY KEY,
  file INTEGER,
  offset INTEGER,
  version TEXT,
  meant INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID
"""
_CACHE_KIB = 16 * 1024


class Place(NamedTuple):
    """Where a result stands.

    Attributes:
        file: which of the files, from 0.
        offset: at which byte its line begins.
    """

    file: int
    offset: int


class Ledger:
    """The places of results; it may be used by several threads."""

    def __init__(self) -> None:
        """Begin with none.

        Raises:
            SourceUnavailable: the disk for temporary files is full, or may not be written.
        """
        import sqlite3

        self._error = sqlite3.Error
        self._lock = threading.Lock()
        with self._telling():
            self._base: sqlite3.Connection = sqlite3.connect(
                "", isolation_level=None, check_same_thread=False
            )
        with self._telling():
            self._base.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
            self._base.execute("PRAGMA journal_mode=OFF")
            self._base.execute("PRAGMA synchronous=OFF")
            self._base.execute(_TABLE)
            self._base.execute("BEGIN")  # it never ends: there is nothing to come back to

    def close(self) -> None:
        """Let go of it; what it knew is gone."""
        with self._lock:
            self._base.close()

    def forget(self) -> None:
        """Know no place any more."""
        with self._telling():
            self._base.execute("DELETE FROM places")

    def put(self, location: str, place: Place, version: str | None) -> None:
        """Note where the newest result of a field is.

        Arguments:
            location: the field.
            place: where the line is.
            version: of which version of the field it is, if it can stand for another result; else
                None.
        """
        with self._telling():
            self._base.execute(
                "INSERT INTO places (field, file, offset, version) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (field) DO UPDATE SET file = excluded.file, "
                "offset = excluded.offset, version = excluded.version",
                (_digest(location), *place, version),
            )

    def find(self, location: str) -> tuple[Place, str] | None:
        """Where the result of a field is that can stand for another one, and of which version.

        None if there is none.
        """
        with self._telling():
            found = self._base.execute(
                "SELECT file, offset, version FROM places WHERE field = ? AND version IS NOT NULL",
                (_digest(location),),
            ).fetchone()
        return None if found is None else (Place(*found[:2]), found[2])

    def mean(self, location: str) -> bool:
        """Note that a field is meant this time; False if that was known."""
        with self._telling():
            changed = self._base.execute(
                "INSERT INTO places (field, meant) VALUES (?, 1) "
                "ON CONFLICT (field) DO UPDATE SET meant = 1 WHERE NOT meant",
                (_digest(location),),
            )
            return changed.rowcount > 0

    def places(self, *, meant: bool) -> Iterator[Place]:
        """Where the newest results are, in the order of the files: of fields meant, or of others.

        Of the others, only those are given that can stand for another one.
        """
        wanted = "meant" if meant else "NOT meant AND version IS NOT NULL"
        with self._telling():
            cursor = self._base.execute(
                f"SELECT file, offset FROM places WHERE {wanted} "  # noqa: S608 - one of two
                "AND offset IS NOT NULL ORDER BY file, offset"
            )
        while True:
            with self._telling():
                found = cursor.fetchmany(1000)
            if not found:
                return
            yield from (Place(*each) for each in found)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Ask the database, alone, and say what it says as an error of ours."""
        with self._lock:
            try:
                yield
            except self._error as error:
                raise SourceUnavailable(
                    f"the list of results on the disk for temporary files fails: {error}",
                    hint="make room there, or name another disk with SQLITE_TMPDIR",
                ) from error


def _digest(location: str) -> bytes:
    """What stands for a location: short, and never the same for two."""
    data = location.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).digest()
