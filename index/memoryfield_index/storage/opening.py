"""From a file, or what a field ships, to an `Index` that can be read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection
from contextlib import ExitStack
from pathlib import Path

from memoryfield_readers import (
    AccessDenied,
    Field,
    NotFound,
    SourceChanged,
    SourceUnavailable,
    is_lfs_pointer,
)
from memoryfield_readers.disarmed_sqlite import MOST_ENTRIES, Prepare

from .disarmed import Database, errors_as_ours, mismatch, open_disarmed
from .index import Index
from .meta import Meta, of_rows
from .schema import COLUMNS, HEADER, META_COLUMNS

_BEGINNING = 4096
_MOST_IN_MEMORY = 64 * 1024 * 1024
"""A shipped index up to this size is opened from memory, and so is one that is there already; a
larger one from a private copy."""

_MOST_META = 100
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OPEN_FLAGS |= getattr(os, "O_NONBLOCK", 0)  # a FIFO must not hang us

_ENTRIES = "SELECT type, name, rootpage FROM main.sqlite_schema ORDER BY rowid LIMIT ?"
_META = """
SELECT key, value FROM main.meta
WHERE typeof(key) = 'text' AND typeof(value) = 'text' LIMIT ?
"""
_PLAIN = 0
"""What SQLite tells of a column that is neither hidden nor computed."""


def open_index(
    path: Path,
    *,
    prepare: Prepare | None = None,
    functions: Collection[str] = (),
) -> Index:
    """Open an index that is a file of this machine; nothing is written there, or beside it.

    Arguments:
        path: the file.
        prepare: is given the connection before anything is read, to add functions to it.
        functions: the names of these, in lower case; statements of one's own may call no others.

    Raises:
        NotFound: it is not there.
        AccessDenied, SourceUnavailable: it cannot be read.
        IndexMismatch: it is no index that can be used.
    """
    shown = str(path)
    size = _checked_size(path, shown)
    return _opened(path, size, path.name, shown, prepare, functions, _nothing)


def open_shipped(
    field: Field,
    name: str,
    *,
    prepare: Prepare | None = None,
    functions: Collection[str] = (),
) -> Index:
    """Open an index that a field ships, however it travels, as it is now.

    Arguments:
        field: the field.
        name: the name of the index in it.
        prepare: as for `open_index`.
        functions: as for `open_index`.

    Raises:
        MemoryfieldError: it cannot be read; as `Field.chunks` raises.
        SourceUnavailable: there is no room for a copy.
        IndexMismatch: it is no index that can be used.
    """
    shown = f"{field.location}: {name}"
    if field.in_memory or field.entries[name].size <= _MOST_IN_MEMORY:
        data = field.content(name)
        _check_beginning(data[:_BEGINNING], shown)
        return _opened(data, len(data), name, shown, prepare, functions, _nothing)
    from tempfile import TemporaryDirectory

    with ExitStack() as undo:
        try:
            folder = TemporaryDirectory(prefix="memoryfield-index-")
            undo.callback(folder.cleanup)
            path = Path(folder.name, "index.sqlite3")  # alone: SQLite finds nothing beside it
            _copy(field, name, path)
        except OSError as error:
            raise SourceUnavailable(
                f"cannot be copied: {error.strerror or error}",
                location=field.location,
                entry=name,
                hint="give room for temporary files, for example by setting TMPDIR",
            ) from error
        size = _checked_size(path, shown)
        index = _opened(path, size, name, shown, prepare, functions, folder.cleanup)
        undo.pop_all()
    return index


def _copy(field: Field, name: str, path: Path) -> None:
    import hashlib

    digest = hashlib.sha256()
    with path.open("xb") as file:
        for chunk in field.chunks(name):
            digest.update(chunk)
            file.write(chunk)
    if digest.hexdigest() != field.sha256(name):
        message = "changed while the field was being read"
        raise SourceChanged(message, location=field.location, entry=name)


def _opened(
    file: Path | bytes,
    size: int,
    name: str,
    shown: str,
    prepare: Prepare | None,
    functions: Collection[str],
    let_go: Callable[[], None],
) -> Index:
    with ExitStack() as undo:
        database = open_disarmed(file, size, shown, prepare, functions)
        undo.callback(database.close)
        tables = _tables(database)
        if "pages" not in tables:
            raise mismatch("has no table `pages`", shown)
        fault = _fault_of_columns(database, "pages", COLUMNS)
        if fault is not None:
            raise mismatch(fault, shown)
        meta = _meta(database) if "meta" in tables else Meta()
        [(encoding,)] = database.rows("PRAGMA encoding")
        undo.pop_all()
    return Index(database, name=name, meta=meta, encoding=str(encoding), let_go=let_go)


def _checked_size(path: Path, shown: str) -> int:
    """The size of a file that may be a database; SQLite itself would wait for a FIFO."""
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise mismatch("is no regular file", shown)
            beginning = os.read(descriptor, _BEGINNING)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise NotFound("there is no such index", location=shown) from None
    except PermissionError as error:
        raise AccessDenied(f"cannot be read: {_reason(error)}", location=shown) from error
    except OSError as error:
        raise SourceUnavailable(f"cannot be read: {_reason(error)}", location=shown) from error
    _check_beginning(beginning, shown)
    return status.st_size


def _check_beginning(beginning: bytes, shown: str) -> None:
    if is_lfs_pointer(beginning):
        raise mismatch("is a Git LFS pointer in place of an index (MF108)", shown)
    if not beginning.startswith(HEADER):
        raise mismatch("does not begin with the header of SQLite 3", shown)


def _tables(database: Database) -> set[str]:
    """Which of the two tables are there, as tables and nothing else (MF509)."""
    entries = list(database.rows(_ENTRIES, (MOST_ENTRIES + 1,)))
    if len(entries) > MOST_ENTRIES:
        what = f"has more than {MOST_ENTRIES} tables, indexes and other entries"
        raise mismatch(what, database.shown)
    found = set()
    for kind, name, root in entries:
        called = str(name).lower()
        if called not in ("pages", "meta") or kind not in ("table", "view"):
            continue
        if kind == "table" and root:
            found.add(called)
        elif called == "pages":
            what = "a virtual table" if kind == "table" else "a view"
            raise mismatch(f"its `pages` is {what}, not a table", database.shown)
    return found


def _fault_of_columns(database: Database, table: str, wanted: tuple[str, ...]) -> str | None:
    """Why a table is not the one that is wanted; None if it is."""
    rows = database.rows(f"PRAGMA main.table_xinfo({table})")
    columns = {str(row[1]).lower(): row[6] for row in rows}
    missing = [name for name in wanted if name not in columns]
    if missing:
        return f"its table `{table}` lacks {', '.join(missing)}"
    return f"its table `{table}` computes a column" if any(columns.values()) else None


def _meta(database: Database) -> Meta:
    """What the index says of itself; another tool's table of that name says nothing to us."""
    if _fault_of_columns(database, "meta", META_COLUMNS) is not None:
        return Meta()
    with errors_as_ours(database.shown):
        return of_rows(dict(database.rows(_META, (_MOST_META,))))


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _nothing() -> None:
    """Nothing was made that would have to go."""
