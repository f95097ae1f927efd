"""Results of jobs on many fields, as tests need them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memoryfield_fleet import Job, Row, Target
from memoryfield_fleet.results import fingerprint, line_of

JOB = Job("validate", {"select": ["MF3"]})
MARK = fingerprint(JOB)
PIN = "field-sha256:" + "a" * 64


def report(location: str = "x", /, **rules: int) -> dict[str, Any]:
    """A report in which rules were broken so often; those of MF3 are errors, others notes."""
    findings = [
        {
            "rule": rule,
            "level": "error" if rule.startswith("MF3") else "info",
            "file": "x.md",
            "line": 1,
            "column": None,
            "message": "m",
            "hint": None,
            "fixable": False,
        }
        for rule, count in rules.items()
        for _ in range(count)
    ]
    errors = sum(count for rule, count in rules.items() if rule.startswith("MF3"))
    return {
        "version": 1,
        "location": location,
        "verdict": "invalid" if errors else "valid",
        "digest": PIN,
        "pages": 3,
        "findings": findings,
        "summary": {"error": errors, "warning": 0, "info": len(findings) - errors},
    }


def done(location: str, version: str | None = "v1", **others: Any) -> Row:
    """A field that was checked."""
    given: dict[str, Any] = {"result": report(location), "pages": 3, "size": 100, "seconds": 0.5}
    return Row("validate", location, version, "done", **given | others)


def failed(location: str, kind: str = "NotFound", **others: Any) -> Row:
    """A field that could not be checked."""
    error = {"kind": kind, "message": "is gone", "hint": None, "exit_code": 4}
    return Row("validate", location, None, "failed", **{"error": error} | others)


def same(location: str, version: str = "v1") -> Row:
    """A field of which the older result holds."""
    return Row("validate", location, version, "same", attempts=0)


def facts_of(row: Row, mark: str = MARK) -> dict[str, Any]:
    """A row as it stands in a file, to be spoilt."""
    facts = json.loads(line_of(row, mark)[1])
    assert isinstance(facts, dict)
    return facts


def line(facts: Mapping[str, Any]) -> bytes:
    """A line of a file."""
    return json.dumps(facts).encode() + b"\n"


def target(location: str, version: str | None = "v1") -> Target:
    """A field that is meant."""
    return Target(location, version)
