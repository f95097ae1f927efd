"""What all reports on several locations tell: findings, and what stood in the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memoryfield_readers import MemoryfieldError, visible

from ..checked import Checked
from ..excerpts import Excerpt
from ..finding import LEVELS, Finding

MOST_TEXT = 2000
"""Characters of a text from a field, an error or a name in a report."""


@dataclass(frozen=True, slots=True)
class Result:
    """A finding, the location it was found in, and the line it stands in."""

    checked: Checked
    finding: Finding
    excerpt: Excerpt | None

    @property
    def entry(self) -> str | None:
        """The entry of an archive, with line and column: no program opens it at its line."""
        file, line, column = self.finding.file, self.finding.line, self.finding.column
        if file is None or not self.checked.is_archive:
            return None
        return one_line(file) if line is None else f"{one_line(file)}:{line}:{column or 1}"


@dataclass(frozen=True, slots=True)
class Problem:
    """What could not be read: a location, or something in it."""

    checked: Checked
    error: MemoryfieldError

    @property
    def text(self) -> str:
        """What is wrong, and with what in the location, in one line."""
        said = one_line(self.error.message)
        return f"{one_line(self.error.entry)}: {said}" if self.error.entry else said


def results_of(checked: Iterable[Checked]) -> Iterator[Result]:
    """All findings, location by location, in the order of their reports."""
    for one in checked:
        if one.report is not None:
            for finding, excerpt in zip(one.report.findings, one.excerpts, strict=True):
                yield Result(one, finding, excerpt)


def problems_of(checked: Iterable[Checked]) -> Iterator[Problem]:
    """All that could not be read, location by location."""
    for one in checked:
        if one.error is not None:
            yield Problem(one, one.error)
        if one.report is not None:
            for error in one.report.unread:
                yield Problem(one, error)


def gravest_first(results: Iterable[Result]) -> list[Result]:
    """Errors, then warnings, then infos; within a level the order stays."""
    return sorted(results, key=lambda result: LEVELS.index(result.finding.level))


def sentences(message: str, hint: str | None) -> Sequence[str]:
    """What is wrong, and what to do about it if there is something to say, each in one line."""
    return (one_line(message), one_line(hint)) if hint else (one_line(message),)


def one_line(text: str, most: int = MOST_TEXT) -> str:
    """One line of visible text of bounded length."""
    line = visible(text[: most + 1])
    return line if len(line) <= most else f"{line[: most - 1]}…"


def counted(number: int, noun: str) -> str:
    """A number of things, such as "1 page", "2 pages" or "3 info"."""
    plural = noun if number == 1 or noun == "info" else f"{noun}s"
    return f"{number:,} {plural}"
