"""A file as it is to be, whether it is there already or not."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from memoryfield_readers import DEFAULT_LIMITS, BatchRejected, Field, Limits, Watch, unwatched

from .applying import apply
from .batch import Batch
from .naming import added, replaced
from .result import Applied
from .targets.choosing import target_of

_TRIES = 5
"""So often a file may come or go between the look and the write."""


def put(
    location: str, name: str, content: bytes, *, if_sha256: str | None = None, **how: Any
) -> Applied:
    """Add a file, or replace the one of that name.

    Arguments:
        location: the field.
        name: the file's name; one that ends in `.md` is a page.
        content: what it is to hold.
        if_sha256: the SHA-256, in hexadecimal, of the file that is replaced: then none is added.
        how: as `apply` takes it.

    Raises:
        MemoryfieldError: as `apply` does.
    """
    if if_sha256 is not None:
        return apply(location, Batch([replaced(name, content, if_sha256)]), **how)
    for _ in range(_TRIES - 1):
        there = _is_there(location, name, how)
        try:
            return apply(location, _batch(name, content, there), **how)
        except BatchRejected:
            if _is_there(location, name, how) == there:
                raise
    return apply(location, _batch(name, content, _is_there(location, name, how)), **how)


def looked_at(
    location: str,
    *,
    limits: Limits = DEFAULT_LIMITS,
    storage_options: Mapping[str, Any] | None = None,
    watch: Watch = unwatched,
) -> AbstractContextManager[Field]:
    """A field that can be written, as it is now, without a lock: what an edit is made from.

    Raises:
        MemoryfieldError: it cannot be read, or not be written by this program.
    """
    return target_of(location, limits, storage_options, watch).seen()


def _batch(name: str, content: bytes, there: bool) -> Batch:
    return Batch([replaced(name, content) if there else added(name, content)])


def _is_there(location: str, name: str, how: Mapping[str, Any]) -> bool:
    looking = {key: how[key] for key in ("limits", "storage_options", "watch") if key in how}
    with looked_at(location, **looking) as field:
        return name in field.entries
