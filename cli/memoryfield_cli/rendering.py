"""Reports as text, for the place where they are read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .destinations import append
from .output import on_github, warn

if TYPE_CHECKING:
    from memoryfield_validator import Checked, Settings

    from .text_output import Wording

_NO_REPORT = '{"version": 1, "reports": []}\n'


def rendered(
    form: str,
    outcomes: Sequence[Checked],
    settings: Settings,
    *,
    several: bool,
    wording: Wording,
) -> str:
    """One report as text, with a line feed at its end unless it is empty."""
    if form == "text":
        from .text_output import text_report

        return text_report(outcomes, wording, settings.source)
    from memoryfield_validator import reports

    if form == "json":
        found = [each.report for each in outcomes if each.report is not None]
        return reports.render_json(found, several=several) + "\n" if found else ""
    if form == "jsonl":
        return reports.render_jsonl(outcomes)
    base = _workspace()
    outcomes = _from_anywhere(outcomes) if base is not None else outcomes
    if form == "sarif":
        return reports.render_sarif(outcomes, base=base)
    if form == "junit":
        return reports.render_junit(outcomes, fail_on=settings.fail_on, base=base)
    return reports.render_github(outcomes, base=base)


def for_file(form: str, text: str) -> str:
    """A report as it stands in a file: also where nothing could be read, JSON is JSON."""
    return _NO_REPORT if form == "json" and not text else text


def for_stdout(form: str, text: str) -> str:
    """A report as it is printed: GitHub Actions sees no command in it, a reader no difference."""
    if not on_github() or "##[" not in text:
        return text
    return text.replace("##[", "#&#35;[" if form == "junit" else "#\\u0023[")


def add_step_summary(outcomes: Sequence[Checked]) -> None:
    """In a step of GitHub Actions, add to the summary that people see first."""
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if not summary or not on_github():
        return
    from memoryfield_validator.reports import render_markdown

    try:
        append(Path(summary), "\n" + render_markdown(outcomes))
    except OSError as error:
        warn(f"the step summary cannot be written: {error.strerror or error}")


def _workspace() -> str | None:
    """The root of the repository in a step of GitHub Actions: there paths are told from it."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    return os.path.realpath(workspace) if workspace and on_github() else None


def _from_anywhere(outcomes: Sequence[Checked]) -> Sequence[Checked]:
    """The outcomes with locations that do not depend on the folder in which the command runs."""
    return [_located(each, os.path.realpath(each.location)) for each in outcomes]


def _located(outcome: Checked, path: str) -> Checked:
    if not os.path.exists(path):  # a URL, or what could not be had
        return outcome
    report = outcome.report and replace(outcome.report, location=path)
    return replace(outcome, location=path, report=report)
