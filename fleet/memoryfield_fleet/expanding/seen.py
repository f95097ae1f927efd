"""Which locations were given out already, in memory that does not grow with their number.

A hash of each is kept: in memory so far as they are few, and in a temporary file from then on, so
that no two are ever taken for one another, as they would be by a filter of fixed size.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
from types import TracebackType
from typing import Self

from memoryfield_readers import SourceUnavailable

FEW = 50_000
"""So many hashes are kept in memory: some 5 MB."""

_HASH_BYTES = 16
_CACHE_KIB = 8 * 1024


class Seen:
    """What was given out; a context manager. The temporary file has no name that anyone sees."""

    def __init__(self, few: int = FEW) -> None:
        """Nothing was given out yet.

        Arguments:
            few: how many hashes to keep in memory.
        """
        self._few = few
        self._hashes: set[bytes] = set()
        self._file: sqlite3.Connection | None = None
        # With a key of its own, nobody can make two locations that have the same hash.
        self._key = secrets.token_bytes(_HASH_BYTES)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def is_new(self, text: str) -> bool:
        """Whether a text is seen for the first time.

        Raises:
            SourceUnavailable: there is no room for the temporary file.
        """
        data = text.encode("utf-8", "surrogateescape")
        mark = hashlib.blake2b(data, digest_size=_HASH_BYTES, key=self._key).digest()
        if mark in self._hashes:
            return False
        if len(self._hashes) < self._few:
            self._hashes.add(mark)
            return True
        try:
            return self._is_new_in_file(mark)
        except sqlite3.Error as error:
            raise SourceUnavailable(
                f"the temporary file for what was seen cannot be used: {error}",
                hint="make room on the disk, or let TMPDIR name another folder",
            ) from error

    def _is_new_in_file(self, mark: bytes) -> bool:
        if self._file is None:
            # A name of "" is a temporary file; its pages are in memory up to this bound alone. A
            # run may be begun by one thread and ended by another.
            self._file = sqlite3.connect("", isolation_level=None, check_same_thread=False)
            for line in (
                "PRAGMA temp_store = FILE",
                "PRAGMA journal_mode = OFF",
                "PRAGMA synchronous = OFF",
                f"PRAGMA cache_size = -{_CACHE_KIB}",
                "CREATE TABLE seen (hash BLOB PRIMARY KEY) WITHOUT ROWID",
                "BEGIN",
            ):
                self._file.execute(line)
        return self._file.execute("INSERT OR IGNORE INTO seen VALUES (?)", (mark,)).rowcount == 1
