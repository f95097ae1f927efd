"""What a person sees of a field before its pin in a lock file moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memoryfield_readers import Field, Limits, MemoryfieldError, Watch, unwatched
from memoryfield_readers.lock import LockFile
from memoryfield_readers.lock.renewing import Renewal
from memoryfield_readers.locked import locked_version

from .comparing import Comparison, compare


@dataclass(frozen=True, slots=True)
class LockReview:
    """What differs between what was locked and what stands there now.

    Attributes:
        comparison: page by page; None where the old version cannot be opened any more, so that the
            names of what differs are all there is to see.
        problem: why not; "" where there is nothing in the way.
    """

    comparison: Comparison | None
    problem: str = ""


def review_renewal(
    lock: LockFile,
    renewal: Renewal,
    *,
    limits: Limits,
    storage_options: Mapping[str, Any] | None,
    watch: Watch = unwatched,
) -> LockReview:
    """Compare a field as it is now with what was locked, from wherever that still is.

    A page that cannot be had as it was any more is told by its hash.

    Raises:
        MemoryfieldError: the field as it is now cannot be read.
    """
    before = renewal.before
    try:
        source = locked_version(
            lock, before, limits=limits, storage_options=storage_options, watch=watch
        )
    except MemoryfieldError as error:
        return LockReview(None, str(error))
    known = {**before.manifest.hashes, **before.indexes}
    with Field(source, limits) as old:
        pin = None if before.archive_pin is None else str(before.archive_pin)
        comparison = compare(old, renewal.field, known=known, archive_pin=pin)
    named = replace(comparison.before, location=f"@{before.name}")
    return LockReview(replace(comparison, before=named))
