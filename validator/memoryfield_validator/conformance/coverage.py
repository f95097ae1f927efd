"""Whether every requirement has a case that obeys it and one that breaks it, or a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from memoryfield_spec import catalogue

from ..registry import REVIEW
from .case import Case

COVERAGE = "coverage.toml"
Side: TypeAlias = Literal["obeys", "breaks"]
SIDES: tuple[Side, ...] = ("obeys", "breaks")


def covered(cases: Iterable[Case]) -> dict[tuple[str, Side], list[str]]:
    """The ids of the cases that cover each requirement from each side.

    A case about a requirement breaks it if a finding of it is expected, and obeys it if not. What
    readers do (MF9xx) no field can break: there each case shows a reader that obeys. Of what only
    a review looks at (MF8xx), a case shows nothing unless it asks for one.
    """
    found: dict[tuple[str, Side], list[str]] = {}
    for case in cases:
        for id in case.requirements:
            if id.startswith(REVIEW) and not case.audit:
                continue
            side: Side = "breaks" if case.breaks(id) else "obeys"
            found.setdefault((id, side), []).append(case.id)
    return found


def coverage_problems(cases: list[Case], reasons: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is covered by no case and has no reason, and reasons that are not needed.

    Arguments:
        cases: the suite.
        reasons: for each requirement that is not covered, a text for each side.
    """
    found = covered(cases)
    ids = {case.id for case in cases}
    for id in reasons:
        if id not in catalogue():
            yield COVERAGE, f"there is no requirement {id}"
    for id in catalogue():
        given = reasons.get(id, {})
        if not isinstance(given, Mapping):
            yield COVERAGE, f"{id} is no table of reasons"
            continue
        for side in SIDES:
            reason = given.get(side)
            if (id, side) in found and reason is not None:
                yield COVERAGE, f"{id} {side}: there is a reason, and also a case"
            elif (id, side) not in found and not (isinstance(reason, str) and reason.strip()):
                yield id, f"no case {side} it, and coverage.toml has no reason"
        for word in " ".join(map(str, given.values())).replace(",", " ").split():
            name = word.strip(".;:()`")
            if name.startswith("mf") and name not in ids:
                yield COVERAGE, f"{id} names {name}, which is no case"
