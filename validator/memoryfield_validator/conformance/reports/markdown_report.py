"""A run as Markdown, for a page or for the summary of a job."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryfield_readers import visible

from ..running import RESULTS, Outcome
from .summary import Run, told

_MARKUP = re.compile(r"[\\`*_\[\]<>|~&#$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
"""What would begin markup, an entity, a formula, or a link of which only the address stands."""


def render_markdown(run: Run) -> str:
    """A table of counts by group, then what went wrong, then why cases were skipped."""
    return "\n".join(_lines(run))


def _lines(run: Run) -> Iterator[str]:
    yield f"# {_plain(run.title)}"
    yield ""
    cases = "1 case" if run.cases == 1 else f"{run.cases} cases"
    yield f"{cases}, judged by the profile {run.profile}."
    yield ""
    yield "| group | " + " | ".join(RESULTS) + " |"
    yield "| --- |" + " ---: |" * len(RESULTS)
    for group in dict.fromkeys(outcome.case.group for outcome in run.outcomes):
        of_group = [outcome.result for outcome in run.outcomes if outcome.case.group == group]
        yield f"| {_plain(group)} | " + " | ".join(str(of_group.count(r)) for r in RESULTS) + " |"
    yield "| all | " + " | ".join(str(run.summary[result]) for result in RESULTS) + " |"
    wrong = [outcome for outcome in run.outcomes if outcome.result in ("fail", "errored")]
    if wrong:
        yield ""
        yield "| case | source | result | what |"
        yield "| --- | --- | --- | --- |"
        for outcome in wrong:
            known = " (known)" if outcome.known else ""
            yield (
                f"| `{outcome.case.id}` | {outcome.source} | {outcome.result}{known} | "
                f"{_what(outcome)} |"
            )
    if run.skipped():
        yield ""
        yield "| skipped | why |"
        yield "| ---: | --- |"
        for reason, count in run.skipped().items():
            yield f"| {count} | {_plain(reason)} |"


def _what(outcome: Outcome) -> str:
    parts = [outcome.reason] if outcome.reason else []
    parts += [line for difference in outcome.differences for line in told(difference)]
    return "; ".join(map(_plain, parts))


def _plain(text: str) -> str:
    """Text that cannot end its cell or become markup, whatever an adapter said."""
    shown = visible(text)
    return _MARKUP.sub(r"\\\g<0>", shown)
