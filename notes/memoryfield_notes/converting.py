"""From a store of one kind to one of the other, in its place."""

from __future__ import annotations

import os
from pathlib import Path

from memoryfield_readers import NotFound
from memoryfield_readers.holding import Waiting

from .file_store import FileStore
from .presence import is_there
from .record import StoreKind
from .store import DEFAULT_WAIT


def convert(
    path: Path | str,
    kind: StoreKind,
    *,
    wait: float = DEFAULT_WAIT,
    waiting: Waiting | None = None,
) -> bool:
    """Make a store one of another kind, in one step and without loss; False if it is one already.

    Others may go on using it: what they do next is done to the new one.

    Arguments:
        path: the file.
        kind: what it is to be.
        wait: for how many seconds to wait for another writer.
        waiting: called with a line for a person, when that has lasted two seconds.

    Raises:
        NotFound: nothing is there.
        StoreError: it is damaged, or cannot be written; nothing is changed.
        LockTimeout: another one was writing to it for longer than the wait.
    """
    place = Path(os.path.abspath(path))
    if not is_there(place):
        raise NotFound("there is no store of notes", location=str(place))
    with FileStore(place, wait=wait, waiting=waiting) as store:
        return store.convert(kind)
