"""Our own writer, as the conformance runner asks it: the runner's room is below it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from memoryfield_readers import Limits


def edited(
    path: Path,
    batch: str,
    *,
    expect: str | None,
    allow: Sequence[str],
    stamp: datetime | None,
    limits: Limits,
) -> None:
    """Apply a batch to a field in place; see `memoryfield_validator.conformance.Editor`.

    Raises:
        BatchRejected, AmbiguousMatch, WriteConflict: it is not applied.
        MemoryfieldError: something else stands in the way.
    """
    from memoryfield_writer.applying import apply
    from memoryfield_writer.batch import Batch

    apply(path, Batch.from_json(batch), expect, limits=limits, allow=allow, stamp=stamp)
