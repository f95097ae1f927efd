"""The lines that findings stand in, as far as reports show them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from memoryfield_readers import Field, MemoryfieldError, Page

from .content_review.concealing import hidden_spans
from .content_review.secrets import MASK
from .finding import Finding, Report

_MOST_BEFORE = 60
_MOST_AFTER = 100


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The line of a finding, cut around its column.

    Attributes:
        before: what stands before the column; "…" at its beginning means that more does.
        after: what stands from the column on; "…" at its end means that more does.
        digest: the SHA-256 of the whole line without blanks around it, in hexadecimal: the same
            line gives the same digest wherever it moves. What is masked does not count: who has
            the digest could else try passwords.
    """

    before: str
    after: str
    digest: str


def excerpts_of(report: Report, field: Field) -> tuple[Excerpt | None, ...]:
    """An excerpt for each finding of a report, in its order; None where there is no line to show.

    Secrets are masked whether they were looked for or not, so that no report prints one, and a
    digest does not depend on what was asked for.

    Arguments:
        report: what was found.
        field: the field it was found in, from which the pages at fault are read again.
    """
    lines = _SourceLines(field)
    return tuple(_excerpt(finding, lines) for finding in report.findings)


def _excerpt(finding: Finding, lines: _SourceLines) -> Excerpt | None:
    file, number, column = finding.file, finding.line, finding.column
    if file is None or number is None or column is None:
        return None
    line = lines.get(file, number)
    if line is None:
        return None
    digest = hashlib.sha256(line.strip().encode("utf-8", "surrogatepass")).hexdigest()
    before, after = line[: column - 1], line[column - 1 :]
    if len(before) > _MOST_BEFORE:
        before = "…" + before[-_MOST_BEFORE:]
    if len(after) > _MOST_AFTER:
        after = after[:_MOST_AFTER] + "…"
    return Excerpt(before, after, digest)


class _SourceLines:
    """The lines of pages, one page at a time, since findings come sorted by file."""

    def __init__(self, field: Field) -> None:
        self._field = field
        self._name: str | None = None
        self._lines: list[str] = []

    def get(self, name: str, number: int) -> str | None:
        """A line of a page without its end, or None where there is none to show."""
        if name != self._name:
            self._name = name
            try:
                page = self._field.page(name)
            except MemoryfieldError:
                self._lines = []
            else:
                self._lines = _masked_lines(page)
        if not 0 < number <= len(self._lines):
            return None
        return self._lines[number - 1].removesuffix("\r")


def _masked_lines(page: Page) -> list[str]:
    """The lines of a page; from the first secret of a line on, a mask stands in its place."""
    lines = page.text.split("\n")
    for span in sorted(hidden_spans(page), reverse=True):  # the first in a line has the last word
        start, end = page.position(span.start), page.position(span.end)
        for number in range(start.line, end.line + 1):
            shown = start.column - 1 if number == start.line else 0
            lines[number - 1] = lines[number - 1][:shown] + MASK
    return lines
