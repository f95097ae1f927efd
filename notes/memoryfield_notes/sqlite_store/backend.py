"""What a store does, done by SQLite."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from ..contents import checked_merge, is_kept, origin_of, set_note, sorted_by_name
from ..document import Document
from ..identity import Sight
from ..lineage import Lineage, lineage_of
from ..merging import Merge, Rebuilt
from ..record import Origin, Record, StoreKind
from ..store import Outcome
from .database import Database
from .filling import PUT_NOTE, apply, note_row, set_head
from .rows import (
    EVERY,
    EVERY_NOTED,
    OF_NAME,
    OF_PARENT,
    WITH_NOTE,
    WITH_TEXT,
    document_of,
    head_of,
    known_of,
    record_of,
    records_of,
    stale_of,
    total,
)


class SqliteBackend:
    """A store in SQLite: a connection that reads, and one that writes for each change."""

    kind: Final[StoreKind] = "sqlite"

    def __init__(self, path: Path, *, wait: float, write: bool = False) -> None:
        """Connect to it.

        Arguments:
            path: where it is.
            wait: seconds to wait for a program that writes to it without the lock file.
            write: whether something is to be written next, under the lock of the store: then what
                a writer left that was ended is undone first.

        Raises:
            StoreError: it is no store, or damaged.
            LockTimeout: another program writes to it for too long.
        """
        self._path = path
        self._wait = wait
        if write:
            self.settle()
        self._reader = Database(path, write=False, wait=wait)

    def settle(self) -> None:
        """Undo what a writer left that was ended; then no journal belongs to the file."""
        self._writer().close()

    def is_at(self, status: os.stat_result) -> bool:
        """Whether what has a status is the file that is open."""
        return os.path.samestat(self._reader.status, status)

    def close(self) -> None:
        """Let go of it."""
        self._reader.close()

    def origin(self) -> Origin:
        """Which field it is about."""
        with self._reader.transaction() as database:
            return head_of(database)[0]

    def find(self, ids: Iterable[str]) -> dict[str, Record]:
        """The records of some ids."""
        with self._reader.transaction() as database:
            found = ((id, record_of(database, id)) for id in dict.fromkeys(ids))
            return {id: record for id, record in found if record is not None}

    def named(self, name: str) -> tuple[Record, ...]:
        """The records of a file name."""
        return sorted_by_name(self._records(OF_NAME, name))

    def records(self, *, noted: bool) -> Iterator[Record]:
        """All records, or those with a note."""
        return iter(self._records(EVERY_NOTED if noted else EVERY))

    def search(self, term: str, *, notes: bool) -> tuple[Record, ...]:
        """The records whose text, or whose note, holds a term."""
        return self._records(WITH_NOTE if notes else WITH_TEXT, term)

    def children(self, id: str) -> tuple[Record, ...] | None:
        """The records whose parent is a page; None if there is no record of this id."""
        with self._reader.transaction() as database:
            if record_of(database, id) is None:
                return None
            return tuple(records_of(database, OF_PARENT, id))

    def ancestors(self, id: str) -> Lineage | None:
        """The ancestors of a page; None if there is no record of this id."""
        with self._reader.transaction() as database:
            record = record_of(database, id)
            if record is None:
                return None
            return lineage_of(record, lambda parent: record_of(database, parent))

    def document(self) -> Document:
        """All that it holds."""
        with self._reader.transaction() as database:
            return document_of(database)

    def image(self) -> bytes:
        """The bytes of a store of this kind that holds the same."""
        with self._reader.transaction() as database:
            document_of(database)  # a copy of what cannot be read is none
            return database.image()

    def set_note(self, id: str, rev: int, note: str) -> Outcome | None:
        """Set a note at a revision; None if there is no record of this id."""
        with self._writer() as writer, writer.transaction() as database:
            record = record_of(database, id)
            if record is None:
                return None
            if record.rev != rev:
                return Outcome(False, record)
            after = set_note(record, note)
            database.allow(total([note, record.text]))
            changed = database.run(
                "UPDATE records SET rev = ? WHERE id = ? AND rev = ?", (after.rev, id, rev)
            )
            if changed != 1:  # another one cannot have come between: it is what SQLite promises
                return Outcome(False, record_of(database, id) or record)
            if after.note is not None:
                database.run(PUT_NOTE, note_row(id, after.note))
            else:
                database.run("DELETE FROM notes WHERE id = ?", (id,))
            if not is_kept(after):
                database.run("DELETE FROM records WHERE id = ?", (id,))
                database.run("UPDATE meta SET floor = max(floor, ?)", (after.rev,))
            return Outcome(True, after)

    def merge(self, sight: Sight, *, force: bool) -> Rebuilt:
        """Bring it up to what a field is now."""
        with self._writer() as writer, writer.transaction() as database:
            before, floor = head_of(database)
            known, pinned = known_of(database, before.pin)
            merge, told = checked_merge(known, sight, floor, str(self._path), force=force)
            after = origin_of(sight)
            if after != before or merge != Merge((), merge.outdated, (), (), floor):
                apply(database, merge, before.pin, pinned)
                set_head(database, after, merge.floor)
            return replace(told, stale=stale_of(database))

    def _writer(self) -> Database:
        return Database(self._path, write=True, wait=self._wait)

    def _records(self, statement: str, *values: str) -> tuple[Record, ...]:
        with self._reader.transaction() as database:
            return tuple(records_of(database, statement, *values))
