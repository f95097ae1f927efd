"""Settings applied to a report: what is left out, and what counts as how grave."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import translate
from functools import lru_cache
from typing import NamedTuple

from memoryfield_readers import HARMLESS_FAULTS, MemoryfieldError, SourceUnavailable
from memoryfield_spec import Level

from ..finding import Finding, Report
from ..registry import matching
from .values import Settings

_HIDING = frozenset({"MF105", "MF601", "MF603", "MF604", "MF605", "MF606", "MF607"})
"""Findings of these say that something was not read: left out, they are told as errors."""


class Ignore(NamedTuple):
    """One thing that settings leave out.

    Attributes:
        id: an id or the beginning of one, as it was written.
        files: the pattern of the files it is left out in; None for everywhere.
    """

    id: str
    files: str | None = None


class Applied(NamedTuple):
    """A report as settings want it.

    Attributes:
        report: what is left, at the levels that it has now.
        used: what left out at least one finding.
    """

    report: Report
    used: frozenset[Ignore]


def apply(settings: Settings, report: Report) -> Applied:
    """Leave out what per-file ignores name, and give findings the levels that settings want.

    A finding that says that something was not read cannot be made to vanish: left out as a finding,
    it stands in `Report.unread`, so that nothing passes for checked that was not.
    """
    if not settings.per_file_ignores and not settings.severity:
        return Applied(report, frozenset())
    levels = _levels(settings.severity)
    kept: list[Finding] = []
    unread: list[MemoryfieldError] = list(report.unread)
    used: set[Ignore] = set()
    for finding in report.findings:
        ignores = [*_ignores_of(finding, settings.per_file_ignores)]
        if not ignores:
            level = levels.get(finding.rule, finding.level)
            kept.append(replace(finding, level=level) if level != finding.level else finding)
            continue
        used.update(ignores)
        if finding.rule in _HIDING - HARMLESS_FAULTS:
            unread.append(
                SourceUnavailable(
                    f"was not checked, {finding.rule}: {finding.message}",
                    location=report.location,
                    entry=finding.file,
                )
            )
    return Applied(
        replace(report, findings=tuple(kept), unread=tuple(unread)),
        frozenset(used),
    )


def _levels(severity: Mapping[str, Level]) -> Mapping[str, Level]:
    """The level of each id; of two settings for one, the longer and so more exact one counts."""
    levels: dict[str, Level] = {}
    for pattern in sorted(severity, key=len):
        levels |= dict.fromkeys(matching([pattern]), severity[pattern])
    return levels


def _ignores_of(finding: Finding, per_file: Mapping[str, Iterable[str]]) -> Iterator[Ignore]:
    if finding.file is None:
        return
    for files, ids in per_file.items():
        if _pattern(files).fullmatch(finding.file):
            for id in ids:
                if finding.rule.startswith(id.upper()):
                    yield Ignore(id, files)


@lru_cache(maxsize=256)
def _pattern(files: str) -> re.Pattern[str]:
    """A shell pattern, the same on every system: capitals differ from small letters."""
    return re.compile(translate(files))
