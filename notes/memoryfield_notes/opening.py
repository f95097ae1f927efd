"""From a path to a store that is open, made first if that is wanted."""

from __future__ import annotations

import os
from pathlib import Path

from memoryfield_readers import NotFound
from memoryfield_readers.beside import clean
from memoryfield_readers.holding import Waiting, held_lock_file

from .backend import image_of
from .document import Document
from .errors import StoreError
from .file_store import FileStore
from .placing import lock_path, put
from .presence import is_there
from .record import Origin, StoreKind
from .store import DEFAULT_WAIT, Store

MOST_IN_JSON = 2_000
"""Pages of a field up to which its notes are kept in one JSON file, if nobody says otherwise."""

_KINDS: dict[str, StoreKind] = {
    ".json": "json",
    ".sqlite3": "sqlite",
    ".sqlite": "sqlite",
    ".db": "sqlite",
}


def open_store(
    path: Path | str,
    *,
    kind: StoreKind | None = None,
    pages: int | None = None,
    create: bool = False,
    wait: float = DEFAULT_WAIT,
    waiting: Waiting | None = None,
) -> Store:
    """Open a store of notes.

    Nothing is written, and no file made, unless it is created or something is changed. A store that
    is there is of the kind that its content says.

    Arguments:
        path: the file; its folder must be there.
        kind: of a store that is made; None to go by the ending of its name, or else by `pages`.
        pages: how many pages the field has.
        create: whether it is opened to be written to: a store, about no field yet, is made if
            nothing is there, and what a writer left that was ended is undone.
        wait: for how many seconds writers wait for one another.
        waiting: called with a line for a person, when a writer has waited for two seconds.

    Raises:
        NotFound: nothing is there, and it is not to be made.
        StoreError: it is no store, is damaged, was made by a newer version, or cannot be read or
            made.
        LockTimeout: another one was writing to it for longer than the wait.
    """
    place = Path(os.path.abspath(path))
    if not is_there(place):
        if not create:
            raise NotFound(
                "there is no store of notes",
                location=str(place),
                hint="`memoryfield note rebuild LOCATION` makes one",
            )
        _make(place, kind or kind_of_new(place, pages), wait, waiting)
    return FileStore(place, wait=wait, waiting=waiting, mend=create)


def kind_of_new(path: Path, pages: int | None = None) -> StoreKind:
    """The kind of a store that is made: by the ending of its name, or else by the field's pages."""
    by_name = _KINDS.get(path.suffix.lower())
    if by_name is not None:
        return by_name
    return "json" if pages is None or pages <= MOST_IN_JSON else "sqlite"


def _make(path: Path, kind: StoreKind, wait: float, waiting: Waiting | None) -> None:
    """Make an empty store, unless somebody else has made one just before."""
    if not os.path.isdir(path.parent):
        raise StoreError(
            "cannot be made: its folder is not there",
            location=str(path),
            hint="make the folder first, or name another file",
        )
    with held_lock_file(lock_path(path), wait=wait, location=str(path), waiting=waiting):
        clean(path)
        try:
            put(path, image_of(Document(Origin("", "", "")), kind, path), None, over=False)
        except FileExistsError:
            return
