"""From a `Field` to findings: one small rule a requirement, and reports.

from memoryfield_readers import inspect_field
from memoryfield_validator import validate

with inspect_field("handbook.memoryfield.zip") as field:
    report = validate(field)
print(report.verdict, report.digest)
"""

from __future__ import annotations

from .checked import Checked, checked
from .excerpts import Excerpt
from .finding import LEVELS, Finding, Report
from .registry import NotChecked, matching, registered, rule_set
from .validation import Profile, Progress, validate

__all__ = [
    "LEVELS",
    "Checked",
    "Excerpt",
    "Finding",
    "NotChecked",
    "Profile",
    "Progress",
    "Report",
    "checked",
    "matching",
    "registered",
    "rule_set",
    "validate",
]
