"""What came of all fields together, counted as the results come; it takes as much memory for ten
fields as for a million.

Where only some fields are told of, it does not depend on the order in which they came which.
"""

from __future__ import annotations

import heapq
import re
from bisect import insort
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memoryfield_readers import as_unicode
from memoryfield_spec import Level, catalogue

from ..values import Kind, Row
from .lines import is_count

VERSION = 1
"""The version of the form of totals."""

MOST_TOLD = 20
"""So many fields are told of as the slowest, the largest and the worst."""

MOST_FAILURES = 100
"""So many fields that failed are told of; the results have them all."""

_MILDER_CODES = (1, 3)
"""What fails in any other way could not be had."""

_MOST_KINDS = 50
_OTHER_KIND = "other"
_MOST_TEXT = 500
_RULE = re.compile(r"MF[1-9][0-9]{2}")
_LEVELS: tuple[Level, ...] = ("error", "warning", "info")
_JUDGING = ("validate", "audit")
_OF_INDEXES = ("embedded", "cached", "reused")


class _Failure(NamedTuple):
    location: str
    kind: str
    message: str
    hint: str
    attempts: int


class Totals:
    """Counts of what came of fields."""

    def __init__(self, job: Kind, *, fail_on: Level = "error") -> None:
        """Begin with none.

        Arguments:
            job: what is done to each.
            fail_on: the mildest level of a finding that makes the exit code 1.
        """
        self.job = job
        self.done = 0
        self.failed = 0
        self.reused = 0
        self._fail_on = fail_on
        self._found = False
        self._failed_with = 0
        self._verdicts: Counter[str] = Counter()
        self._levels: Counter[str] = Counter()
        self._rules: Counter[str] = Counter()
        self._fields_of: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        self._built: Counter[str] = Counter()
        self._pages = 0
        self._bytes = 0
        self._slowest = _Greatest()
        self._largest = _Greatest()
        self._worst = _Greatest()
        self._failures: list[_Failure] = []

    @property
    def exit_code(self) -> int:
        """That of the worst that came: 4 for what could not be had; 3 where something did not
        match a pin or was unsafe; 1 for a finding, or a field without a page; else 0."""
        return max(self._failed_with, int(self._found))

    def add(self, row: Row, *, reused: bool = False) -> None:
        """Count a field.

        Arguments:
            row: what came of it; what it says of itself may be anything.
            reused: whether it was known before.
        """
        location = _short(row.location)
        if row.seconds > 0:
            self._slowest.add((row.seconds,), location)
        if row.state == "failed":
            self._add_failure(row, location)
            return
        self.done += 1
        self.reused += reused
        self._pages += row.pages or 0
        self._bytes += row.size or 0
        if row.size is not None:
            self._largest.add((row.size, row.pages or 0), location)
        result = row.result or {}
        if self.job in _JUDGING:
            self._add_report(result, location)
        elif self.job == "index":
            self._add_index(result)

    def facts(self) -> dict[str, Any]:
        """All of it, as JSON carries it: schema "fleet-totals", but for what is of the run."""
        judging = self.job in _JUDGING
        return {
            "version": VERSION,
            "job": self.job,
            "fields": {
                "all": self.done + self.failed,
                "done": self.done,
                "failed": self.failed,
                "reused": self.reused,
            },
            "verdicts": {name: self._verdicts[name] for name in ("valid", "invalid")}
            if judging
            else None,
            "findings": {level: self._levels[level] for level in _LEVELS} if judging else None,
            "rules": [
                {
                    "rule": rule,
                    "level": _level_of(rule),
                    "findings": count,
                    "fields": self._fields_of[rule],
                }
                for rule, count in sorted(self._rules.items(), key=lambda item: (-item[1], item[0]))
            ],
            "index": {name: self._built[name] for name in (*_OF_INDEXES, "failed")}
            if self.job == "index"
            else None,
            "pages": self._pages,
            "bytes": self._bytes,
            "slowest": [
                {"location": location, "seconds": round(seconds, 3)}
                for (seconds,), location in self._slowest
            ],
            "largest": [
                {"location": location, "bytes": size, "pages": pages}
                for (size, pages), location in self._largest
            ],
            "worst": [
                {"location": location, "error": errors, "warning": warnings, "info": notes}
                for (errors, warnings, notes), location in self._worst
            ],
            "failures": {
                "kinds": [
                    {"kind": kind, "fields": count}
                    for kind, count in sorted(
                        self._kinds.items(), key=lambda item: (-item[1], item[0])
                    )
                ],
                "fields": [
                    {**failure._asdict(), "hint": failure.hint or None}
                    for failure in self._failures
                ],
            },
        }

    def _add_failure(self, row: Row, location: str) -> None:
        self.failed += 1
        error = row.error or {}
        code = error.get("exit_code")
        self._failed_with = max(self._failed_with, code if code in _MILDER_CODES else 4)
        kind, message, hint = (
            _short(value) if isinstance(value := error.get(name), str) else ""
            for name in ("kind", "message", "hint")
        )
        if kind not in self._kinds and len(self._kinds) >= _MOST_KINDS:
            self._kinds[_OTHER_KIND] += 1
        else:
            self._kinds[kind or _OTHER_KIND] += 1
        insort(self._failures, _Failure(location, kind, message, hint, row.attempts))
        del self._failures[MOST_FAILURES:]

    def _add_report(self, result: Mapping[str, Any], location: str) -> None:
        summary = _mapping(result.get("summary"))
        counts = {level: _count(summary.get(level)) for level in _LEVELS}
        self._levels.update(counts)
        self._verdicts["invalid" if counts["error"] else "valid"] += 1
        graver = _LEVELS[: _LEVELS.index(self._fail_on) + 1]
        self._found = self._found or any(counts[level] for level in graver)
        if any(counts.values()):
            self._worst.add(tuple(counts.values()), location)
        rules = Counter(_rules(result))
        for rule, left_out in _mapping(_mapping(result.get("left_out")).get("rules")).items():
            if _RULE.fullmatch(rule):
                rules[rule] += _count(left_out)
        rules = +rules
        self._rules.update(rules)
        self._fields_of.update(rules.keys())

    def _add_index(self, result: Mapping[str, Any]) -> None:
        for name in _OF_INDEXES:
            self._built[name] += _count(result.get(name))
        failed = result.get("failed")
        count = len(failed) if isinstance(failed, list) else 0
        count += _count(_mapping(result.get("left_out")).get("failed"))
        self._built["failed"] += count
        self._found = self._found or count > 0


