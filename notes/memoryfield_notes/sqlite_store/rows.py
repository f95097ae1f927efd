"""From rows of the database to records, and to what a merge has to know of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Final

from ..document import Document, checked_head, checked_record
from ..merging import Known
from ..record import MOST_REVISION, Note, Origin, Record
from .database import Database
from .schema import no_store

_COLUMNS: Final = (
    "SELECT r.id, r.name, r.text, r.parent, r.rev, r.sha256, "
    "coalesce(r.pin, (SELECT pin FROM meta)), r.orphan, n.text, n.sha256, n.pin, n.written "
)
_ALL: Final = "FROM records AS r NOT INDEXED LEFT JOIN notes AS n ON n.id = r.id "
_NOTED: Final = "FROM notes AS n NOT INDEXED JOIN records AS r ON r.id = n.id "

EVERY: Final = _COLUMNS + _ALL
EVERY_NOTED: Final = _COLUMNS + _NOTED
OF_ID: Final = f"{_COLUMNS} FROM records AS r LEFT JOIN notes AS n ON n.id = r.id WHERE r.id = ?"
OF_NAME: Final = OF_ID.replace("r.id = ?", "r.name = ?")
OF_PARENT: Final = OF_ID.replace("r.id = ?", "r.parent = ?")
WITH_TEXT: Final = f"{EVERY} WHERE instr(r.text, ?) > 0"
WITH_NOTE: Final = f"{EVERY_NOTED} WHERE instr(n.text, ?) > 0"

_KNOWN: Final = (
    "SELECT r.id, r.name, r.parent, r.rev, r.sha256, r.orphan, r.pin, n.id IS NOT NULL " + _ALL
)
_STALE: Final = (
    "SELECT r.id FROM notes AS n JOIN records AS r ON r.id = n.id "
    "WHERE NOT r.orphan AND r.sha256 <> n.sha256"
)


def records_of(database: Database, statement: str, *values: str) -> list[Record]:
    """The records that a statement finds, in the order of their ids.

    Raises:
        StoreError: one is not as it should be.
    """
    found = [_record(database, row) for row in database.rows(statement, values)]
    found.sort(key=lambda record: record.id)
    if any(one.id == two.id for one, two in pairwise(found)):
        raise no_store("it has a record twice", str(database.path))
    return found


def record_of(database: Database, id: str) -> Record | None:
    """The record of an id; raises as `records_of` does."""
    found = records_of(database, OF_ID, id)
    return found[0] if found and found[0].id == id else None


def head_of(database: Database) -> tuple[Origin, int]:
    """Which field it is about, and the floor.

    Raises:
        StoreError: they are not as they should be.
    """
    rows = [*database.rows("SELECT name, location, pin, floor FROM meta LIMIT 2")]
    try:
        if len(rows) != 1:
            raise ValueError("it does not say what it is about")
        return checked_head(*rows[0])
    except ValueError as error:
        raise no_store(str(error), str(database.path)) from error


def document_of(database: Database) -> Document:
    """All that it holds, after a look at the whole file; raises as `records_of` does."""
    database.check_whole()
    origin, floor = head_of(database)
    return Document(origin, floor, tuple(records_of(database, EVERY)))


def known_of(database: Database, pin: str) -> tuple[dict[str, Known], set[str]]:
    """What a merge has to know, by id; and the ids of those with a pin of their own.

    Arguments:
        database: the store.
        pin: the pin of the field that was last read.

    Raises:
        StoreError: a record is not as it should be.
    """
    known: dict[str, Known] = {}
    pinned: set[str] = set()
    for row in database.rows(_KNOWN):
        id, name, parent, rev, sha256, orphan, own, noted = row
        texts = (id, name, sha256, *_there(parent, own))
        if not _are_of(str, *texts) or not _is_revision(rev) or orphan not in (0, 1):
            raise no_store("a record has values of no such kind", str(database.path))
        if own is not None:
            pinned.add(id)
        known[id] = Known(
            id, name, parent, rev, sha256, bool(orphan), own in (None, pin), bool(noted)
        )
    return known, pinned


def stale_of(database: Database) -> tuple[str, ...]:
    """The ids of notes whose page is another one by now, orphans aside, in order."""
    return tuple(sorted(id for (id,) in database.rows(_STALE)))


def _record(database: Database, row: tuple[Any, ...]) -> Record:
    id, name, text, parent, rev, sha256, pin, orphan, *note = row
    noted = any(value is not None for value in note)
    try:
        if (
            not _are_of(str, id, name, text, sha256, pin, *_there(parent))
            or not _are_of(int, rev)
            or orphan not in (0, 1)
            or (noted and not _are_of(str, *note))
        ):
            raise ValueError("a record has values of no such kind")
        return checked_record(
            Record(
                id, name, text, parent, rev, sha256, pin, bool(orphan),
                Note(*note) if noted else None,
            )
        )  # fmt: skip
    except ValueError as error:
        raise no_store(str(error), str(database.path)) from error


def _are_of(kind: type, *values: object) -> bool:
    return all(type(value) is kind for value in values)


def _is_revision(value: object) -> bool:
    return type(value) is int and 1 <= value <= MOST_REVISION


def _there(*values: object) -> Iterator[object]:
    return (value for value in values if value is not None)


def total(texts: Iterable[str]) -> int:
    """Bytes that texts may have in UTF-8, at most."""
    return sum(4 * len(text) for text in texts)
