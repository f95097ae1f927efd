"""Whether the indexes and vectors in a cache are what they should be."""

from __future__ import annotations

from pathlib import Path

from memoryfield_readers import MemoryfieldError, NotFound

from .library import sqlite
from .pruning import NEAREST
from .storage import Index, open_index
from .vector_faults import NUMBER_BYTES, fault_of
from .vectors import FOLDER as VECTORS
from .vectors import damage_of


def fault_of_file(path: Path) -> str | None:
    """What is wrong with an index or a file of vectors, in a few words; None if nothing is.

    Rows of an index are not held against pages here, which are elsewhere: `verify` does that.

    Arguments:
        path: one of `pruning.files`.

    Raises:
        SourceUnavailable: there is nothing to read it with.
    """
    sqlite()
    place = path.parent.parts[-2:]
    if place == VECTORS:
        return damage_of(path)
    if place == NEAREST:
        return _fault_of_table(path)
    try:
        with open_index(path) as index:
            return _fault_of_rows(index)
    except NotFound:
        return None  # it went meanwhile
    except MemoryfieldError as error:
        return error.message


def _fault_of_table(path: Path) -> str | None:
    """What SQLite finds wrong with a table for searching, which shows in no answer by itself."""
    apsw = sqlite()
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = apsw.Connection(f"{path.absolute().as_uri()}?mode=ro", flags=flags)
        try:
            [(found,)] = connection.execute("PRAGMA quick_check(1)")
        finally:
            connection.close(True)
    except (apsw.Error, UnicodeDecodeError) as error:
        return f"cannot be read as a database: {error}"
    return None if found == "ok" else f"is damaged: {str(found).splitlines()[0]}"


def _fault_of_rows(index: Index) -> str | None:
    for row in index.rows():
        if None in (row.filename, row.sha256, row.frontmatter, row.last_modified):
            return "has a row that is not whole"
        vector = row.vector or b""
        fault = fault_of(vector, index.dimension or len(vector) // NUMBER_BYTES)
        if fault is not None:
            return f"has a vector that {fault}"
    return None
