"""The notes on the fields of a shelf: looked up anew for each answer, since others write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Final, Self

from memoryfield_readers import (
    DEFAULT_LIMITS,
    Limits,
    MemoryfieldError,
    NotFound,
    Page,
    is_page_name,
    shown,
)

from ..fields import HeldField, Shelf

if TYPE_CHECKING:
    from memoryfield_notes import Outcome, Record, Store

_WAIT_SECONDS: Final = 10.0
"""So long another writer is waited for: a few requests at a time are worked on, and others wait."""


@dataclass(frozen=True, slots=True)
class Noted:
    """What the notes on a field say of some of its pages.

    Attributes:
        records: what is known of each page, by its name; pages without a record are left out.
        trouble: why nothing can be said, or None.
    """

    records: Mapping[str, Record] = field(default_factory=lambda: MappingProxyType({}))
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """How many notes there are on a field.

    Attributes:
        notes: all of them.
        stale: those whose page is another one than they were made on, or is gone.
        trouble: why they cannot be counted, or None.
    """

    notes: int = 0
    stale: int = 0
    trouble: str | None = None


class NoteStores:
    """A store of notes for each field of a shelf; safe to use from several threads.

    Use it as a context manager, or close it.

    Attributes:
        settable: whether notes may be set; if not, no store is made, and none is written to.
    """

    def __init__(
        self,
        paths: Mapping[str, Path],
        *,
        settable: bool = False,
        troubles: Mapping[str, MemoryfieldError] | None = None,
    ) -> None:
        """Know where the stores are; none is opened yet.

        Arguments:
            paths: by the name of a held field, where its store is, or would be.
            settable: whether notes may be set.
            troubles: by the name of a field without such a place, why there is none.
        """
        self.settable: Final = settable
        self._paths = dict(paths)
        self._troubles = dict(troubles or {})
        self._lock = Lock()
        self._open: dict[str, Store] = {}
        self._gone: list[Store] = []

    @classmethod
    def of(
        cls,
        shelf: Shelf,
        store: Path | None = None,
        *,
        settable: bool = False,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Self:
        """The stores of the fields of a shelf; where notes may be set, each is brought up to date.

        Arguments:
            shelf: the fields; it stays as it is.
            store: where the store of the only field is; None for the usual places.
            settable: whether notes may be set.
            limits: how many files a field of a lock file may have.

        Raises:
            LocationError: the store that was named would be a part of the field.
            NotFound: the store that was named is not there, nor can it be made.
            MemoryfieldError: notes may be set, and a store cannot be had or brought up to date.
        """
        from memoryfield_notes.places import place_of
        from memoryfield_notes.presence import is_there

        paths: dict[str, Path] = {}
        troubles: dict[str, MemoryfieldError] = {}
        for name, request in shelf.requests.items():
            try:
                paths[name] = place_of(request.location, store, limits=limits)
            except MemoryfieldError as error:
                if settable or store is not None:
                    raise
                troubles[name] = error
        if store is not None and not settable and not is_there(store):
            raise NotFound("there is no such store of notes", location=str(store))
        with ExitStack() as undo:
            stores = cls(paths, settable=settable, troubles=troubles)
            undo.callback(stores.close)
            for held in shelf.fields if settable else ():
                stores.rebuild(held)
            undo.pop_all()
        return stores

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
        """Let go of the files."""
        with self._lock, ExitStack() as stack:
            for store in (*self._open.values(), *self._gone):
                stack.callback(store.close)
            self._open.clear()
            self._gone.clear()

    def on(self, held: HeldField, pages: Sequence[Page]) -> Noted:
        """What is known of some pages of a field.

        A store that cannot be read keeps no page from being read: what is wrong is told.

        Arguments:
            held: the field.
            pages: pages of it.
        """
        try:
            store = self._store(held)
            return Noted() if store is None else Noted(_records(store, held, pages))
        except MemoryfieldError as error:
            return Noted(trouble=reason(held, error))

    def trouble(self, held: HeldField) -> str | None:
        """Why the notes on a field cannot be read; None if all is well, or there are none."""
        try:
            self._store(held)
        except MemoryfieldError as error:
            return held.told(str(error))
        return None

    def tally(self, held: HeldField) -> Tally:
        """How many notes there are on a field, and how many are stale."""
        notes = stale = 0
        contents: frozenset[str] | None = None
        try:
            store = self._store(held)
            if store is None:
                return Tally()
            for record in store.records(noted=True):
                notes += 1
                sha256 = record.note.sha256 if record.note is not None else ""
                if record.name in held.field.entries:
                    stale += held.field.sha256(record.name) != sha256
                    continue
                if contents is None:
                    contents = frozenset(map(held.field.sha256, held.field.pages))
                # A page with a uuid is the same one under another name.
                stale += record.id == record.name or sha256 not in contents
        except MemoryfieldError as error:
            return Tally(trouble=reason(held, error))
        return Tally(notes, stale)

    def rebuild(self, held: HeldField) -> None:
        """Let the store of a field know its pages as they are held; it is made if there is none.

        Raises:
            NotesAtRisk: there are notes, and the field has no page that the store knows.
            StoreError: the store cannot be used as it is, or be made; or a page was not read, and
                would be taken for gone.
            LockTimeout: somebody else writes to it all the time.
        """
        from memoryfield_notes import StoreError

        for name, error in held.unread.items():
            if is_page_name(name):
                raise StoreError(
                    f"cannot be brought up to the field: {shown(name)} {error.message}, and would "
                    "be taken for gone",
                    location=str(self._paths[held.name]),
                    hint="mend the page, or start without --notes",
                )
        self._opened(held).rebuild(held.field)

    def set(self, held: HeldField, page: Page, revision: int, text: str) -> Outcome | None:
        """Set the note on a page, if what was read of both is what there is.

        Arguments:
            held: the field.
            page: a page of it.
            revision: the revision that was read.
            text: the note; "" takes it away.

        Returns:
            What came of it; None if the store knows another text of the page than is held, so that
            the note would be on what nobody here has read.

        Raises:
            InvalidNote: the note or the revision is none.
            NotFound, StoreError, LockTimeout: as `Store.cas` raises.
        """
        from memoryfield_notes import Outcome

        store = self._opened(held)
        record = _records(store, held, [page]).get(page.name)
        if record is None or record.sha256 != page.sha256:
            return None
        if record.rev != revision:
            # Not left to `cas`: at a revision that is still to come it may be another page.
            return Outcome(applied=False, record=record)
        return store.cas(record.id, revision, text)

    def _store(self, held: HeldField) -> Store | None:
        """The store of a field, to be read; None where there is none."""
        if held.name in self._troubles:
            raise self._troubles[held.name]
        with self._lock:
            if not self._is_there(held.name):
                return None
            return self._open.get(held.name) or self._opening(held)

    def _opened(self, held: HeldField) -> Store:
        """The store of a field, to be written to; it is made if there is none."""
        if not self.settable:
            raise NotFound("notes cannot be set here", hint="start with --notes")
        with self._lock:
            if not self._is_there(held.name):
                from memoryfield_notes.places import make_folder

                make_folder(self._paths[held.name])
            return self._open.get(held.name) or self._opening(held)

    def _is_there(self, name: str) -> bool:
        """Whether there is a store of a field; one that was taken away is let go of."""
        from memoryfield_notes.presence import is_there

        if is_there(self._paths[name]):
            return True
        if name in self._open:
            self._gone.append(self._open.pop(name))  # another thread may be reading it
        return False

    def _opening(self, held: HeldField) -> Store:
        from memoryfield_notes.opening import open_store

        path, pages = self._paths[held.name], len(held.field.pages)
        store = open_store(path, pages=pages, create=self.settable, wait=_WAIT_SECONDS)
        self._open[held.name] = store
        return store


def _records(store: Store, held: HeldField, pages: Sequence[Page]) -> dict[str, Record]:
    """The records of some pages of a field, by their names."""
    from memoryfield_notes.identity import is_text, uuid_of
    from memoryfield_notes.showing import record_of

    uuids = {page.name: uuid_of(page) for page in pages}
    ids = [*filter(is_text, uuids), *(uuid for uuid in uuids.values() if uuid is not None)]
    looked = _Looked(store, store.find(ids))
    names = held.field.entries
    each = ((name, record_of(looked, (name,), uuid, names)) for name, uuid in uuids.items())
    return {name: record for name, record in each if record is not None}


@dataclass(frozen=True, slots=True)
class _Looked:
    """A store that was asked for all pages of an answer at once."""

    store: Store
    found: Mapping[str, Record]

    def find(self, names: Iterable[str]) -> dict[str, Record]:
        """What was found of some ids."""
        return {id: self.found[id] for id in names if id in self.found}

    def named(self, name: str) -> tuple[Record, ...]:
        """Asked for where there is no record of this id."""
        return self.store.named(name)


def reason(held: HeldField, error: MemoryfieldError) -> str:
    """Why notes on a field cannot be had, in one line, without where the store is."""
    return f"notes on {held.name}: {error.message}"
