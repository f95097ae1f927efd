"""One finding a line, as JSON: for `jq`, `grep` and whatever reads a stream."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memoryfield_readers import as_unicode

from ..checked import Checked
from .results import results_of


def render_jsonl(checked: Sequence[Checked]) -> str:
    """A line of pure ASCII for each finding: the object of the JSON report, `location` first.

    A location without findings, or one that could not be read, has no line.
    """
    return "".join(
        json.dumps(
            {"location": as_unicode(result.checked.location), **result.finding.to_json()},
            allow_nan=False,
        )
        + "\n"
        for result in results_of(checked)
    )
