"""The report for people: each finding with its place, its line and a caret, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoryfield_readers import Field, MemoryfieldError, visible
from memoryfield_spec import Level

from ..finding import Finding, Report

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_STYLES: dict[Level, str] = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_WIDEST_LINE = 100
_BEFORE_CARET = 60


def print_text(report: Report, field: Field, console: Console) -> None:
    """Print a report.

    Arguments:
        report: what was found.
        field: the field it was found in, from which source lines are read again.
        console: where to print; what comes from the field is printed as text, never as markup.
    """
    lines = _SourceLines(field)
    for finding in report.findings:
        console.print(_heading(report, finding), soft_wrap=True)
        if finding.line is not None and finding.column is not None and finding.file:
            line = lines.get(finding.file, finding.line)
            if line is not None:
                console.print(_excerpt(line, finding.line, finding.column), soft_wrap=True)
        if finding.hint:
            console.print(_hint(finding.hint), soft_wrap=True)
    console.print(_conclusion(report), soft_wrap=True)


def _heading(report: Report, finding: Finding) -> Text:
    from rich.text import Text

    place = visible(_path(report.location, finding.file))
    if finding.line is not None:
        place += f":{finding.line}:{finding.column}"
    return Text.assemble(
        (place, "bold"),
        " ",
        (f"{finding.level} {finding.rule}", _STYLES[finding.level]),
        f" {visible(finding.message)}",
    )


def _path(location: str, file: str | None) -> str:
    """A path that an editor can open, if the location is a folder."""
    return f"{location.rstrip('/')}/{file}" if file else location


def _excerpt(line: str, number: int, column: int) -> Text:
    """The source line and a caret under the column; long lines are cut around it."""
    from rich.cells import cell_len
    from rich.text import Text

    before, after = line[: column - 1], line[column - 1 :]
    before_cut = "…" if len(before) > _BEFORE_CARET else ""
    after_cut = "…" if len(after) > _WIDEST_LINE else ""
    before = before_cut + visible(before[-_BEFORE_CARET:].replace("\t", "    "))
    after = visible(after[:_WIDEST_LINE].replace("\t", "    ")) + after_cut
    gutter = f"{number:>6} | "
    caret = " " * (len(gutter) - 2) + "| " + " " * cell_len(before) + "^"
    return Text.assemble((gutter, "dim"), before, after, "\n", (caret, "dim"))


def _hint(hint: str) -> Text:
    from rich.text import Text

    return Text.assemble(("       hint: ", "green"), visible(hint))


def _conclusion(report: Report) -> Text:
    from rich.text import Text

    style = "bold green" if report.verdict == "valid" else "bold red"
    counts = ", ".join(
        _counted(number, level) for level, number in report.summary.items() if number
    )
    parts = [_counted(report.pages, "page"), counts or "nothing to report"]
    if report.digest:
        parts.append(report.digest)
    return Text.assemble(
        (visible(report.location), "bold"), ": ", (report.verdict, style), ", " + ", ".join(parts)
    )


def _counted(number: int, noun: str) -> str:
    plural = noun if number == 1 or noun == "info" else f"{noun}s"
    return f"{number:,} {plural}"


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
