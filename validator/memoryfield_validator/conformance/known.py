"""Failures that are known: they do not count, until the day on which they pass."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from .case import Case
from .errors import NoSuchCase
from .running import Outcome


def read_known_failures(path: Path, cases: Iterable[Case]) -> Mapping[str, str]:
    """The reasons why cases fail, by id, from a TOML file with a table for each.

    Raises:
        NoSuchCase: the file is not of that form, or names a case that the suite does not have.
    """
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise NoSuchCase(f"cannot be read: {error}", location=str(path)) from None
    ids = {case.id for case in cases}
    reasons = {}
    for id, entry in given.items():
        reason = entry.get("reason") if isinstance(entry, dict) else None
        if not isinstance(reason, str) or not reason.strip():
            raise NoSuchCase(f"[{id}] has no reason", location=str(path))
        if id not in ids:
            raise NoSuchCase(f"there is no case {id}", location=str(path))
        reasons[id] = reason
    return reasons


def with_known(
    outcomes: Iterable[Outcome], reasons: Mapping[str, str], *, complete: bool = True
) -> Iterator[Outcome]:
    """The outcomes, in which a known failure does not count and one that passes is an error.

    Arguments:
        outcomes: those of a case stand together.
        reasons: why cases fail, by id.
        complete: whether cases were put by every source: else one may fail by another source, and
            passing is no error.
    """
    for case, group in groupby(outcomes, key=lambda outcome: outcome.case):
        reason = reasons.get(case.id)
        if reason is None:
            yield from group
            continue
        of_case = list(group)
        results = {outcome.result for outcome in of_case}
        passes = complete and results <= {"pass", "skipped"}
        for outcome in of_case:
            if outcome.result in ("fail", "errored"):
                why = (
                    f"{outcome.reason} (known: {reason})" if outcome.reason else f"known: {reason}"
                )
                yield replace(outcome, known=True, reason=why)
            elif passes and outcome.result == "pass":
                yield replace(
                    outcome,
                    result="errored",
                    reason="is listed as a known failure, but passes: take it off the list",
                )
            else:
                yield outcome
