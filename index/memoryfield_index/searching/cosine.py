"""The SQL function `vec_distance_cosine`: that of sqlite-vec, or else one in Python."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from .directions import Direction

if TYPE_CHECKING:
    import apsw

NAME = "vec_distance_cosine"


def give_cosine(connection: apsw.Connection) -> None:
    """Give a connection the function."""
    if not load_vec(connection):
        connection.create_scalar_function(NAME, _distance, 2, deterministic=True)


def load_vec(connection: apsw.Connection) -> bool:
    """Load sqlite-vec where it is installed, fits the machine, and SQLite can load at all."""
    import apsw

    if sys.byteorder == "big":  # it takes vectors for the machine's own; those of an index are not
        return False
    library = _library()
    if library is None:
        return False
    try:
        connection.enable_load_extension(True)
        try:
            connection.load_extension(library)
        finally:
            connection.enable_load_extension(False)
    except (AttributeError, apsw.Error):
        return False
    return True


def _library() -> str | None:
    """What `sqlite_vec.loadable_path()` says, without importing that: it imports NumPy."""
    from importlib.util import find_spec

    found = find_spec("sqlite_vec")
    if found is None or not found.submodule_search_locations:
        return None
    return str(Path(found.submodule_search_locations[0], "vec0"))


def _distance(*vectors: object) -> float | None:
    vector, query = vectors
    direction = _direction(query) if isinstance(query, bytes) else None
    return None if direction is None else direction.distance(vector)


@lru_cache(maxsize=4)
def _direction(query: bytes) -> Direction | None:
    try:
        return Direction(query)
    except ValueError:
        return None
