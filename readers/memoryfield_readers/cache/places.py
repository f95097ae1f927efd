"""Where the cache is and how much it may hold, if nobody says: what the environment says."""

from __future__ import annotations

import os
from pathlib import Path

from ..homes import place_at_home
from .sizes import parse_size

DIR_VARIABLE = "MEMORYFIELD_CACHE_DIR"
SIZE_VARIABLE = "MEMORYFIELD_CACHE_SIZE"
DEFAULT_BYTES = 2 * 1024**3


def default_place() -> tuple[Path, str | None]:
    """The folder of the cache, and why nothing should be made there; None if all is well."""
    from platformdirs import user_cache_path

    return place_at_home(DIR_VARIABLE, lambda: user_cache_path("memoryfield", appauthor=False))


def default_size() -> int:
    """How many bytes the cache may hold.

    Raises:
        UnknownLimit: the environment says something that is no size.
    """
    said = os.environ.get(SIZE_VARIABLE)
    return parse_size(said, SIZE_VARIABLE) if said else DEFAULT_BYTES
