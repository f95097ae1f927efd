"""The JSON report (`report.schema.json`)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..finding import Report


def render_json(reports: Sequence[Report], *, several: bool = False) -> str:
    """The report, or, where several were asked for, a list of them.

    The text is pure ASCII, so that any pipe and any terminal carries it.
    """
    answer = (
        {"version": 1, "reports": [report.to_json() for report in reports]}
        if several
        else reports[0].to_json()
    )
    return json.dumps(answer, indent=2, allow_nan=False)
