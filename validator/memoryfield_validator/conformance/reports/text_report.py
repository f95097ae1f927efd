"""A run as text: what went wrong, then the counts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from memoryfield_readers import visible

from ..running import Outcome
from .summary import Run, told


def render_text(run: Run) -> str:
    """The failures with what differs, the reasons for skipping, and the counts."""
    lines = list(_failures(run))
    for reason, count in run.skipped().items():
        lines.append(f"skipped {count} {_cases(count)}: {reason}")
    inputs = len(run.outcomes)
    asked = f"{run.cases} {_cases(run.cases)}, {inputs} {'input' if inputs == 1 else 'inputs'}"
    counts = ", ".join(f"{count} {result}" for result, count in run.summary.items())
    lines.append(f"{run.title}, profile {run.profile}: {asked}: {counts}")
    return "\n".join(map(visible, lines))


def _failures(run: Run) -> Iterator[str]:
    """What went wrong; where it is the same from several sources, it is told once."""
    wrong = [outcome for outcome in run.outcomes if outcome.result in ("fail", "errored")]
    for _, group in groupby(wrong, key=_what):
        outcomes = list(group)
        first = outcomes[0]
        case = first.case
        known = " (known)" if first.known else ""
        sources = ", ".join(outcome.source for outcome in outcomes)
        yield f"{first.result}{known} {case.id} from {sources}"
        yield f"     {case.title}. {case.why}"
        yield f"     cases/{case.group}/{case.id}.toml, {', '.join(case.requirements) or 'digests'}"
        if first.reason:
            yield f"     {first.reason}"
        for difference in first.differences:
            yield from (f"     {line}" for line in told(difference))


def _what(outcome: Outcome) -> tuple[object, ...]:
    lines = [line for difference in outcome.differences for line in told(difference)]
    return outcome.case.id, outcome.result, outcome.known, outcome.reason, lines


def _cases(count: int) -> str:
    return "case" if count == 1 else "cases"
