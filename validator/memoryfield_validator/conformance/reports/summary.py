"""A whole run: who was judged, and what came of each case."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..judging import Difference, comparable_findings, subtracted
from ..running import RESULTS, Outcome, Result

_MOST_LINES = 20
_MOST_VALUE = 300


@dataclass(frozen=True, slots=True)
class Run:
    """A run of the suite.

    Attributes:
        name, release, profile: of the implementation that was judged.
        outcomes: one for each case and source, in the order of the suite.
    """

    name: str
    release: str
    profile: str
    outcomes: tuple[Outcome, ...]

    @property
    def summary(self) -> dict[Result, int]:
        """How many outcomes there are of each kind."""
        counts = Counter(outcome.result for outcome in self.outcomes)
        return {result: counts[result] for result in RESULTS}

    @property
    def title(self) -> str:
        """Name and release, as far as there is one."""
        return f"{self.name} {self.release}".strip()

    @property
    def cases(self) -> int:
        """How many cases were put."""
        return len({outcome.case.id for outcome in self.outcomes})

    @property
    def unexpected(self) -> tuple[Outcome, ...]:
        """The failures and errors that count."""
        return tuple(o for o in self.outcomes if o.result in ("fail", "errored") and not o.known)

    @property
    def is_good(self) -> bool:
        """Whether something was put, and nothing failed that is not known to."""
        return not self.unexpected and any(o.result != "skipped" for o in self.outcomes)

    def skipped(self) -> Mapping[str, int]:
        """How many cases were skipped for each reason."""
        reasons: dict[str, set[str]] = {}
        for outcome in self.outcomes:
            if outcome.result == "skipped":
                reasons.setdefault(outcome.reason or "", set()).add(outcome.case.id)
        return {reason: len(ids) for reason, ids in reasons.items()}


def told(difference: Difference) -> Iterator[str]:
    """What differs, in words: for lists, what is missing and what is too many."""
    expected, answered = difference.expected, difference.answered
    if not difference.given:
        yield f"{difference.key}: expected {brief(expected)}, and the answer has no such key"
        return
    if isinstance(expected, list) and isinstance(answered, list):
        if difference.key == "findings" and all(isinstance(one, Mapping) for one in answered):
            expected, answered = comparable_findings(expected, answered)
        missing, extra = subtracted(expected, answered), subtracted(answered, expected)
        lines = [f"{difference.key}: missing {brief(one)}" for one in missing]
        lines += [f"{difference.key}: not expected {brief(one)}" for one in extra]
        yield from lines[:_MOST_LINES]
        if len(lines) > _MOST_LINES:
            yield f"{difference.key}: and {len(lines) - _MOST_LINES} more"
        if not missing and not extra:
            yield f"{difference.key}: in another order"
        return
    yield f"{difference.key}: expected {brief(expected)}, answered {brief(answered)}"


def brief(value: Any) -> str:
    """A value as JSON of bounded length, in pure ASCII; a finding as one reads it."""
    if isinstance(value, Mapping) and "rule" in value:
        place = [value.get("file"), value.get("line"), value.get("column")]
        where = ":".join(_word(part) for part in place if part is not None)
        what = [_word(part) for part in (value["rule"], value.get("level")) if part is not None]
        text = " ".join([*what, where] if where else what)
    else:
        text = json.dumps(value, default=repr)
    return text if len(text) <= _MOST_VALUE else f"{text[: _MOST_VALUE - 3]}..."


def _word(value: Any) -> str:
    text = json.dumps(value, default=repr)
    return text[1:-1] if isinstance(value, str) else text
