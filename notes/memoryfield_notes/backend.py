"""What each kind of store does by itself; what is equal for all is in `file_store`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from .document import Document
from .errors import StoreError
from .identity import Sight
from .json_store import JsonBackend, json_image
from .lineage import Lineage
from .merging import Rebuilt
from .placing import SQLITE_HEADER, head_of
from .record import Origin, Record, StoreKind
from .store import Outcome


class Backend(Protocol):
    """A file of a store that is open, until another one is in its place.

    The operations are those of `Store`. What writes is called under the lock of the store, and does
    all of it or nothing. Where there is no record of an id, it is None that comes back.
    """

    @property
    def kind(self) -> StoreKind:
        """What it is."""

    def is_at(self, status: os.stat_result) -> bool:
        """Whether what has a status is still what is open."""

    def close(self) -> None:
        """Let go of it."""

    def settle(self) -> None:
        """Under the lock: have no other file belong to it, so that it can be replaced."""

    def origin(self) -> Origin:
        """Which field it is about."""

    def find(self, ids: Iterable[str]) -> dict[str, Record]:
        """The records of some ids, by id."""

    def named(self, name: str) -> tuple[Record, ...]:
        """The records of pages of a file name."""

    def records(self, *, noted: bool) -> Iterator[Record]:
        """All records, or those with a note alone."""

    def search(self, term: str, *, notes: bool) -> tuple[Record, ...]:
        """The records whose text, or whose note, holds a term."""

    def children(self, id: str) -> tuple[Record, ...] | None:
        """The records whose parent is a page."""

    def ancestors(self, id: str) -> Lineage | None:
        """The parent of a page, its parent, and so on."""

    def document(self) -> Document:
        """All that it holds, after a look at the whole of it."""

    def image(self) -> bytes:
        """The bytes of a store of this kind that holds the same."""

    def set_note(self, id: str, rev: int, note: str) -> Outcome | None:
        """Set a note, if the record has a revision."""

    def merge(self, sight: Sight, *, force: bool) -> Rebuilt:
        """Bring it up to what a field is now."""


def backend_at(path: Path, *, wait: float, write: bool = False) -> Backend:
    """Open the file of a store; its kind is told by what it begins with.

    Arguments:
        path: where it is.
        wait: seconds to wait for a program that writes to it without the lock file.
        write: whether this is under the lock of the store.

    Raises:
        StoreError: it is no store, or one that cannot be read.
    """
    head = head_of(path)
    if head.startswith(SQLITE_HEADER):
        from .sqlite_store import SqliteBackend

        return SqliteBackend(path, wait=wait, write=write)
    if head.lstrip().startswith(b"{"):
        return JsonBackend(path)
    raise StoreError(
        f"is no store of notes: {'it begins with something else' if head else 'it is empty'}; "
        "nothing was changed",
        location=str(path),
        hint="name another file; or move it away, then restore a backup or begin anew",
    )


def image_of(document: Document, kind: StoreKind, path: Path) -> bytes:
    """The bytes of a store that holds a document.

    Raises:
        StoreError: there can be none.
    """
    if kind == "json":
        return json_image(document, path)
    from .sqlite_store import sqlite_image

    return sqlite_image(document, path)
