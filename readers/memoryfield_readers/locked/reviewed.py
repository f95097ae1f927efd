"""What was locked, as a person reviewed it: kept beside the cache, to be compared with later.

A source that has moved on may have nothing of it any more, and then an update could show no lines.
No reader is ever given this copy: fields are read from where they are, or as they were fetched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cache import Cache, size_text
from ..cache.store import GOING_ON
from ..field import Field
from ..limits import Limits
from ..lock import LockedField, LockFile
from ..source import Source
from ..transfer.progress import Watch
from .keeping import keep_files
from .opening import locked_source

_MOST_BYTES = 256 * 1024 * 1024
_SHARE = 8
"""One in so many of the bytes that the cache may hold are for the copies."""


def reviewed_copies() -> Cache:
    """Where the copies are, which is a cache of its own; the size of the other bounds it.

    Raises:
        UnknownLimit: the environment says a size for that which is none.
    """
    cache = Cache.default()
    copies = Cache(cache.path / "reviewed", most=share_of(cache.most))
    copies.problem = cache.problem
    return copies


def share_of(most: int | None) -> int:
    """How many bytes of copies there may be, by what the cache may hold."""
    return _MOST_BYTES if most is None else min(most // _SHARE, _MOST_BYTES)


def keep_reviewed(field: Field) -> str | None:
    """Keep a copy of a field that is open, has been read, and is about to be locked as it is.

    Returns:
        Why there is none, so that the next review shows less; None if there is.
    """
    copies = reviewed_copies()
    names = (*field.pages, *field.attachments, *field.indexes)
    size = sum(field.entry(name).size for name in names)
    most = copies.most
    if most is not None and size > most:
        return f"it has {size_text(size)}, and {size_text(most)} may be kept"
    copies.let_go()  # of what this process has kept before: all of it together has a bound, too
    if keep_files(field, copies):
        return None
    return next(iter(copies.notes), "it cannot be written").removesuffix(GOING_ON)


def locked_version(
    lock: LockFile,
    locked: LockedField,
    *,
    limits: Limits,
    storage_options: Mapping[str, Any] | None,
    watch: Watch,
) -> Source:
    """The source of a field as it was locked: from the copy, the cache, or where it still is.

    Raises:
        MemoryfieldError: it cannot be opened any more; as `locked_source` raises.
    """
    copies = reviewed_copies()
    hashes = (*locked.manifest.hashes.values(), *locked.indexes.values())
    is_kept = all(map(copies.has, hashes))
    return locked_source(
        lock,
        locked,
        limits=limits,
        storage_options=storage_options,
        cache=copies if is_kept else Cache.default(),
        offline=False,
        watch=watch,
        whole=False,
    )
