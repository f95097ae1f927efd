"""Validates one field after the other, and prints how much memory that took at most.

Run as a process of its own: `python measured_child.py WARM-UP`. For each folder that is named in a
line of its input it prints one line: the number of bytes above what the process held before the
first, and the ids that were found.
"""

from __future__ import annotations

import sys
from pathlib import Path

from memoryfield_readers import inspect_field
from memoryfield_validator import validate
from memoryfield_validator.reports import render_json

_STATUS = Path("/proc/self/status")


def main(warm_up: str) -> None:
    """Validate a small field, and then, measured, the others."""
    _validate(warm_up)  # what is imported on first use
    rest = _kibibytes("VmRSS")
    for line in sys.stdin:
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        found = _validate(line.rstrip("\n"))
        print((_kibibytes("VmHWM") - rest) * 1024, *sorted(found), flush=True)


def _validate(folder: str) -> set[str]:
    with inspect_field(folder) as field:
        report = validate(field)
    render_json([report])
    return {finding.rule for finding in report.findings}


def _kibibytes(what: str) -> int:
    [line] = [each for each in _STATUS.read_text().splitlines() if each.startswith(what + ":")]
    return int(line.split()[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
