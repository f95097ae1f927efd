"""The lines that findings stand in, as far as reports show them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memoryfield_readers import Field, MemoryfieldError

from .finding import Finding, Report

_MOST_BEFORE = 60
_MOST_AFTER = 100

SECRET = "MF804"  # noqa: S105 - the id of a requirement
"""The requirement whose findings must never be shown as they stand."""

_MASK = "•••"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The line of a finding, cut around its column.

    Attributes:
        before: what stands before the column; "…" at its beginning means that more does.
        after: what stands from the column on; "…" at its end means that more does.
        digest: the SHA-256 of the whole line without blanks around it, in hexadecimal: the same
            line gives the same digest wherever it moves.
    """

    before: str
    after: str
    digest: str


def excerpts_of(report: Report, field: Field) -> tuple[Excerpt | None, ...]:
    """An excerpt for each finding of a report, in its order; None where there is no line to show.

    Arguments:
        report: what was found.
        field: the field it was found in, from which the pages at fault are read again.
    """
    secrets = _first_secrets(report)
    lines = _SourceLines(field)
    return tuple(_excerpt(finding, lines, secrets) for finding in report.findings)


def _excerpt(
    finding: Finding, lines: _SourceLines, secrets: Mapping[tuple[str, int], int]
) -> Excerpt | None:
    file, number, column = finding.file, finding.line, finding.column
    if file is None or number is None or column is None:
        return None
    line = lines.get(file, number)
    if line is None:
        return None
    masked_from = secrets.get((file, number))
    if masked_from is not None:
        line = line[: masked_from - 1] + _MASK
    # What is masked stays out of the digest too: a short secret could be guessed from it.
    digest = hashlib.sha256(line.strip().encode("utf-8", "surrogatepass")).hexdigest()
    before, after = line[: column - 1], line[column - 1 :]
    if len(before) > _MOST_BEFORE:
        before = "…" + before[-_MOST_BEFORE:]
    if len(after) > _MOST_AFTER:
        after = after[:_MOST_AFTER] + "…"
    return Excerpt(before, after, digest)


def _first_secrets(report: Report) -> Mapping[tuple[str, int], int]:
    """The column of the first secret of each line that holds one: nothing behind it is shown."""
    return dict(reversed([*_places(report)]))


def _places(report: Report) -> Iterator[tuple[tuple[str, int], int]]:
    for finding in report.findings:
        if finding.rule == SECRET and finding.file and finding.line and finding.column:
            yield (finding.file, finding.line), finding.column


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
                self._lines = self._field.page(name).text.split("\n")
            except MemoryfieldError:
                self._lines = []
        if not 0 < number <= len(self._lines):
            return None
        return self._lines[number - 1].removesuffix("\r")
