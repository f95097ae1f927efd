"""An SQLite index without the rows of some pages (MF505): nothing of these is left in it."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection, Mapping
from typing import NamedTuple

from .copying import copied
from .database import Database, NotPlain, Row, Table, Text, opened

_PAGES = "pages"
_META = "meta"
_FILENAME, _HASH = "filename", "sha256_hash"
_META_COLUMNS = ("key", "value")
_KNOWN_META = b"1"
"""The version of the table `meta` of our own indexes whose keys are known here."""

_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")


class Moved(NamedTuple):
    """A page that has another name, and is the same.

    Attributes:
        to: its new name.
        sha256: its SHA-256, 32 bytes: a row of what it was once is not renamed.
    """

    to: str
    sha256: bytes


class Pruned(NamedTuple):
    """An index without some rows.

    Attributes:
        data: its bytes; those that were given, if nothing had to be done.
        rows: how many rows are gone, or have another name now.
    """

    data: bytes
    rows: int


def pruned(
    index: bytes, names: Collection[str], moved: Mapping[str, Moved] | None = None
) -> Pruned | None:
    """An index without the rows of some pages.

    The other rows are as they were, and so are other tables: what an index of ours says of itself
    names these pages no more, nor the field that it was made of. It is written anew, so that
    nothing is left of what was taken out, and no file is touched.

    Arguments:
        index: its bytes, all of which may be hostile.
        names: the pages whose rows go.
        moved: the pages whose rows get another name, by the one they have; a second row of one of
            these goes, and one of another content.

    Returns:
        None where it has no table `pages` with file names, or cannot be written anew safely: it is
        no database or damaged, has views, triggers, virtual tables, computed columns or
        expressions, more in its rows than its size accounts for, or texts that are not UTF-8.
    """
    renames = dict(moved or {})
    if not names and not renames:
        return Pruned(index, 0)
    try:
        with opened(index) as database:
            changes = _Changes(database, {_raw(name) for name in names}, renames)
            if not changes.concern(database):
                return Pruned(index, 0)
            database.allow_again()
            data = copied(database, changes.of_row)
    except (NotPlain, sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError):
        return None  # ValueError: what is no UTF-8 among names, or has a zero in it
    return Pruned(data, changes.rows)


class _Changes:
    """What becomes of each row.

    Attributes:
        rows: how many rows are gone or renamed by now.
    """

    def __init__(
        self, database: Database, names: Collection[bytes], moved: Mapping[str, Moved]
    ) -> None:
        """Find the table.

        Raises:
            NotPlain: there is none with file names.
        """
        self.rows = 0
        self._names = names
        self._moved = {_raw(name): each for name, each in moved.items()}
        self._renamed: set[bytes] = set()
        self._done: set[bytes] = set()
        self._pages = _named(database, _PAGES)
        self._name_at = _place(self._pages, _FILENAME)
        self._hash_at = _place(self._pages, _HASH) if self._moved else self._name_at
        self._meta = self._own_meta(database)

    def concern(self, database: Database) -> bool:
        """Whether there is a row of one of the pages; also finds out which rows are renamed."""
        found = False
        places = self._pages.places
        for name, sha256 in database.rows(
            self._pages, (places[self._name_at], places[self._hash_at])
        ):
            if not isinstance(name, bytes):
                continue
            moved = self._moved.get(bytes(name))
            if moved is not None and moved.sha256 == sha256:
                self._renamed.add(bytes(name))
            found = found or moved is not None or name in self._names
        return found

    def of_row(self, table: Table, row: Row) -> Row | None:
        """The row, another one in its place, or None for none."""
        if table is self._pages:
            return self._of_page(row)
        if table is self._meta:
            return self._of_meta(row)
        return row

    def _of_page(self, row: Row) -> Row | None:
        name = row[self._name_at]
        if not isinstance(name, bytes):
            return row
        moved = self._moved.get(bytes(name))
        if moved is None and name not in self._names:
            return row
        self.rows += 1
        if moved is None or row[self._hash_at] != moved.sha256 or name in self._done:
            return None
        self._done.add(bytes(name))
        return (*row[: self._name_at], Text(_raw(moved.to)), *row[self._name_at + 1 :])

    def _own_meta(self, database: Database) -> Table | None:
        """The table in which an index of ours says what it is; None where there is no such."""
        for table in database.tables:
            if table.name.lower() == _META and table.columns == _META_COLUMNS:
                columns = table.places[-2:]
                if (b"format_version", _KNOWN_META) in database.rows(table, columns):
                    return table
        return None

    def _of_meta(self, row: Row) -> Row:
        key, value = row[-2:]
        if key == b"field_digest":  # no field was indexed that has these rows and no other
            return (*row[:-1], Text(b""))
        if key == b"bytes_embedded" and isinstance(value, bytes):
            return (*row[:-1], Text(self._counts(value)))
        return row

    def _counts(self, text: bytes) -> bytes:
        """How many bytes of which long page were embedded, without the pages that are gone."""
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return b"{}"
        if not isinstance(found, dict):
            return b"{}"
        left = {}
        for name, count in found.items():
            raw = _raw(name)
            if raw in self._renamed:
                left[self._moved[raw].to] = count
            elif raw not in self._names and raw not in self._moved:
                left[name] = count
        return json.dumps(dict(sorted(left.items()))).encode("ascii")


def _named(database: Database, name: str) -> Table:
    for table in database.tables:
        if table.name.lower() == name:
            return table
    raise NotPlain(f"has no table `{name}`")


def _place(table: Table, column: str) -> int:
    """Where the value of a column stands in a row.

    Raises:
        NotPlain: there is no such column.
    """
    names = [each.lower() for each in table.columns]
    if column not in names:
        raise NotPlain(f"its table `{table.name}` lacks {column}")
    return names.index(column) + len(table.places) - len(table.columns)


def _raw(name: str) -> bytes:
    """A file name as an index has it; half a character is that of no file, and matches none."""
    return _HALVES.sub("\N{REPLACEMENT CHARACTER}", name).encode("utf-8", "surrogateescape")
