"""Vectors that were made before, so that no page is embedded twice.

They stand in the cache, one file a recipe, shared by processes: whatever ends a build, what it had
embedded is there for the next one, and a new version of a field embeds only what changed. Nothing
goes wrong by this: what cannot be read is made again, what cannot be written is noted and left.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoryfield_readers.cache import Cache

from .library import sqlite
from .storage.schema import SIDE_SUFFIXES
from .values import Embedding, Recipe
from .vector_faults import fault_of

if TYPE_CHECKING:
    import apsw

FOLDER = ("vectors", "v1")
"""Below the folder of the cache."""

_MOST_BYTES = 512 * 1024 * 1024
"""A file may hold so much; then the oldest half goes."""

_BUSY_MILLISECONDS = 10_000
_PROOF_BYTES = 16
_TABLE = """
CREATE TABLE IF NOT EXISTS vectors(
  page BLOB PRIMARY KEY, bytes_embedded INTEGER NOT NULL, vector BLOB NOT NULL, proof BLOB NOT NULL
)
"""
_PUT = "INSERT OR REPLACE INTO vectors VALUES(?, ?, ?, ?)"
_ALL = "SELECT page, bytes_embedded, vector, proof FROM vectors"
_GET = "SELECT bytes_embedded, vector, proof FROM vectors WHERE page = ?"
_OLDER_HALF = """
DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY rowid LIMIT ?)
"""


class VectorCache:
    """The vectors of one recipe, by the hash of the page. Close it when done.

    Attributes:
        path: the file; None where there is no folder for it.
        most: how many bytes it may have.
    """

    def __init__(self, recipe: Recipe, folder: Path | None, *, most: int = _MOST_BYTES) -> None:
        """Open the file, and make it if it is not there.

        Arguments:
            recipe: how the vectors are made; those of another recipe stand in another file.
            folder: where the files are; None for nowhere.
            most: how many bytes the file may have.
        """
        self.path = None if folder is None else folder / f"{recipe.key}.sqlite3"
        self.most = most
        self._recipe = recipe
        self._notes: dict[str, None] = {}
        self._connection: apsw.Connection | None = None
        if self.path is not None:
            self._open(self.path)

    @classmethod
    def default(cls, recipe: Recipe) -> VectorCache:
        """The one in the cache of this user.

        Raises:
            UnknownLimit: the environment says something that is no size of a cache.
        """
        cache = Cache.default()
        return cls(recipe, cache.path.joinpath(*FOLDER) if cache.problem is None else None)

    @property
    def notes(self) -> tuple[str, ...]:
        """Why it could not be used, or not in full."""
        return tuple(self._notes)

    def get(self, pages: Iterable[str]) -> dict[str, Embedding]:
        """The vectors that are there, each proved to be what was put.

        Arguments:
            pages: the hashes of pages, in hexadecimal.
        """
        found: dict[str, Embedding] = {}
        if self._connection is None:
            return found
        apsw = sqlite()
        try:
            for page in pages:
                for row in self._connection.execute(_GET, (bytes.fromhex(page),)):
                    embedding = self._proved(page, row)
                    if embedding is not None:
                        found[page] = embedding
        except apsw.Error as error:
            self._give_up(error)
        return found

    def put(self, embeddings: Mapping[str, Embedding]) -> None:
        """Keep vectors; when this is over, they are there whatever happens to this process.

        Arguments:
            embeddings: by the hashes of pages, in hexadecimal; none has a fault.
        """
        if self._connection is None or not embeddings:
            return
        apsw = sqlite()
        rows = [
            (bytes.fromhex(page), each.bytes_embedded, each.vector, _proof(page, each))
            for page, each in embeddings.items()
        ]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(_PUT, rows)
            self._connection.execute("COMMIT")
        except apsw.Error as error:
            self._give_up(error)

    def close(self) -> None:
        """Let go of the file, after the oldest vectors have made room if there are too many."""
        if self._connection is None:
            return
        apsw = sqlite()
        try:
            self._make_room(self._connection)
        except apsw.Error as error:
            self._give_up(error)
            return
        self._connection.close(True)
        self._connection = None

    def _open(self, path: Path) -> None:
        apsw = sqlite()
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            self._note(error.strerror or error)
            return
        for last in (False, True):
            try:
                self._connection = _connected(path)
            except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError) as error:
                if last:
                    self._note(error)
                    return
                _remove(path)  # it is of no use to anybody
            except apsw.Error as error:
                self._note(error)
                return
            else:
                return

    def _proved(self, page: str, row: tuple[Any, ...]) -> Embedding | None:
        """What a row says, if that is what was put there."""
        bytes_embedded, vector, proof = row
        if type(bytes_embedded) is not int or not isinstance(vector, bytes):
            return None
        embedding = Embedding(vector, bytes_embedded)
        if proof != _proof(page, embedding) or fault_of(vector, self._recipe.dimension):
            return None
        return embedding

    def _make_room(self, connection: apsw.Connection) -> None:
        size = connection.pragma("page_count") * connection.pragma("page_size")
        unused = connection.pragma("freelist_count") * connection.pragma("page_size")
        if size - unused > self.most:
            [(count,)] = connection.execute("SELECT count(*) FROM vectors")
            connection.execute(_OLDER_HALF, (count // 2,))

    def _give_up(self, error: Exception) -> None:
        """Go on without it; a file that is damaged goes, so that the next build has one again."""
        apsw = sqlite()
        self._note(error)
        if self._connection is not None:
            self._connection.close(True)
            self._connection = None
        if self.path is not None and isinstance(error, apsw.CorruptError | apsw.NotADBError):
            _remove(self.path)

    def _note(self, what: object) -> None:
        self._notes[f"vectors cannot be kept in the cache: {what}; going on without"] = None


def damage_of(path: Path) -> str | None:
    """What is wrong with a file of vectors, in a few words; None if all are as they were put.

    Arguments:
        path: the file, of which nothing is changed.

    Raises:
        SourceUnavailable: there is nothing to read it with.
    """
    apsw = sqlite()
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = apsw.Connection(f"{path.absolute().as_uri()}?mode=ro", flags=flags)
        try:
            for page, count, vector, proof in connection.execute(_ALL):
                kinds = (type(page), type(count), type(vector))
                if kinds != (bytes, int, bytes) or (
                    proof != _proof(page.hex(), Embedding(vector, count))
                ):
                    return "holds a vector that is not as it was put there"
        finally:
            connection.close(True)
    except (apsw.Error, UnicodeDecodeError) as error:
        return f"cannot be read as a database: {error}"
    return None


def _connected(path: Path) -> apsw.Connection:
    import apsw

    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"{path.absolute().as_uri()}?mode=rwc", flags=flags)
    with ExitStack() as undo:
        undo.callback(connection.close, True)
        connection.set_busy_timeout(_BUSY_MILLISECONDS)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
        # A process that ends loses nothing. After a power cut, what is damaged is noticed.
        connection.execute("PRAGMA synchronous=off")
        connection.execute(_TABLE)
        connection.execute(_GET, (b"",)).fetchall()
        undo.pop_all()
    return connection


def _proof(page: str, embedding: Embedding) -> bytes:
    """What a row must have for us to believe that it is as it was put."""
    digest = hashlib.blake2b(bytes.fromhex(page), digest_size=_PROOF_BYTES)
    digest.update(b"%d:" % embedding.bytes_embedded)
    digest.update(embedding.vector)
    return digest.digest()


def _remove(path: Path) -> None:
    for suffix in ("", *SIDE_SUFFIXES):
        with suppress(OSError):
            path.with_name(path.name + suffix).unlink()
