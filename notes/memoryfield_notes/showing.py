"""Which note belongs to a page as it stands, and whether it was made on the page as it is."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from memoryfield_readers import MemoryfieldError, Page, as_unicode

from .identity import is_text, uuid_of
from .record import Note, Record

if TYPE_CHECKING:
    from .store import Store


@dataclass(frozen=True, slots=True)
class Shown:
    """A note as it is shown with its page.

    Attributes:
        id: the id of its record.
        revision: the revision of the record.
        note: the note.
        stale: whether the page is no longer what it was made on.
    """

    id: str
    revision: int
    note: Note
    stale: bool

    def to_json(self) -> dict[str, Any]:
        """The note as it stands in answers; JSON can carry it."""
        return {
            "id": as_unicode(self.id),
            "revision": self.revision,
            "text": self.note.text,
            "stale": self.stale,
            "sha256": self.note.sha256,
            "pin": self.note.pin,
            "written": self.note.written,
        }


class PageNotes:
    """The notes on the pages of one field, for who reads these; nothing is ever written.

    What is wrong with a store keeps no page from being read: it is told once, and there are no
    notes from then on. Use it as a context manager, or close it.

    Attributes:
        problem: what is wrong with the store; None if all is well.
    """

    def __init__(
        self, store: Store | None, told: Callable[[MemoryfieldError], None] | None = None
    ) -> None:
        """Read from a store, which is closed with this; None for a field without notes.

        Arguments:
            store: the store.
            told: called with what is wrong with it, once.
        """
        self._stack = ExitStack()
        self._store = store
        if store is not None:
            self._stack.callback(store.close)
        self._told = told
        self.problem: MemoryfieldError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store."""
        self._store = None
        self._stack.close()

    def __bool__(self) -> bool:
        """Whether there may be notes at all."""
        return self._store is not None

    def of(self, page: Page, names: Container[str]) -> Shown | None:
        """The note on a page; None if there is none.

        Arguments:
            page: the page as it stands.
            names: the names of all pages of its field.
        """
        record = self.record(page, names)
        if record is None or record.note is None:
            return None
        stale = record.note.sha256 != page.sha256
        return Shown(record.id, record.rev, record.note, stale)

    def record(self, page: Page, names: Container[str]) -> Record | None:
        """The record of a page, with a note or without; None if the store does not know it."""
        if self._store is None:  # what a page states need not even be parsed
            return None
        return self.record_of((page.name,), uuid_of(page), names)

    def record_of(
        self, called: tuple[str, ...], uuid: str | None, names: Container[str]
    ) -> Record | None:
        """The record of a page that goes by a name, or went by another one.

        Arguments:
            called: its names, the one that counts most first.
            uuid: the one that it states, in lower case; None for none.
            names: the names of all pages of its field: the record of one of them is not this one's.
        """
        if self._store is None:
            return None
        try:
            return record_of(self._store, called, uuid, names)
        except MemoryfieldError as error:
            self.fail(error)
            return None

    def fail(self, error: MemoryfieldError) -> None:
        """Do without notes from now on, and tell why."""
        self.problem = error
        self.close()
        if self._told is not None:
            self._told(error)


class Lookup(Protocol):
    """The part of a store by which the record of a page is found."""

    def find(self, names: Iterable[str]) -> dict[str, Record]:
        """See `Store.find`."""

    def named(self, name: str) -> tuple[Record, ...]:
        """See `Store.named`."""


def record_of(
    store: Lookup, called: tuple[str, ...], uuid: str | None, names: Container[str]
) -> Record | None:
    """The record of a page, found as a rebuild finds it, but for one page alone.

    Whether another page states the same uuid is not known here. If there is a page of the name that
    the record of a uuid has, the uuid was copied, or the names have changed: nothing is said then,
    rather than what may be wrong.

    Arguments:
        store: where to look.
        called: the names of the page, the one that counts most first.
        uuid: the one that it states, in lower case; None for none.
        names: the names of all pages of its field.

    Raises:
        StoreError: the store cannot be read.
    """
    called = tuple(filter(is_text, called))
    found = store.find(called if uuid is None else (uuid, *called))
    if uuid is not None and uuid in found:
        record = found[uuid]
        return record if record.name in called or record.name not in names else None
    for name in called:
        if name in found and (uuid is None or not found[name].orphan):
            return found[name]  # it had no uuid so far, or one that is not its own alone
        if uuid is None:  # it may have lost it
            for record in store.named(name):
                if not record.orphan:
                    return record
    return None
