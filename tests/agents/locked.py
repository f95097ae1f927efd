"""A field of a lock file that is in the cache alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryfield_readers import open_field
from memoryfield_readers.cache import Cache
from memoryfield_readers.lock import (
    LOCK_NAME,
    LOCK_VARIABLE,
    STATE_VARIABLE,
    LockFile,
    lock_field,
    remember,
    render_lock,
    stored_location,
)
from memoryfield_readers.locked.keeping import keep_files


def lock_offline(folder: Path, name: str, root: Path, patch: pytest.MonkeyPatch) -> None:
    """Lock a folder as it is, put its files into the cache, and move it away.

    Arguments:
        folder: the field.
        name: its name in the lock file.
        root: where the lock file, which counts from now on, and its state are written.
        patch: sets the environment.
    """
    lock = root / LOCK_NAME
    patch.setenv(STATE_VARIABLE, str(root / "state"))
    patch.setenv(LOCK_VARIABLE, str(lock))
    stored = stored_location(str(folder), lock)
    with open_field(folder) as field:
        locked = lock_field(name, stored, field)
        assert keep_files(field, Cache.default())
    assert remember(stored)
    lock.write_text(render_lock(LockFile(lock, {name: locked})), "utf-8")
    folder.rename(root / f"{folder.name}-away")
