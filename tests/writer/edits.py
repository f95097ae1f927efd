"""What tests of edits have in common: pages without a fault, and a field that is a plain dict."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime

from memoryfield_readers import DEFAULT_LIMITS, Limits, memory_field
from memoryfield_writer.batch import Batch, Operation
from memoryfield_writer.plan import Plan
from memoryfield_writer.planning import (
    Planned,
    allowed_ids,
    batch_of,
    manifest_before,
    plan_of,
    scan,
    steps_of,
)

LOCATION = "memory-field"


def page(
    title: str, body: str = "All of it from https://example.org/woks.\n", uuid: int = 0
) -> str:
    """A page in which nothing is found; `uuid` is the end of its own one, 0 for its title's."""
    end = uuid or int(hashlib.sha256(title.encode()).hexdigest()[:12], 16)
    return (
        f'---\ntitle: "{title}"\nuuid: 7d3b9b1e-5d5a-4c57-9a3c-{end:012x}\n'
        'created: "2026-03-01T09:00:00Z"\nupdated: "2026-03-01T09:00:00Z"\n---\n'
        f"# {title}\n\n{body}"
    )


def sha256(content: str | bytes) -> str:
    """The SHA-256 of a text or of bytes, in hexadecimal."""
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()


def in_bytes(files: Mapping[str, str | bytes]) -> dict[str, bytes]:
    """Files with their bytes, where texts may be given."""
    return {
        name: content.encode() if isinstance(content, str) else content
        for name, content in files.items()
    }


def planned(
    files: Mapping[str, str | bytes],
    *operations: Operation,
    limits: Limits = DEFAULT_LIMITS,
    allow: Iterable[str] = (),
    stamp: datetime | None = None,
) -> Planned:
    """What operations make of a field in memory."""
    allowed = allowed_ids(allow)
    steps = steps_of(batch_of(Batch(operations)), LOCATION, limits)
    scan(steps, allowed)
    with memory_field(in_bytes(files), location=LOCATION) as field:
        before = manifest_before(field)
        return plan_of(steps, field, before, limits=limits, allowed=allowed, stamp=stamp)


def carried_out(files: Mapping[str, str | bytes], plan: Plan) -> dict[str, bytes]:
    """The files after a plan, as a target carries it out: removes first, then puts."""
    after = in_bytes(files)
    for path in plan.removes:
        del after[path]
    after.update((path, put.content) for path, put in plan.puts.items())
    return after


def edited(
    files: Mapping[str, str | bytes], *operations: Operation, **how: object
) -> dict[str, bytes]:
    """The files after operations; the manifest of the plan is that of these files."""
    plan = planned(files, *operations, **how).plan  # type: ignore[arg-type]
    after = carried_out(files, plan)
    with memory_field(after) as field:
        assert field.manifest() == plan.manifest
    return after
