"""The report as Markdown, for the summary of a job (`$GITHUB_STEP_SUMMARY`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memoryfield_spec import catalogue

from ..checked import Checked
from .places import name_of
from .results import (
    Problem,
    Result,
    counted,
    gravest_first,
    one_line,
    problems_of,
    results_of,
    sentences,
)

MOST_FINDINGS = 200
MOST_FIELDS = 200
MOST_PROBLEMS = 50

_MOST_TABLE = 256 * 1024
"""Bytes of a table: GitHub takes no summary of a step that is larger than 1 MiB."""

_MOST_NAME = 150
_MOST_MESSAGE = 300

_LINKING = re.compile(r"(?<=[@#])|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=gh-)(?=[0-9])", re.IGNORECASE)
"""Where text would be linked or a person be told, after all markup has been looked at."""

_MARKUP = re.compile(r"[\\`*_\[\]<>|~&#$@:]")
"""What could begin markup, HTML, an entity, a formula, an emoji, a link or a new cell."""

_BREAK = "\u200b"
"""A blank without width: text from a field can hold none, since it would be escaped."""


def render_markdown(checked: Sequence[Checked]) -> str:
    """A table of the fields and a table of the findings, the gravest first, both bounded.

    No text from a field or from an error takes effect as Markdown or HTML, links to anything, or
    tells a person that was mentioned.
    """
    return "".join(f"{line}\n" for line in _lines(checked))


def _lines(checked: Sequence[Checked]) -> Iterator[str]:
    results = gravest_first(results_of(checked))
    problems = [*problems_of(checked)]
    yield "## Memoryfields"
    yield ""
    yield "| field | verdict | pages | errors | warnings | info | pin |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | --- |"
    fields = sorted(checked, key=_gravity) if len(checked) > MOST_FIELDS else checked
    yield from _rows(map(_field, fields[:MOST_FIELDS]), len(fields), "field")
    if problems:
        yield ""
        yield "| not read | why |"
        yield "| --- | --- |"
        yield from _rows(map(_problem, problems[:MOST_PROBLEMS]), len(problems), "problem")
    if results:
        yield ""
        yield "| level | rule | place | what |"
        yield "| --- | --- | --- | --- |"
        yield from _rows(map(_finding, results[:MOST_FINDINGS]), len(results), "finding")


def _gravity(checked: Checked) -> int:
    """Fields that could not be read come first, then those that are invalid."""
    if checked.report is None:
        return 0
    return 1 if checked.report.verdict == "invalid" else 2


def _field(checked: Checked) -> str:
    name, report = plain_markdown(name_of(checked), _MOST_NAME), checked.report
    if report is None:
        return f"| {name} | **not read** | | | | | |"
    verdict = "valid" if report.verdict == "valid" else "**invalid**"
    if report.unread:
        verdict += ", not all read"
    counts = " | ".join(map(str, report.summary.values()))
    pin = plain_markdown(report.digest or "none", _MOST_NAME)
    return f"| {name} | {verdict} | {report.pages} | {counts} | {pin} |"


def _problem(problem: Problem) -> str:
    lines = sentences(problem.text, problem.error.hint)
    return f"| {plain_markdown(name_of(problem.checked), _MOST_NAME)} | {_text(lines)} |"


def _finding(result: Result) -> str:
    finding = result.finding
    place = plain_markdown(name_of(result.checked), _MOST_NAME)
    if finding.file is not None:
        place = f"{place}<br>{plain_markdown(finding.file, _MOST_NAME)}"
    if finding.line is not None:
        place += f", line {finding.line}, column {finding.column or 1}"
    rule = f"{finding.rule} {plain_markdown(catalogue()[finding.rule].title, _MOST_NAME)}"
    text = _text(sentences(finding.message, finding.hint))
    return f"| {finding.level} | {rule} | {place} | {text} |"


def _text(lines: Sequence[str]) -> str:
    return "<br>".join(plain_markdown(line, _MOST_MESSAGE) for line in lines)


def _rows(rows: Iterable[str], number: int, noun: str) -> Iterator[str]:
    """The rows of a table as far as they fit, and how many there are besides."""
    told = size = 0
    for row in rows:
        size += len(row.encode())
        if size > _MOST_TABLE:
            break
        yield row
        told += 1
    if told < number:
        yield ""
        yield f"There {'is' if number - told == 1 else 'are'} {counted(number - told, noun)} more."


def plain_markdown(text: str, most: int) -> str:
    """One line of text that stays text, whatever a page or a name holds."""
    broken = _LINKING.sub(_BREAK, one_line(text, most))
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", broken)