class _Greatest:
    """The greatest of many, the greatest first; of two that are alike, the first by its name."""

    def __init__(self) -> None:
        self._kept: list[tuple[tuple[Any, ...], _Reversed]] = []

    def add(self, amount: tuple[Any, ...], location: str) -> None:
        item = (amount, _Reversed(location))
        if len(self._kept) < MOST_TOLD:
            heapq.heappush(self._kept, item)
        else:
            heapq.heappushpop(self._kept, item)

    def __iter__(self) -> Iterator[tuple[tuple[Any, ...], str]]:
        for amount, location in sorted(self._kept, reverse=True):
            yield amount, location.text


class _Reversed:
    """A text that comes before the texts that it comes after."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reversed) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __lt__(self, other: _Reversed) -> bool:
        return self.text > other.text


def _rules(result: Mapping[str, Any]) -> Iterator[str]:
    """The rule of each finding that stands in a report."""
    findings = result.get("findings")
    for finding in findings if isinstance(findings, list) else ():
        rule = _mapping(finding).get("rule")
        if isinstance(rule, str) and _RULE.fullmatch(rule):
            yield rule


def _level_of(rule: str) -> Level | None:
    requirement = catalogue().get(rule)
    return None if requirement is None else requirement.level


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int:
    return value if is_count(value) else 0


def _short(text: str) -> str:
    text = as_unicode(text)
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"
