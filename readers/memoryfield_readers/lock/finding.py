"""Which lock file counts: the nearest one upward from where the command runs."""

from __future__ import annotations

import os
from pathlib import Path

from .values import LOCK_NAME

LOCK_VARIABLE = "MEMORYFIELD_LOCK"
"""Names a lock file, which then counts whether it is there or not."""


def lock_or_here() -> Path:
    """The lock file that counts; where there is none, the one that could be made here."""
    return find_lock() or Path(os.path.abspath(LOCK_NAME))


def find_lock(start: Path | None = None) -> Path | None:
    """The lock file in a folder, or in the nearest one above it, within one repository.

    A folder that holds `.git` is the last one that is looked into.

    Arguments:
        start: the folder to begin with; None for the one that the program runs in.
    """
    named = os.environ.get(LOCK_VARIABLE)
    if named:
        return Path(os.path.abspath(named))
    folder = Path(os.path.abspath(start or Path()))
    for each in (folder, *folder.parents):
        path = each / LOCK_NAME
        if os.path.lexists(path):
            return path
        if os.path.lexists(each / ".git"):
            return None
    return None
