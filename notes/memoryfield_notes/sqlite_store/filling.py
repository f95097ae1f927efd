"""From a document to a new database, and from a merge to changes of one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ..document import Document
from ..merging import Merge, Put
from ..record import MOST_NOTE_BYTES, Note, Origin, Record
from .database import Database, serialized, told
from .rows import total
from .schema import STATEMENTS

PUT_NOTE = (
    "INSERT INTO notes (id, text, sha256, pin, written) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (id) DO UPDATE SET text = excluded.text, sha256 = excluded.sha256, "
    "pin = excluded.pin, written = excluded.written"
)
_NEW_META = "INSERT INTO meta (one, name, location, pin, floor) VALUES (1, ?, ?, ?, ?)"
_META = "UPDATE meta SET name = ?, location = ?, pin = ?, floor = ? WHERE one = 1"
_NEW_RECORD = (
    "INSERT INTO records (id, name, parent, rev, sha256, pin, orphan, text) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_RECORD = (
    "UPDATE records SET id = ?, name = ?, parent = ?, rev = ?, sha256 = ?, pin = NULL, "
    "orphan = 0, text = ? WHERE id = ?"
)
_ORPHAN = "UPDATE records SET orphan = 1, text = '', pin = coalesce(pin, ?) WHERE id = ?"
_ROW_BYTES = 1_000
"""What a row costs beside its text, at most: for how much work is allowed."""


def sqlite_image(document: Document, path: Path) -> bytes:
    """The bytes of a database that holds a document.

    Raises:
        StoreError: it cannot be made.
    """
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        with told(path):
            for statement in STATEMENTS:
                connection.execute(statement)
            connection.execute("BEGIN")
            origin, records = document.origin, document.records
            connection.execute(
                _NEW_META, (origin.name, origin.location, origin.pin, document.floor)
            )
            connection.executemany(_NEW_RECORD, (_row(each, origin.pin) for each in records))
            connection.executemany(PUT_NOTE, _notes(records))
            connection.execute("COMMIT")
            return serialized(connection, path)
    finally:
        connection.close()


def _row(record: Record, pin: str) -> tuple[object, ...]:
    return (
        record.id,
        record.name,
        record.parent,
        record.rev,
        record.sha256,
        None if record.pin == pin and not record.orphan else record.pin,
        int(record.orphan),
        record.text,
    )


def _notes(records: tuple[Record, ...]) -> Iterator[tuple[str, ...]]:
    return (note_row(each.id, each.note) for each in records if each.note is not None)


def note_row(id: str, note: Note) -> tuple[str, ...]:
    """The values of `PUT_NOTE`."""
    return id, note.text, note.sha256, note.pin, note.written


def set_head(database: Database, origin: Origin, floor: int) -> None:
    """Have it say which field it is about, and the floor."""
    database.run(_META, (origin.name, origin.location, origin.pin, floor))


def apply(database: Database, merge: Merge, before: str, pinned: set[str]) -> None:
    """Do to the records what a merge says, and touch no other.

    Arguments:
        database: the store, within a transaction that writes.
        merge: what to do.
        before: the pin of the field that was last read until now.
        pinned: the ids of records that have a pin of their own.
    """
    rows = len(merge.puts) + len(merge.orphaned) + len(merge.outdated) + len(merge.dropped)
    database.allow(
        total(put.page.text for put in merge.puts) + rows * (_ROW_BYTES + MOST_NOTE_BYTES)
    )
    for id in pinned.difference(merge.outdated, merge.orphaned):
        database.run(
            "UPDATE records SET pin = NULL WHERE id = ? AND pin = ? AND NOT orphan", (id, before)
        )
    for id in merge.outdated:
        database.run("UPDATE records SET pin = coalesce(pin, ?) WHERE id = ?", (before, id))
    for id in merge.orphaned:
        database.run(_ORPHAN, (before, id))
    for id in merge.dropped:
        database.run("DELETE FROM records WHERE id = ?", (id,))
    for was, put in _let_go(database, merge.puts):
        page = put.page
        values = (page.id, page.name, page.parent, put.rev, page.sha256)
        if was is None:
            database.run(_NEW_RECORD, (*values, None, 0, page.text))
        else:
            database.run(_RECORD, (*values, page.text, was))


def _let_go(database: Database, puts: tuple[Put, ...]) -> list[tuple[str | None, Put]]:
    """The puts, each with the id that its record has by now, which no other is to get."""
    found: list[tuple[str | None, Put]] = []
    for number, put in enumerate(puts):
        was = put.before
        if was is not None and was != put.page.id:
            was = f"\0{number}"  # no page has such a name
            database.run("UPDATE records SET id = ? WHERE id = ?", (was, put.before))
        found.append((was, put))
    return found
