"""What came of a run: kept a line each, known again by the next run, and summed up.

with open_results(Path("checked"), job) as results:
    recording = Recording(job, results)
    targets = recording.meant(targets)
    for row in run_fleet(targets, job, recording.known, cluster):
        recording.add(row)
    recording.end()
    recording.write()
"""

from __future__ import annotations

from .folder import OTHERS, RESULTS, Results, open_results
from .keys import fingerprint, key_of
from .lines import Kept, NoRow, line_of, read_line, row_facts
from .page import page_of
from .products import REPORT, TOTALS
from .recording import Recording
from .totals import Totals

__all__ = [
    "OTHERS",
    "REPORT",
    "RESULTS",
    "TOTALS",
    "Kept",
    "NoRow",
    "Recording",
    "Results",
    "Totals",
    "fingerprint",
    "key_of",
    "line_of",
    "open_results",
    "page_of",
    "read_line",
    "row_facts",
]
