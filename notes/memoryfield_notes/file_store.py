"""A store that is one file: looked at before each operation, and written under its lock alone."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from memoryfield_readers import Field, NotFound, shown
from memoryfield_readers.beside import clean
from memoryfield_readers.holding import Waiting, held_lock_file

from .backend import Backend, backend_at, image_of
from .document import Document, parse, render
from .errors import NotesAtRisk, StoreError
from .freshness import checked_fresh
from .identity import is_text, sight_of
from .lineage import Lineage
from .merging import Rebuilt
from .placing import KEPT_OPEN, CutOff, lock_path, put, status_of
from .record import Origin, Record, StoreKind
from .restoring import restored
from .store import Outcome, checked_note, checked_term

_T = TypeVar("_T")

_MOST_TRIES = 5
"""So often a read begins anew because the file was replaced meanwhile."""


class FileStore:
    """A `Store`, of whichever kind its file is at the time: others may convert it meanwhile."""

    def __init__(
        self, path: Path, *, wait: float, waiting: Waiting | None = None, mend: bool = False
    ) -> None:
        """Open it; raises as `open_store` does.

        Arguments:
            path: the file.
            wait: for how many seconds writers wait for one another.
            waiting: called with a line for a person, when that has lasted two seconds.
            mend: whether reading, too, undoes what a writer left that was ended in the middle.
        """
        self._path = path
        self._mends = mend
        self._wait = wait
        self._waiting = waiting
        self._alone = threading.RLock()
        self._backend: Backend | None = None
        self._kind: StoreKind = "sqlite"
        with suppress(CutOff):  # who reads is told when it does, and who writes can go on
            self._read(lambda backend: None)

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
        """Let go of the file; whatever is asked next opens it again."""
        with self._alone:
            if self._backend is not None:
                backend, self._backend = self._backend, None
                backend.close()

    @property
    def path(self) -> Path:
        """The file that it is."""
        return self._path

    @property
    def kind(self) -> StoreKind:
        """What it is, or was when it was last looked at."""
        return self._kind

    def origin(self) -> Origin:
        """Which field it is about."""
        return self._read(lambda backend: backend.origin())

    def get(self, id: str) -> Record:
        """One record; see `Store`."""
        return self._known(id, self.find((id,)).get(id))

    def find(self, names: Iterable[str]) -> dict[str, Record]:
        """The records of some ids; see `Store`."""
        ids = tuple(filter(is_text, names))
        return self._read(lambda backend: backend.find(ids))

    def named(self, name: str) -> tuple[Record, ...]:
        """The records of a file name; see `Store`."""
        return self._read(lambda backend: backend.named(name)) if is_text(name) else ()

    def records(self, *, noted: bool = False) -> Iterator[Record]:
        """All records, or those with a note; see `Store`."""
        return self._read(lambda backend: backend.records(noted=noted))

    def search(self, term: str, *, notes: bool = False) -> tuple[Record, ...]:
        """The records whose text, or whose note, holds a term; see `Store`."""
        checked = checked_term(term)
        return self._read(lambda backend: backend.search(checked, notes=notes))

    def children(self, id: str) -> tuple[Record, ...]:
        """The records whose parent is a page; see `Store`."""
        self._check(id)
        return self._known(id, self._read(lambda backend: backend.children(id)))

    def ancestors(self, id: str) -> Lineage:
        """The parent of a page, its parent, and so on; see `Store`."""
        self._check(id)
        return self._known(id, self._read(lambda backend: backend.ancestors(id)))

    def cas(self, id: str, rev: int, note: str) -> Outcome:
        """Set the note on a page if its record has a revision; see `Store`."""
        text = checked_note(rev, note)
        self._check(id)
        return self._known(id, self._write(lambda backend: backend.set_note(id, rev, text)))

    def rebuild(self, field: Field, *, force: bool = False) -> Rebuilt:
        """Bring the records up to what a field is now; see `Store`."""
        sight = sight_of(field)
        return self._write(lambda backend: backend.merge(sight, force=force))

    def fresh(self, id: str, field: Field | None = None) -> Record:
        """One record, if its page is still what its note was made on; see `Store`."""
        return checked_fresh(self.get(id), field, str(self._path))

    def export(self) -> Document:
        """All that it holds; see `Store`."""
        return self._read(lambda backend: backend.document())

    def restore(self, document: Document, *, replace: bool = True) -> None:
        """Hold what a document says, and nothing else; see `Store`."""
        checked = parse(render(document), str(self._path))

        def replaced(backend: Backend) -> None:
            backend.settle()  # else what a writer left in the middle could not be read
            if not replace and next(iter(backend.records(noted=True)), None) is not None:
                raise NotesAtRisk(
                    "there are notes in it already; nothing was changed",
                    location=str(self._path),
                    hint="export or back them up first, if they are to be replaced",
                )
            after = restored(backend.document(), checked, str(self._path))
            self._replace(backend, after, backend.kind)

        self._write(replaced)

    def convert(self, kind: StoreKind) -> bool:
        """Be of another kind from now on, in one step; False if it is of that kind already.

        Raises:
            StoreError: it is damaged, or cannot be written; nothing is changed.
            LockTimeout: another writer held it for longer than the wait.
        """

        def converted(backend: Backend) -> bool:
            if backend.kind == kind:
                return False
            backend.settle()  # else what a writer left in the middle could not be read
            self._replace(backend, backend.document(), kind)
            return True

        return self._write(converted)

    def backup(self, path: Path) -> None:
        """Make a store of the same kind that holds the same; see `Store`."""
        data = self._read(lambda backend: backend.image())
        at_risk = NotesAtRisk(
            "there is something already; nothing was changed",
            location=str(path),
            hint="name a file that is not there yet",
        )
        if os.path.lexists(path):
            raise at_risk
        place = Path(os.path.abspath(path))
        clean(place)
        try:
            put(place, data, None, over=False)
        except FileExistsError:
            raise at_risk from None

    def _replace(self, backend: Backend, document: Document, kind: StoreKind) -> None:
        """Under the lock: put another file in the place of the one that there is."""
        data = image_of(document, kind, self._path)
        backend.settle()
        status = status_of(self._path)
        if not KEPT_OPEN:
            self.close()
        put(
            self._path, data, status, over=True, check=lambda made: self._check_made(made, document)
        )

    def _check_made(self, made: Path, document: Document) -> None:
        """Refuse to put a file in the place of the store that does not hold what it is to hold."""
        try:
            with closing(backend_at(made, wait=self._wait)) as new:
                is_equal = new.document() == document
        except StoreError as error:
            error.location = str(self._path)  # nobody knows the other one
            raise
        if not is_equal:
            raise StoreError(
                "cannot be written: what was made holds something else; nothing was changed",
                location=str(self._path),
                hint="see that the disk is sound; `memoryfield note export` has what there is",
            )

    def _read(self, ask: Callable[[Backend], _T]) -> _T:
        """What a backend answers; once more if the file was replaced while it was asked."""
        tries = 0
        while True:
            tries += 1
            before = _mark(self._path)
            try:
                with self._alone, self._let_go_after():
                    return ask(self._current())
            except CutOff:
                if tries == _MOST_TRIES or not self._mends:
                    raise
                self._write(lambda backend: backend.settle())
            except StoreError:
                if tries == _MOST_TRIES or _mark(self._path) == before:
                    raise

    def _write(self, act: Callable[[Backend], _T]) -> _T:
        location, lock = str(self._path), lock_path(self._path)
        status_of(self._path)  # no lock file beside what is not there
        with (
            held_lock_file(lock, wait=self._wait, location=location, waiting=self._waiting),
            self._alone,
            self._let_go_after(),
        ):
            clean(self._path)
            try:
                return act(self._current(write=True))
            except StoreError as error:
                error.location = error.location or location
                raise

    def _current(self, *, write: bool = False) -> Backend:
        """What is at the path now, open."""
        status = status_of(self._path)
        if self._backend is None or not self._backend.is_at(status):
            self.close()
            self._backend = backend_at(self._path, wait=self._wait, write=write)
            self._kind = self._backend.kind
        return self._backend

    def _let_go_after(self) -> ExitStack:
        stack = ExitStack()
        if not KEPT_OPEN:
            stack.callback(self.close)
        return stack

    def _check(self, id: str) -> None:
        """Refuse an id that no page can have, in all stores alike."""
        if not is_text(id):
            self._known(id, None)

    def _known(self, id: str, found: _T | None) -> _T:
        if found is None:
            raise NotFound(
                f"there is nothing about a page {shown(id)}",
                location=str(self._path),
                hint="`memoryfield note ls LOCATION --all` shows what there is; if the page is new,"
                " `memoryfield note rebuild LOCATION` takes it in",
            )
        return found


def _mark(path: Path) -> tuple[int, ...] | None:
    """What tells whether a file is another one, or has another content."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
