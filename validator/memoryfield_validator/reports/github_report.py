"""Annotations of GitHub Actions: workflow commands, one a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from memoryfield_spec import Level, catalogue

from ..checked import Checked
from ..finding import LEVELS
from .places import Base, base_of, path_of
from .results import (
    Result,
    counted,
    gravest_first,
    one_line,
    problems_of,
    results_of,
    sentences,
)

_COMMANDS: dict[Level, str] = {"error": "error", "warning": "warning", "info": "notice"}
_MOST_SHOWN = 10
"""Annotations of a kind that a step shows."""


def render_github(checked: Sequence[Checked], *, base: Base = None) -> str:
    """A workflow command for each finding, the gravest first, and a line that counts them.

    Every line but the last is a command, and no text from a field can begin one: the runner takes
    a line for a command if it begins with `::`, or else if `##[` stands anywhere in it.

    Arguments:
        checked: what came of each location.
        base: the folder from which paths are told, the root of the repository if annotations are
            to stand in its files; None for the working directory.
    """
    root = base_of(base)
    problems = [*problems_of(checked)]
    results = gravest_first(results_of(checked))
    lines = [
        _command(
            "error",
            {"file": path_of(problem.checked, None, root), "title": "Not read"},
            sentences(problem.text, problem.error.hint),
        )
        for problem in problems
    ]
    lines += (_annotation(result, root) for result in results)
    lines.append(_summary(checked, results, len(problems)))
    return "".join(f"{line}\n" for line in lines)


def _annotation(result: Result, base: Base) -> str:
    finding = result.finding
    properties = {"file": path_of(result.checked, finding.file, base)}
    if result.entry is None and finding.line is not None:
        properties |= {"line": str(finding.line), "col": str(finding.column or 1)}
    properties["title"] = f"{finding.rule} {catalogue()[finding.rule].title}"
    message = f"{result.entry}: {finding.message}" if result.entry else finding.message
    return _command(_COMMANDS[finding.level], properties, sentences(message, finding.hint))


def _command(name: str, properties: Mapping[str, str], lines: Sequence[str]) -> str:
    told = ",".join(f"{key}={_property(one_line(value))}" for key, value in properties.items())
    return f"::{name} {told}::{'%0A'.join(map(_data, lines))}"


def _data(text: str) -> str:
    """The escapes that the runner undoes in a message, and no others."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """The escapes that the runner undoes in the value of a property, and no others."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _summary(checked: Sequence[Checked], results: Sequence[Result], problems: int) -> str:
    """What was found in all, in our own words alone: no text from a field stands in it."""
    levels = Counter(result.finding.level for result in results)
    told = [counted(levels[level], level) for level in LEVELS if levels[level]]
    if problems:
        told.append(f"{problems:,} not read")
    line = f"memoryfield: {counted(len(checked), 'field')}: {', '.join(told) or 'no findings'}"
    kinds = (levels["error"] + problems, levels["warning"], levels["info"])
    if max(kinds) > _MOST_SHOWN:
        line += f"; a step shows the first {_MOST_SHOWN} of a kind"
    return line
