"""A store that is one JSON file, kept in memory, and replaced as a whole with each change."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from .contents import Contents
from .document import Document, parse, render
from .identity import Sight
from .lineage import Lineage
from .merging import Rebuilt
from .placing import KEPT_OPEN, MOST_BYTES, opened, put, status_of, too_large, whole
from .record import Origin, Record, StoreKind
from .store import Outcome


class JsonBackend:
    """A JSON store as it was at one time, until it is written here.

    The file stays open, so that its inode is not given to another one: what has the same inode,
    size and time is the same.
    """

    kind: Final[StoreKind] = "json"

    def __init__(self, path: Path) -> None:
        """Read it; raises `StoreError`."""
        self._path = path
        self._descriptor, self._status = opened(path)
        with ExitStack() as undo:
            undo.callback(self.close)
            self._contents = self._read()
            undo.pop_all()

    def is_at(self, status: os.stat_result) -> bool:
        """Whether what has a status is what was read."""
        mine = self._status
        return os.path.samestat(mine, status) and (
            (mine.st_size, mine.st_mtime_ns) == (status.st_size, status.st_mtime_ns)
        )

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def origin(self) -> Origin:
        """Which field it is about."""
        return self._contents.document.origin

    def find(self, ids: Iterable[str]) -> dict[str, Record]:
        """The records of some ids."""
        by_id = self._contents.by_id
        return {id: by_id[id] for id in ids if id in by_id}

    def named(self, name: str) -> tuple[Record, ...]:
        """The records of a file name."""
        return self._contents.by_name.get(name, ())

    def records(self, *, noted: bool) -> Iterator[Record]:
        """All records, or those with a note."""
        return (
            each for each in self._contents.document.records if not noted or each.note is not None
        )

    def search(self, term: str, *, notes: bool) -> tuple[Record, ...]:
        """The records whose text, or whose note, holds a term."""
        return self._contents.search(term, notes=notes)

    def children(self, id: str) -> tuple[Record, ...] | None:
        """The records whose parent is a page; None if there is no record of this id."""
        contents = self._contents
        return contents.by_parent.get(id, ()) if id in contents.by_id else None

    def ancestors(self, id: str) -> Lineage | None:
        """The ancestors of a page; None if there is no record of this id."""
        return self._contents.ancestors(id)

    def document(self) -> Document:
        """All that it holds."""
        return self._contents.document

    def image(self) -> bytes:
        """The bytes of a store of this kind that holds the same."""
        return render(self._contents.document)

    def set_note(self, id: str, rev: int, note: str) -> Outcome | None:
        """Set a note at a revision; None if there is no record of this id."""
        done = self._contents.with_note(id, rev, note)
        if done is None:
            return None
        outcome, after = done
        self._replace(after)
        return outcome

    def merge(self, sight: Sight, *, force: bool) -> Rebuilt:
        """Bring it up to what a field is now."""
        told, after = self._contents.with_sight(sight, str(self._path), force=force)
        self._replace(after)
        return told

    def settle(self) -> None:
        """Have no other file belong to it: none does."""

    def _replace(self, after: Contents) -> None:
        if after is self._contents:
            return
        data = json_image(after.document, self._path)
        if not KEPT_OPEN:
            self.close()
        status = put(self._path, data, status_of(self._path), over=True)
        self.close()
        self._descriptor, self._status = opened(self._path)
        # If it is another file already, somebody has no regard for locks.
        self._contents = after if self.is_at(status) else self._read()

    def _read(self) -> Contents:
        return Contents(parse(whole(self._descriptor, self._path), str(self._path)))


def json_image(document: Document, path: Path) -> bytes:
    """The bytes of a JSON store, if it can be read again.

    Raises:
        StoreError: they are too many.
    """
    data = render(document)
    if len(data) > MOST_BYTES:
        raise too_large(path)
    return data
