"""Folders that the environment names, or that lie in the home of a user: no home is ever made."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def place_at_home(variable: str, default: Callable[[], Path]) -> tuple[Path, str | None]:
    """A folder of this program, and why nothing should be made there; None if all is well.

    A home that is not there stays so: who made it would own it, and nobody would look into it.

    Arguments:
        variable: what in the environment names the folder; a `~` in front is a home.
        default: gives the folder where that names none.
    """
    named = os.environ.get(variable)
    path = Path(os.path.expanduser(named)) if named else default()
    home = Path(os.path.expanduser("~"))
    if not named and not path.is_absolute():
        return path, f"no home folder is known; {variable} can name a folder"
    if home in path.parents and not home.is_dir():
        return path, f"the home folder {home} is not there; {variable} can name a folder"
    return path, None
