"""Which lock file counts: the nearest one upward from where the command runs."""

from __future__ import annotations

import os
from pathlib import Path

from ..system_errors import error_of
from .values import LOCK_NAME

LOCK_VARIABLE = "MEMORYFIELD_LOCK"
"""Names a lock file, which then counts whether it is there or not."""


def lock_or_here() -> Path:
    """The lock file that counts; where there is none, the one that could be made here.

    Raises:
        NotFound: the folder that the program runs in is gone.
    """
    try:
        return find_lock() or Path(os.path.abspath(LOCK_NAME))
    except OSError as error:
        raise error_of(error, location=LOCK_NAME) from error


def find_lock(start: Path | None = None) -> Path | None:
    """The lock file in a folder, or in the nearest one above it, within one repository.

    A folder that holds `.git` is the last one that is looked into.

    Arguments:
        start: the folder to begin with; None for the one that the program runs in.
    """
    named = os.environ.get(LOCK_VARIABLE)
    try:
        folder = Path(os.path.abspath(named or start or Path()))
    except OSError:  # the folder that the program runs in is gone
        return None
    if named:
        return folder
    for each in (folder, *folder.parents):
        path = each / LOCK_NAME
        if os.path.lexists(path):
            return path
        if os.path.lexists(each / ".git"):
            return None
    return None
