"""Settings applied to a report: what is left out, and what counts as how grave."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import translate
from functools import lru_cache
from typing import NamedTuple

from memoryfield_readers import MemoryfieldError, SourceUnavailable
from memoryfield_spec import Level

from ..finding import LEVELS, Finding, Report
from ..registry import begins, matching
from .values import Settings

_HIDING = frozenset({"MF105", "MF601", "MF603", "MF604", "MF605", "MF606", "MF607"})
"""Findings of these say that something was not read: played down, they are told as errors."""


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

    A finding that says that something was not read cannot be made to vanish: left out, or made
    milder, it stands in `Report.unread` too, so that nothing passes for checked that was not.
    """
    if not settings.per_file_ignores and not settings.severity:
        return Applied(report, frozenset())
    levels = _levels(settings.severity)
    kept: list[Finding] = []
    unread: list[MemoryfieldError] = list(report.unread)
    used: set[Ignore] = set()
    for finding in report.findings:
        ignores = [*_ignores_of(finding, settings.per_file_ignores)]
        level = levels.get(finding.rule, finding.level)
        if ignores:
            used.update(ignores)
        else:
            kept.append(replace(finding, level=level) if level != finding.level else finding)
        is_played_down = bool(ignores) or LEVELS.index(level) > LEVELS.index(finding.level)
        if is_played_down and finding.rule in _HIDING:
            unread.append(_not_checked(finding, report.location))
    return Applied(
        replace(report, findings=tuple(kept), unread=tuple(unread)),
        frozenset(used),
    )


def _not_checked(finding: Finding, location: str) -> MemoryfieldError:
    message = f"was not checked, {finding.rule}: {finding.message}"
    return SourceUnavailable(message, location=location, entry=finding.file)


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
                if begins(finding.rule, id):
                    yield Ignore(id, files)


@lru_cache(maxsize=256)
def _pattern(files: str) -> re.Pattern[str]:
    """A shell pattern, the same on every system: capitals differ from small letters."""
    return re.compile(translate(files))
