"""What needs no worker: locations that stand for no field, and results that still hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from memoryfield_readers import local_path

from ..values import Job, Refused, Row, Target
from ..working.answers import error_facts

Found: TypeAlias = Target | Refused

Known: TypeAlias = Callable[[Target], str | None]
"""The version of a field of which there is a good result already; None if there is none."""


def no_known(target: Target) -> None:
    """Nothing is known of any field."""
    return


def settled(found: Found, job: Job, known: Known) -> Row | None:
    """The row where nothing has to be done; None where a worker has to look.

    Arguments:
        found: a field, or why there is none.
        job: what is done to each.
        known: what is known already.
    """
    if isinstance(found, Refused):
        facts = error_facts(found.error)
        return Row(job.kind, found.location, None, "failed", attempts=0, error=facts)
    version = known(found)
    if version is None or found.version != version:
        return None
    return Row(job.kind, found.location, version, "same", attempts=0)


def of_worker(row: Row) -> Row:
    """The row of a field that another machine looked for; it says where a path leads to nothing."""
    error = row.error
    if error is None or error["kind"] != "NotFound" or local_path(row.location) is None:
        return row
    return replace(row, error={**error, "message": f"{error['message']} on the worker"})
