"""The form of a case: a field, the rule it is about, and every finding that it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tests.validator.fields import NAME, Files, validated, write_files

from memoryfield_readers import DEFAULT_LIMITS, Limits
from memoryfield_spec import Level, requirement
from memoryfield_validator import Finding, Report

Place: TypeAlias = tuple[str, Level, str | None, int | None, int | None]

PAGE = "a.md"


class Found(NamedTuple):
    """A finding that is expected.

    Attributes:
        rule, level, file, line, column: exactly these.
        says: parts of the message: what is wrong, and what was seen.
        hint: a part of the hint; None for the one of the catalogue.
        fixable: whether one answer is right.
    """

    rule: str
    level: Level
    file: str | None
    line: int | None
    column: int | None
    says: tuple[str, ...]
    hint: str | None
    fixable: bool

    @property
    def place(self) -> Place:
        """What is compared exactly."""
        return (self.rule, self.level, self.file, self.line, self.column)

    def is_told_by(self, finding: Finding) -> bool:
        """Whether a finding at the place says what is expected."""
        hint = requirement(self.rule).hint if self.hint is None else self.hint
        return (
            place_of(finding) == self.place
            and all(part in finding.message for part in self.says)
            and hint in (finding.hint or "")
            and finding.fixable is self.fixable
        )


def place_of(finding: Finding) -> Place:
    """What of a finding is compared exactly."""
    return (finding.rule, finding.level, finding.file, finding.line, finding.column)


@dataclass(frozen=True, slots=True)
class Case:
    """A field and every finding that it gives.

    Attributes:
        rule: the requirement that the case is about.
        what: what is special about the field, in a few words.
        found: the findings, in any order.
        files: the files of a folder.
        prepare: what is done to the folder after that, for what is no regular file.
        data: the bytes of an archive, where it is one.
        name: the file name of the archive.
        limits: how much the reader takes.
    """

    rule: str
    what: str
    found: tuple[Found, ...]
    files: Files | None = None
    prepare: Callable[[Path], None] | None = None
    data: bytes | None = None
    name: str = NAME
    limits: Limits = DEFAULT_LIMITS

    @property
    def breaks(self) -> bool:
        """Whether the field breaks the rule, rather than obeys it."""
        return any(found.rule == self.rule for found in self.found)

    def report(self, scratch: Path) -> Report:
        """The report on the field, for which a folder in the scratch space is made."""
        if self.data is not None:
            return validated(self.data, name=self.name, limits=self.limits)
        folder = write_files(scratch / "field", self.files or {})
        if self.prepare is not None:
            self.prepare(folder)
        return validated(folder, limits=self.limits)


def folder(
    rule: str,
    what: str,
    files: Files,
    *found: Found,
    prepare: Callable[[Path], None] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Case:
    """A case that is a folder."""
    return Case(rule, what, found, files=files, prepare=prepare, limits=limits)


def one(rule: str, what: str, content: str | bytes, *found: Found) -> Case:
    """A case that is a folder with one page, `a.md`."""
    return Case(rule, what, found, files={PAGE: content})


def zipped(
    rule: str,
    what: str,
    data: bytes,
    *found: Found,
    name: str = NAME,
    limits: Limits = DEFAULT_LIMITS,
) -> Case:
    """A case that is an archive."""
    return Case(rule, what, found, data=data, name=name, limits=limits)


def _found(
    level: Level,
    rule: str,
    line: int | None = None,
    column: int | None = None,
    *,
    says: str | tuple[str, ...],
    file: str | None = PAGE,
    hint: str | None = None,
    fixable: bool = False,
) -> Found:
    """A finding at some level, in `a.md` unless another file is named."""
    parts = (says,) if isinstance(says, str) else says
    return Found(rule, level, file, line, column, parts, hint, fixable)


error = partial(_found, "error")
warning = partial(_found, "warning")
info = partial(_found, "info")
