"""The report for people: each finding with its place, its line and a caret, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoryfield_readers import visible
from memoryfield_spec import Level

from ..checked import Checked
from ..excerpts import Excerpt
from ..finding import Finding, Report
from .results import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_STYLES: dict[Level, str] = {"error": "bold red", "warning": "yellow", "info": "cyan"}


class Verdicts(NamedTuple):
    """What a field is called in which no error was found, and one in which some were."""

    good: str = "valid"
    bad: str = "invalid"


VALIDITY = Verdicts()
"""The verdicts of a validation; a review of the content alone says nothing on validity."""


def print_text(checked: Checked, console: Console, *, verdicts: Verdicts = VALIDITY) -> None:
    """Print the report on one location; for a location that could not be read, nothing.

    Arguments:
        checked: what came of the location.
        console: where to print; what comes from the field is printed as text, never as markup.
        verdicts: how to call what came of it.
    """
    report = checked.report
    if report is None:
        return
    for finding, excerpt in zip(report.findings, checked.excerpts, strict=True):
        console.print(_heading(report, finding), soft_wrap=True)
        if excerpt is not None and finding.line is not None:
            console.print(_excerpt(excerpt, finding.line), soft_wrap=True)
        if finding.hint:
            console.print(_hint(finding.hint), soft_wrap=True)
    console.print(_conclusion(report, verdicts), soft_wrap=True)


def print_totals(
    checked: Sequence[Checked],
    console: Console,
    *,
    verdicts: Verdicts = VALIDITY,
    source: str | None = None,
    note: str | None = None,
) -> None:
    """Print what came of all locations together, where there are several, and what it rests on.

    Arguments:
        checked: what came of each location.
        console: where to print.
        verdicts: how to call what came of them.
        source: the file that the settings come from; None for none.
        note: what else a reader must know to understand the verdicts.
    """
    from rich.text import Text

    if len(checked) > 1:
        counts = Counter(each.report.verdict for each in checked if each.report is not None)
        parts = [counted(len(checked), "field"), f"{counts['valid']:,} {verdicts.good}"]
        parts += [f"{counts['invalid']:,} {verdicts.bad}"] if counts["invalid"] else []
        unread = len(checked) - counts.total()
        parts += [f"{unread:,} not checked"] if unread else []
        console.print(Text(f"{parts[0]}: {', '.join(parts[1:])}", "bold"), soft_wrap=True)
    notes = [note, f"settings from {source}" if source else None]
    for text in filter(None, notes):
        console.print(Text(visible(text), "dim"), soft_wrap=True)


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


def _excerpt(excerpt: Excerpt, number: int) -> Text:
    """The source line and a caret under the column."""
    from rich.cells import cell_len
    from rich.text import Text

    before, after = (
        visible(part.replace("\t", "    ")) for part in (excerpt.before, excerpt.after)
    )
    gutter = f"{number:>6} | "
    caret = " " * (len(gutter) - 2) + "| " + " " * cell_len(before) + "^"
    return Text.assemble((gutter, "dim"), before, after, "\n", (caret, "dim"))


def _hint(hint: str) -> Text:
    from rich.text import Text

    return Text.assemble(("       hint: ", "green"), visible(hint))


def _conclusion(report: Report, verdicts: Verdicts) -> Text:
    from rich.text import Text

    is_good = report.verdict == "valid"
    verdict = (verdicts.good, "bold green") if is_good else (verdicts.bad, "bold red")
    counts = ", ".join(counted(number, level) for level, number in report.summary.items() if number)
    parts = [counted(report.pages, "page"), counts or "nothing to report"]
    if report.digest:
        parts.append(report.digest)
    return Text.assemble((visible(report.location), "bold"), ": ", verdict, ", " + ", ".join(parts))
