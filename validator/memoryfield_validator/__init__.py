"""From a `Field` to findings: one small rule a requirement, and reports.

from memoryfield_readers import inspect_field
from memoryfield_validator import validate

with inspect_field("handbook.memoryfield.zip") as field:
    report = validate(field)
print(report.verdict, report.digest)
"""

from __future__ import annotations

from .checked import STDIN, Checked, checked
from .checking import Request, check, check_field, unused_ignores
from .excerpts import Excerpt
from .finding import LEVELS, Finding, Report
from .fixing import Fixed, fix
from .many import check_all, expand
from .registry import REVIEW, NotChecked, matching, registered, rule_set
from .settings import Ignore, Settings, SettingsError, find_settings, read_settings
from .validation import Profile, Progress, validate

__all__ = [
    "LEVELS",
    "REVIEW",
    "STDIN",
    "Checked",
    "Excerpt",
    "Finding",
    "Fixed",
    "Ignore",
    "NotChecked",
    "Profile",
    "Progress",
    "Report",
    "Request",
    "Settings",
    "SettingsError",
    "check",
    "check_all",
    "check_field",
    "checked",
    "expand",
    "find_settings",
    "fix",
    "matching",
    "read_settings",
    "registered",
    "rule_set",
    "unused_ignores",
    "validate",
]
