"""Large indexes: their vectors once more, in a table of sqlite-vec that is made for searching.

A `vec0` table has the vectors one after the other and is read in half the time; a second table maps
its numbers to the pages. Both are in the cache, made from the rows when a large index is searched
for the first time, and made anew when it is another one. They are never taken from what a field
ships: a virtual table runs code on the bytes below it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from memoryfield_readers.cache import Cache

from ..storage import Index
from ..values import Vector
from ..vector_faults import NUMBER_BYTES
from .cosine import load_vec
from .directions import can_be_compared
from .nearest import Found, Near, Rough, in_order, nearest, usable

if TYPE_CHECKING:
    import apsw

MANY = 50_000
"""An index with more rows is large: below, it takes longer to look for the table than to go on."""

FOLDER = ("nearest", "v1")
"""Below the folder of the cache."""

_MOST_ASKED = 4096
"""So many neighbours sqlite-vec gives at most."""

_TABLES = """
CREATE VIRTUAL TABLE vectors USING vec0(embedding float[{dimension}] distance_metric=cosine);
CREATE TABLE pages(number INTEGER PRIMARY KEY, filename BLOB UNIQUE, sha256 BLOB);
CREATE TABLE source(identity TEXT);
"""
_ROUGHLY = """
SELECT filename, distance FROM vectors JOIN pages ON number = vectors.rowid
WHERE embedding MATCH ? AND k = ? ORDER BY distance
"""
_IN_FULL = """
SELECT filename, sha256, embedding FROM pages JOIN vectors ON vectors.rowid = number
WHERE filename = ?
"""
_USABLE = "SELECT filename, sha256 FROM pages ORDER BY number"


def nearest_of_any(
    index: Index, identity: str | None, query: Vector, wanted: Container[str] | None = None
) -> Iterator[Near]:
    """As `nearest` gives them; of a large index by way of its `vec0` table.

    Arguments:
        index: an index that was opened with `vec_distance_cosine`.
        identity: what tells this state of this index from all others; None for no table.
        query: the vector of the question.
        wanted: the names that count; None for all.

    Raises:
        ValueError: the question's vector can be compared with none.
        IndexMismatch: the index is damaged.
    """
    connection = _table(index, identity, len(query))
    if connection is None:
        return nearest(index, query, wanted)
    return _in_order(connection, index, query, wanted)


def usable_of_any(index: Index, identity: str | None, query: Vector) -> Iterator[tuple[str, bytes]]:
    """As `usable` gives them; of a large index by way of its `vec0` table.

    Raises:
        IndexMismatch: the index is damaged.
    """
    import apsw

    connection = _table(index, identity, len(query))
    if connection is not None:
        with closing(connection):
            try:
                rows: Any = connection.execute(_USABLE).fetchall()
            except apsw.Error:  # damaged: the rows are not
                pass
            else:
                return iter([(_text(name), sha256) for name, sha256 in rows])
    return usable(index, query)


def _table(index: Index, identity: str | None, size: int) -> apsw.Connection | None:
    """The table of a large index for vectors of so many bytes; None where there can be none."""
    # No more rows of this length are in the file than fit in; often there is no need to count.
    if identity is None or index.size // max(1, size) <= MANY or index.count() <= MANY:
        return None
    cache = Cache.default()
    if cache.problem is not None:
        return None
    name = hashlib.sha256(index.location.encode("utf-8", "surrogateescape")).hexdigest()
    path = cache.path.joinpath(*FOLDER, f"{name}.sqlite3")
    whole = f"{identity} {size}"
    return _opened(path, whole) or _made(index, path, whole, size)


def _in_order(
    connection: apsw.Connection, index: Index, query: Vector, wanted: Container[str] | None
) -> Iterator[Near]:
    """What the table gives, and what it cannot give, from the rows."""

    def candidates(most: int) -> Rough:
        rows: Any = connection.execute(_ROUGHLY, (query, most)).fetchall()
        return cast("Rough", rows)

    def details(names: Sequence[bytes]) -> Iterable[Found]:
        for name in names:
            if wanted is not None and _text(name) not in wanted:
                continue
            rows: Any = connection.execute(_IN_FULL, (name,))
            yield from cast("Iterable[Found]", rows)

    import apsw

    given = set()
    with closing(connection), suppress(apsw.Error):  # what is damaged gives no more, the rows do
        for name, sha256, distance in in_order(query, candidates, details, most_asked=_MOST_ASKED):
            given.add(name)
            yield Near(_text(name), sha256.hex(), distance)
    for near in nearest(index, query, wanted):
        if _bytes(near.filename) not in given:
            yield near


def _opened(path: Path, identity: str) -> apsw.Connection | None:
    """The table that is there, if it is of this index."""
    import apsw

    if not path.is_file():
        return None
    try:
        connection = _connected(path, apsw.SQLITE_OPEN_READONLY)
    except apsw.Error:
        return None
    try:
        loaded = load_vec(connection)
        found = connection.execute("SELECT identity FROM source").fetchall()
    except apsw.Error:  # damaged: it is made anew
        loaded, found = False, []
    if loaded and found == [(identity,)]:
        return connection
    connection.close()
    return None


def _connected(path: Path, flags: int) -> apsw.Connection:
    """A connection to a file, whose name may be no UTF-8."""
    import apsw

    return apsw.Connection(path.absolute().as_uri(), flags=flags | apsw.SQLITE_OPEN_URI)


def _made(index: Index, path: Path, identity: str, size: int) -> apsw.Connection | None:
    """The table, made anew; None where it cannot be."""
    import apsw

    from memoryfield_readers.beside import beside, clean, put_in_place

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        clean(path)
        with beside(path, folder=False) as new:
            connection = _connected(new, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
            try:
                if not load_vec(connection):
                    return None
                _fill(connection, index, identity, size)
            finally:
                connection.close()
            put_in_place(new, path)
    except (OSError, apsw.Error):
        return None
    return _opened(path, identity)


def _fill(connection: apsw.Connection, index: Index, identity: str, size: int) -> None:
    """Put in all rows whose vectors can be compared."""
    connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")  # or else it goes
    with connection:
        connection.execute(_TABLES.format(dimension=size // NUMBER_BYTES))
        number = 0
        for row in index.rows():
            if row.filename is None or row.sha256 is None or row.vector is None:
                continue
            if len(row.vector) != size or not can_be_compared(row.vector):
                continue
            number += 1
            page = (number, _bytes(row.filename), row.sha256)
            connection.execute("INSERT OR IGNORE INTO pages VALUES (?, ?, ?)", page)
            if connection.changes():
                connection.execute(
                    "INSERT INTO vectors(rowid, embedding) VALUES (?, ?)", (number, row.vector)
                )
        connection.execute("INSERT INTO source VALUES (?)", (identity,))


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
