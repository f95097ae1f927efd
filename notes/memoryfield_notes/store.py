"""The protocol of all stores of notes, and what every store demands of its arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from memoryfield_readers import Field

from .document import Document
from .errors import InvalidNote
from .lineage import Lineage
from .merging import Rebuilt
from .record import MOST_NOTE_BYTES, MOST_REVISION, Note, Origin, Record, StoreKind

DEFAULT_WAIT = 30.0
"""Seconds to wait for another writer of the same store, unless somebody says otherwise."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of setting a note at a revision.

    Attributes:
        applied: whether it was set; else the record had another revision, and nothing was changed.
        record: the record as it is afterwards.
    """

    applied: bool
    record: Record

    @property
    def status(self) -> str:
        """The outcome in one word: "applied" or "stale"."""
        return "applied" if self.applied else "stale"


class Store(Protocol):
    """Notes on the pages of one field; the same operations give the same answers in every store.

    Safe to use from several threads and processes. What is read is what was last written as a
    whole; what is written is on the disk when the call returns. Use it as a context manager, or
    close it. Every operation may raise

        StoreError: the file is damaged, was made by a newer version, or cannot be read or written;
            nothing is changed then.
        LockTimeout: (those that write) another writer held it for longer than the wait.
    """

    @property
    def path(self) -> Path:
        """The file that it is."""

    @property
    def kind(self) -> StoreKind:
        """What it is: "json" or "sqlite"."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def close(self) -> None:
        """Let go of the file."""

    def origin(self) -> Origin:
        """Which field it is about."""

    def get(self, id: str) -> Record:
        """One record.

        Raises:
            NotFound: there is none of this id.
        """

    def find(self, names: Iterable[str]) -> dict[str, Record]:
        """The records of some ids, by id; those that there are none of are left out."""

    def named(self, name: str) -> tuple[Record, ...]:
        """The records of pages of a file name, that of the page first and orphans behind it."""

    def records(self, *, noted: bool = False) -> Iterator[Record]:
        """All records, or those with a note alone, in id order and as one moment had them."""

    def search(self, term: str, *, notes: bool = False) -> tuple[Record, ...]:
        """The records whose text, or whose note, holds a term, letter by letter, in id order.

        Raises:
            InvalidNote: the term is empty.
        """

    def children(self, id: str) -> tuple[Record, ...]:
        """The records whose parent is a page, in id order.

        Raises:
            NotFound: there is none of this id.
        """

    def ancestors(self, id: str) -> Lineage:
        """The parent of a page, its parent, and so on.

        Raises:
            NotFound: there is none of this id.
        """

    def cas(self, id: str, rev: int, note: str) -> Outcome:
        """Set the note on a page, if its record still has a revision (compare and swap).

        Arguments:
            id: which page.
            rev: the revision that the record must have.
            note: the text; "" takes the note away.

        Raises:
            NotFound: there is none of this id.
            InvalidNote: the revision is no whole number from 0 on, or the note is none.
        """

    def rebuild(self, field: Field, *, force: bool = False) -> Rebuilt:
        """Bring the records up to what a field is now; no note is lost.

        Arguments:
            field: the field.
            force: go on although no page that was known is in the field.

        Raises:
            NotesAtRisk: there are notes, and the field has no page that is known.
            MemoryfieldError: the field cannot be read whole; as `sight_of` raises.
        """

    def fresh(self, id: str, field: Field | None = None) -> Record:
        """One record, if its page is still what its note was made on.

        Without a note the page must be what the record was made from.

        Arguments:
            id: which page.
            field: the field as it is now; None to go by what the store last saw.

        Raises:
            NotFound: there is none of this id.
            StaleSource: it is another page by now, or gone.
        """

    def export(self) -> Document:
        """All that it holds, at one moment."""

    def restore(self, document: Document, *, replace: bool = True) -> None:
        """Hold what a document says, and nothing else, in one step.

        In a store that is not empty, revisions rise where they would come again with another
        content; see `restored`.

        Arguments:
            document: what to hold.
            replace: whether notes that there are may go.

        Raises:
            NotesAtRisk: there are notes, and they may not go.
        """

    def backup(self, path: Path) -> None:
        """Make a store of the same kind that holds the same, at one moment, while others write.

        Raises:
            NotesAtRisk: there is something at the path already.
        """


def checked_term(term: str) -> str:
    """The term of a search.

    Raises:
        InvalidNote: it is empty, or no text that a page can hold.
    """
    if not term or not _is_utf8(term):
        raise InvalidNote("there is nothing to search for", hint="give a part of a text")
    return term


def checked_note(rev: int, note: str) -> str:
    """The note, if it and the revision can be what they are for; line ends at its end go.

    Raises:
        InvalidNote: one of them cannot.
    """
    if isinstance(rev, bool) or not isinstance(rev, int) or not 0 <= rev <= MOST_REVISION:
        raise InvalidNote(
            "the revision is none", hint=f"give a whole number from 1 to {MOST_REVISION}"
        )
    if not isinstance(note, str) or not _is_utf8(note) or "\x00" in note:
        raise InvalidNote("the note is no text", hint="write UTF-8, without NUL")
    if note and not note.strip():
        raise InvalidNote("the note is empty", hint='write something; "" takes a note away')
    note = note.rstrip("\r\n")
    size = len(note.encode())
    if size > MOST_NOTE_BYTES:
        raise InvalidNote(
            f"the note has {size} bytes, over the limit of {MOST_NOTE_BYTES}",
            hint="make it shorter; a page of your own field can be longer",
        )
    return note


def noted(record: Record, text: str) -> Note | None:
    """A new note on a page as a record has it, made now; None for an empty text."""
    if not text:
        return None
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Note(text, record.sha256, record.pin, now)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
