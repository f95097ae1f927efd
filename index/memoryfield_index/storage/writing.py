"""A new index, written into a file of its own; it is moved to its place when it is whole."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from memoryfield_readers import SourceUnavailable

from ..library import sqlite
from ..values import Recipe, Vector
from .meta import to_rows
from .schema import META, PAGES, SIDE_SUFFIXES

if TYPE_CHECKING:
    from apsw import Connection

_Row: TypeAlias = tuple[bytes, bytes, bytes, bytes, Vector]

_INSERT = """
INSERT INTO pages VALUES(CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), ?, ?)
"""
_PAUSES = (0.02, 0.1, 0.5, None)
"""Seconds after which replacing a file is tried again."""

_INSERT_META = "INSERT INTO meta VALUES(?, ?)"


class IndexWriter:
    """An index that is being written; nobody else sees it yet.

    There is one transaction, and its journal is kept in memory: a process that is killed leaves
    nothing but this file.

    Attributes:
        count: how many rows it has so far.
    """

    def __init__(self, path: Path, shown: str) -> None:
        """Make the tables.

        Arguments:
            path: an empty file.
            shown: the place of the index, as messages have it.

        Raises:
            SourceUnavailable: it cannot be written, or there is nothing to write it with.
        """
        self.count = 0
        self._path = path
        self._shown = shown
        self._apsw = sqlite()
        self._connection = self._connected()

    def _connected(self) -> Connection:
        apsw = self._apsw
        try:
            connection: Connection = apsw.Connection(
                f"{self._path.absolute().as_uri()}?mode=rw",  # which has no words for bad UTF-8
                flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI,
            )
        except apsw.Error as error:
            raise self._unwritable(error) from error
        try:
            for pragma in ("journal_mode=memory", "synchronous=off", "locking_mode=exclusive"):
                connection.execute(f"PRAGMA {pragma}")
            for statement in ("BEGIN", PAGES.strip(), META):
                connection.execute(statement)
        except apsw.Error as error:
            connection.close(True)
            raise self._unwritable(error) from error
        return connection

    def add(self, rows: Iterable[_Row]) -> None:
        """Write rows, one after the other as they come.

        Arguments:
            rows: of each the name of the page, its frontmatter as JSON, the time of its last change
                as RFC 3339 has it, its SHA-256, and its embedding, which has no fault. Texts are
                bytes: a name may be no UTF-8.

        Raises:
            SourceUnavailable: one cannot be written.
        """
        try:
            self._connection.executemany(_INSERT, rows)
            self.count = self._connection.total_changes()
        except self._apsw.Error as error:
            raise self._unwritable(error) from error

    def finish(self, recipe: Recipe, field_digest: str, bytes_embedded: Mapping[str, int]) -> None:
        """Write what the index says of itself, and close the file.

        Raises:
            SourceUnavailable: it cannot be written.
        """
        try:
            rows = to_rows(recipe, field_digest, bytes_embedded)
            self._connection.executemany(_INSERT_META, list(rows.items()))
            self._connection.execute("COMMIT")
            self._connection.close()
        except self._apsw.Error as error:
            raise self._unwritable(error) from error

    def discard(self) -> None:
        """Close the file, whatever is in it."""
        self._connection.close(True)

    def _unwritable(self, error: Exception) -> SourceUnavailable:
        return SourceUnavailable(f"cannot be written: {error}", location=self._shown)


def remove_side_files(path: Path) -> None:
    """Take away what SQLite has left beside an index (MF508).

    It goes before a new index takes the place: another file's journal would be played into it.

    Raises:
        OSError: it cannot be removed.
    """
    for suffix in SIDE_SUFFIXES:
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).unlink()


def is_as_it_was(made: Path, path: Path) -> bool:
    """Whether a new index is the one that is there, byte by byte, and nothing is beside that.

    The same rows in the same order make the same file.

    Raises:
        OSError: one cannot be read.
    """
    import filecmp

    beside = (path.with_name(path.name + suffix) for suffix in SIDE_SUFFIXES)
    if path.is_symlink() or not path.is_file() or any(map(os.path.lexists, beside)):
        return False
    return filecmp.cmp(made, path, shallow=False)


def sync_file(made: Path) -> None:
    """Have a new index on the disk before it has its name.

    Raises:
        OSError: it cannot be written.
    """
    with made.open("rb+") as file:
        os.fsync(file.fileno())


def keep_mode(made: Path, target: Path) -> None:
    """Let a new file be for those whom the one that it replaces is for.

    Raises:
        OSError: it cannot be.
    """
    with suppress(FileNotFoundError):
        status = os.lstat(target)
        if not os.path.islink(target):
            os.chmod(made, status.st_mode & 0o777)


def replace_file(made: Path, target: Path) -> None:
    """Put a file in the place of another at once.

    On Windows that fails for moments, while something looks into the old one.

    Raises:
        OSError: it cannot be done; what was there stays.
    """
    for pause in _PAUSES:
        try:
            os.replace(made, target)
        except PermissionError:
            if os.name != "nt" or pause is None:
                raise
            time.sleep(pause)
        else:
            return


def sync_folder(folder: Path) -> None:
    """Have a new name in a folder on the disk, where the system can."""
    if os.name == "nt":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
