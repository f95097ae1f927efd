"""A run as JSON."""

from __future__ import annotations

import json
from typing import Any

from ..running import Outcome
from .summary import Run


def render_json(run: Run) -> str:
    """The run as one object, in pure ASCII; its shape is in conformance-fixtures/README.md."""
    answer = {
        "version": 1,
        "implementation": {"name": run.name, "release": run.release, "profile": run.profile},
        "cases": run.cases,
        "results": [_result(outcome) for outcome in run.outcomes],
        "summary": run.summary,
    }
    return json.dumps(answer, indent=2, allow_nan=False, default=repr)


def _result(outcome: Outcome) -> dict[str, Any]:
    case = outcome.case
    return {
        "case": case.id,
        "kind": case.kind,
        "title": case.title,
        "requirements": list(case.requirements),
        "source": outcome.source,
        "result": outcome.result,
        "known": outcome.known,
        "reason": outcome.reason,
        "differences": [
            {"key": one.key, "expected": one.expected, "answered": one.answered}
            for one in outcome.differences
        ],
        "expected": outcome.expected,
        "answered": outcome.answered,
    }
