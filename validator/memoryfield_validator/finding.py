"""What a validation says: findings and the report that gathers them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

from memoryfield_readers import MemoryfieldError, as_unicode
from memoryfield_spec import Level

LEVELS: tuple[Level, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a field breaks one requirement.

    Attributes:
        rule: the id of the requirement, such as "MF304".
        level: "error", "warning" or "info".
        file: the file at fault as the source names it; None for the field as a whole.
        line: from 1; None where the finding has no place within the file.
        column: from 1, in code points; None as with `line`.
        message: what is wrong and what was seen, in one line.
        hint: what to do about it; None if there is nothing to add.
        fixable: whether there is one right answer that a program can write.
    """

    rule: str
    level: Level
    file: str | None
    line: int | None
    column: int | None
    message: str
    hint: str | None = None
    fixable: bool = False

    def order(self) -> tuple[object, ...]:
        """A key that sorts findings by file, place and rule; the field as a whole comes first."""
        return (
            self.file is not None,
            (self.file or "").encode("utf-8", "surrogateescape"),
            self.line or 0,
            self.column or 0,
            self.rule,
            self.message,
        )

    def to_json(self) -> dict[str, Any]:
        """The finding as it stands in a JSON report."""
        return {
            "rule": self.rule,
            "level": self.level,
            "file": None if self.file is None else as_unicode(self.file),
            "line": self.line,
            "column": self.column,
            "message": self.message,
            "hint": self.hint,
            "fixable": self.fixable,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one validation found.

    Attributes:
        location: the location of the field, as it was given.
        digest: the field pin; None where the field has none.
        pages: how many pages a reader sees.
        findings: in the order of `Finding.order`.
        unread: why something could not be read, or a sub-directory not be listed; also a fault that
            stood in the way and is no finding, since its rule was not asked for.
    """

    location: str
    digest: str | None
    pages: int
    findings: tuple[Finding, ...]
    unread: tuple[MemoryfieldError, ...] = ()

    @property
    def verdict(self) -> Literal["valid", "invalid"]:
        """Valid means: no finding at level error."""
        return "invalid" if self.summary["error"] else "valid"

    @property
    def summary(self) -> dict[Level, int]:
        """How many findings there are at each level."""
        counts = Counter(finding.level for finding in self.findings)
        return {level: counts[level] for level in LEVELS}

    def has(self, at_least: Level) -> bool:
        """Whether there is a finding at this level or a graver one."""
        graver = LEVELS[: LEVELS.index(at_least) + 1]
        return any(finding.level in graver for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """The report as `report.schema.json` describes it."""
        return {
            "version": 1,
            "location": as_unicode(self.location),
            "verdict": self.verdict,
            "digest": self.digest,
            "pages": self.pages,
            "findings": [finding.to_json() for finding in self.findings],
            "summary": self.summary,
        }
