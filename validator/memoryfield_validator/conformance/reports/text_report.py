"""A run as text: what went wrong, then the counts."""

from __future__ import annotations

from memoryfield_readers import visible

from .summary import Run, told


def render_text(run: Run) -> str:
    """The failures with what differs, the reasons for skipping, and the counts."""
    lines = []
    for outcome in run.outcomes:
        if outcome.result in ("pass", "skipped"):
            continue
        known = " (known)" if outcome.known else ""
        lines.append(f"{outcome.result}{known} {outcome.case.id} from {outcome.source}")
        lines.append(f"     {outcome.case.title}. {outcome.case.why}")
        if outcome.reason:
            lines.append(f"     {outcome.reason}")
        for difference in outcome.differences:
            lines += [f"     {line}" for line in told(difference)]
    for reason, count in run.skipped().items():
        lines.append(f"skipped {count} {_cases(count)}: {reason}")
    total = f"{run.cases} {_cases(run.cases)}"
    counts = ", ".join(f"{count} {result}" for result, count in run.summary.items())
    lines.append(f"{run.name} {run.release}, profile {run.profile}: {total}, {counts}")
    return "\n".join(map(visible, lines))


def _cases(count: int) -> str:
    return "case" if count == 1 else "cases"
