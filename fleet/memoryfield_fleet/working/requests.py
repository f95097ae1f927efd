"""Jobs and targets as the texts that travel to workers."""

from __future__ import annotations

import json
from typing import Any, cast

from memoryfield_readers import LocationError
from memoryfield_spec import __version__

from ..values import KINDS, Job, Kind, Target
from .options import check_options

LONGEST_TEXT = 256 * 1024
"""Characters of a job or a target; no location or option that means something has more."""


class OtherVersion(LocationError):
    """The one who asks and the one who is asked are not of one version."""


def job_text(job: Job) -> str:
    """A job as JSON.

    Raises:
        LocationError: its options mean nothing, or must not travel.
    """
    check_options(job)
    facts = {
        "kit": __version__,
        "kind": job.kind,
        "options": dict(job.options),
        "seconds": job.seconds,
        "memory": job.memory,
    }
    return _text(facts)


def target_text(target: Target) -> str:
    """A target as JSON; raises `LocationError` where it is too long."""
    facts = {
        "location": target.location,
        "version": target.version,
        "known": target.known,
        "trusted": target.trusted,
    }
    return _text(facts)


def read_job(text: str) -> Job:
    """The job of a text.

    Raises:
        OtherVersion: who asks is of another version, and would take other answers for the same.
        LocationError: it is no job.
    """
    facts = _facts(text)
    if facts.get("kit") != __version__:
        raise OtherVersion(
            f"the worker has version {__version__} of memoryfield-kit, and not that of the client",
            hint="install the same version on all machines",
        )
    kind, options, seconds = facts.get("kind"), facts.get("options"), facts.get("seconds")
    memory = facts.get("memory")
    if (
        kind not in KINDS
        or not isinstance(options, dict)
        or not _is_number(seconds)
        or not (memory is None or (isinstance(memory, int) and _is_number(memory)))
    ):
        raise LocationError("is no job")
    job = Job(cast("Kind", kind), options, float(cast("float", seconds)), memory)
    check_options(job)
    return job


def read_target(text: str) -> Target:
    """The target of a text; raises `LocationError` where it is none."""
    facts = _facts(text)
    location, version, known = (facts.get(name) for name in ("location", "version", "known"))
    if (
        not isinstance(location, str)
        or not isinstance(version, str | None)
        or not isinstance(known, str | None)
        or not isinstance(facts.get("trusted"), bool)
    ):
        raise LocationError("is no target")
    return Target(location, version, known=known, trusted=facts["trusted"])


def _text(facts: dict[str, Any]) -> str:
    try:
        text = json.dumps(facts, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise LocationError("the options of this job cannot be sent: they are no JSON") from None
    if len(text) > LONGEST_TEXT:
        raise LocationError(f"is too long to be sent: {len(text)} characters")
    return text


def _facts(text: str) -> dict[str, Any]:
    try:
        facts = json.loads(text) if len(text) <= LONGEST_TEXT else None
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise LocationError("what was sent to this worker is none of what it does")
    return facts


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e18
