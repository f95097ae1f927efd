"""What was locked, as a person reviewed it: kept beside the cache, to be compared with later.

A source that has moved on may have nothing of it any more, and then an update could show no lines.
No reader is ever given this copy: fields are read from where they are, or as they were fetched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cache import Cache
from ..field import Field
from ..limits import Limits
from ..lock import LockedField, LockFile
from ..source import Source
from ..transfer.progress import Watch
from .opening import locked_source

_MOST_BYTES = 256 * 1024 * 1024


def reviewed_copies() -> Cache:
    """Where the copies are, which is a cache of its own."""
    return Cache(Cache.default().path / "reviewed", most=_MOST_BYTES)


def keep_reviewed(field: Field) -> None:
    """Keep a copy of a field that is open, and about to be locked as it is."""
    copies = reviewed_copies()
    for name in (*field.pages, *field.attachments, *field.indexes):
        if copies.put(field.chunks(name)) is None:
            return  # it cannot be written: the next review shows less


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
