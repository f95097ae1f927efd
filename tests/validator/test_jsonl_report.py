"""The report as JSON lines: the findings of the JSON report, one a line."""

from __future__ import annotations

import json

from hypothesis import given, settings
from tests.validator.reporting import (
    CITED,
    DATED,
    EMPTY,
    LINK,
    findings_of,
    many,
    outcome,
    outcomes,
    unreadable,
)

from memoryfield_readers import as_unicode
from memoryfield_validator import Checked
from memoryfield_validator.reports import render_jsonl


def test_a_line_a_finding() -> None:
    """A line is the finding as the JSON report has it, with its location first."""
    text = render_jsonl([outcome(DATED, CITED), outcome(EMPTY, location="other")])
    assert text == (
        '{"location": "notes", "rule": "MF304", "level": "error", "file": "a.md", "line": 3, '
        '"column": 10, "message": "`created` is a date", "hint": "Quote the value.", '
        '"fixable": true}\n'
        '{"location": "notes", "rule": "MF205", "level": "info", "file": "b.md", "line": null, '
        '"column": null, "message": "no source is cited", "hint": "Name a source.", '
        '"fixable": false}\n'
        '{"location": "other", "rule": "MF101", "level": "error", "file": null, "line": null, '
        '"column": null, "message": "there is no page", "hint": null, "fixable": false}\n'
    )


def test_no_line_without_a_finding() -> None:
    """A clean field has no line, nor has one that could not be read; there is no empty line."""
    assert render_jsonl([]) == render_jsonl([outcome(), unreadable()]) == ""
    assert render_jsonl([outcome(), outcome(LINK), outcome()]).count("\n") == 1


@settings(max_examples=50, deadline=None)
@given(outcomes())
def test_lines_read_back(made: list[Checked]) -> None:
    """Whatever a field holds, each line is pure ASCII and gives the finding back, in order."""
    text = render_jsonl(made)
    assert text.isascii()
    assert text == "" or text.endswith("\n")
    read = [json.loads(line) for line in text.splitlines()]
    assert read == [
        {"location": as_unicode(one.location)} | finding.to_json()
        for one, finding in findings_of(made)
    ]
    assert all(next(iter(line)) == "location" for line in read)


def test_many_findings() -> None:
    """Every finding of a large report has its line."""
    assert render_jsonl([many(20_000)]).count("\n") == 20_000
