"""What a batch makes of a field, worked out before anything is written."""

from __future__ import annotations

from .arguments import batch_of, steps_of
from .making import NO_FILES, Planned, manifest_before, plan_of
from .reviewing import allowed_ids, scan

__all__ = [
    "NO_FILES",
    "Planned",
    "allowed_ids",
    "batch_of",
    "manifest_before",
    "plan_of",
    "scan",
    "steps_of",
]
