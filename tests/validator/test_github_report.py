"""Annotations of GitHub Actions, read as the runner reads them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from tests.validator.reporting import (
    BASE,
    CITED,
    DATED,
    EMPTY,
    HOSTILE,
    LINK,
    by_gravity,
    findings_of,
    many,
    outcome,
    outcomes,
    unreadable,
)

from memoryfield_readers import SourceUnavailable, visible
from memoryfield_spec import Level, catalogue
from memoryfield_validator import LEVELS, Checked
from memoryfield_validator.reports import render_github

KINDS = {"error": "error", "warning": "warning", "info": "notice"}


class Annotation(NamedTuple):
    """A workflow command with its escapes undone."""

    kind: str
    properties: dict[str, str]
    message: str


def runner_reads(line: str) -> Annotation | None:
    """What the runner makes of a line: a command if it begins with `::`, or holds `##[`."""
    found = re.fullmatch(r"\s*::(\w+) ([^:]*)::(.*)", line)
    if found is None:
        assert "##[" not in line
        assert not line.lstrip().startswith("::")
        return None
    properties = dict(part.split("=", 1) for part in found[2].split(","))
    unescaped = {key: unescape(value, "\r\n:,%") for key, value in properties.items()}
    return Annotation(found[1], unescaped, unescape(found[3], "\r\n%"))


def unescape(text: str, characters: str) -> str:
    """Undo the escapes of these characters, `%` last, as the runner does."""
    for character in characters:
        text = text.replace(f"%{ord(character):02X}", character)
    return text


def read(text: str) -> tuple[list[Annotation], str]:
    """The commands and the summary; there is nothing else."""
    assert text.endswith("\n")
    *commands, summary = text[:-1].split("\n")
    assert runner_reads(summary) is None
    read = [runner_reads(line) for line in commands]
    return [command for command in read if command is not None], summary


def test_a_command_a_finding() -> None:
    """Errors come first, then warnings, then notices, and a line that counts them."""
    assert render_github([outcome(CITED, LINK, DATED)], base=BASE) == (
        "::error file=notes/a.md,line=3,col=10,title=MF304 Datetimes are quoted::"
        "`created` is a date%0AQuote the value.\n"
        "::warning file=notes/a.md,line=9,col=2,title=MF209 Relative links lead somewhere::"
        "there is no `x.md` in the field\n"
        "::notice file=notes/b.md,title=MF205 Sources are cited::"
        "no source is cited%0AName a source.\n"
        "memoryfield: 1 field: 1 error, 1 warning, 1 info\n"
    )


def test_entries_stand_at_their_archive() -> None:
    """An entry is told in the message; the file is the archive, which has no line."""
    made = outcome(DATED, EMPTY, location="x.zip", is_archive=True)
    assert render_github([made], base=BASE) == (
        "::error file=x.zip,title=MF304 Datetimes are quoted::"
        "a.md:3:10: `created` is a date%0AQuote the value.\n"
        "::error file=x.zip,title=MF101 At least one page at the root::there is no page\n"
        "memoryfield: 1 field: 2 errors\n"
    )


def test_what_could_not_be_read_is_an_error() -> None:
    """A location, or a file in one, is an error before all others, and is counted."""
    lost = SourceUnavailable("cannot be read: gone", location="notes", entry="b.md")
    made = [outcome(DATED, unread=(lost,)), unreadable()]
    assert render_github(made, base=BASE) == (
        "::error file=notes,title=Not read::b.md: cannot be read: gone\n"
        "::error file=gone,title=Not read::does not exist%0Alook for it\n"
        "::error file=notes/a.md,line=3,col=10,title=MF304 Datetimes are quoted::"
        "`created` is a date%0AQuote the value.\n"
        "memoryfield: 2 fields: 1 error, 2 not read\n"
    )


def test_nothing_to_report() -> None:
    """Without findings there is the summary alone."""
    assert render_github([]) == "memoryfield: 0 fields: no findings\n"
    assert render_github([outcome()]) == "memoryfield: 1 field: no findings\n"


@pytest.mark.parametrize("level", LEVELS)
def test_summary_says_that_some_are_not_shown(level: Level) -> None:
    """A step shows ten of a kind: from eleven on the summary says so."""
    findings = [replace(LINK, level=level, line=line) for line in range(1, 12)]
    note = "; a step shows the first 10 of a kind"
    assert note not in render_github([outcome(*findings[:10])])
    assert render_github([outcome(*findings)]).endswith(f"{note}\n")


@pytest.mark.parametrize(
    ("text", "as_property", "as_data"),
    [
        ("100%", "100%25", "100%25"),
        ("%0A", "%250A", "%250A"),
        ("a:b,c", "a%3Ab%2Cc", "a:b,c"),
        ("::error::x", "%3A%3Aerror%3A%3Ax", "::error::x"),
        ("a\r\nb", r"a\r\nb", r"a\r\nb"),
        ("\x1b[1m", r"\x1b[1m", r"\x1b[1m"),
    ],
)
def test_escapes(text: str, as_property: str, as_data: str) -> None:
    """Properties and messages are escaped as the runner undoes it, and no further."""
    finding = replace(DATED, file=text, message=text, hint=None)
    line = render_github([outcome(finding)], base=BASE).splitlines()[0]
    assert line == (
        f"::error file=notes/{as_property},line=3,col=10,title=MF304 Datetimes are quoted::"
        f"{as_data}"
    )


@settings(max_examples=50, deadline=None)
@given(outcomes())
def test_commands_read_back(made: list[Checked]) -> None:
    """Whatever a field holds, the runner reads these findings, the gravest first, and no more."""
    commands, _ = read(render_github(made, base=BASE))
    lost = [one for one in commands if one.properties["title"] == "Not read"]
    assert commands[: len(lost)] == lost
    assert {one.kind for one in lost} <= {"error"}
    assert len(lost) == sum(
        (one.error is not None) + (len(one.report.unread) if one.report else 0) for one in made
    )
    found = by_gravity(findings_of(made))
    assert len(commands) == len(lost) + len(found)
    for command, (one, finding) in zip(commands[len(lost) :], found, strict=True):
        title = f"{finding.rule} {catalogue()[finding.rule].title}"
        assert (command.kind, command.properties["title"]) == (KINDS[finding.level], title)
        if finding.file is None:
            assert command.message.startswith(visible(finding.message))
        elif one.is_archive:
            line = "" if finding.line is None else f":{finding.line}:{finding.column}"
            start = f"{visible(finding.file)}{line}: {visible(finding.message)}"
            assert command.message.startswith(start)
            assert "line" not in command.properties
        else:
            assert command.properties["file"].endswith(visible(finding.file))
            assert command.properties.get("line") == (finding.line and str(finding.line))
            assert command.properties.get("col") == (finding.column and str(finding.column))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_a_command(text: str) -> None:
    """No name, message, hint or error begins a line, nor stands where `##[` would be obeyed."""
    finding = replace(DATED, file=text, message=text, hint=text)
    lost = SourceUnavailable(text, location=text, entry=text, hint=text)
    made = [outcome(finding, location=text, unread=(lost,)), unreadable(text, lost)]
    commands, _ = read(render_github(made, base=BASE))
    assert [one.kind for one in commands] == ["error"] * 3


def test_many_findings() -> None:
    """Every finding of a large report has its command, errors first."""
    commands, summary = read(render_github([many(20_000)]))
    assert [one.kind for one in commands] == (
        ["error"] * 6667 + ["warning"] * 6667 + ["notice"] * 6666
    )
    assert summary.startswith("memoryfield: 1 field: 6,667 errors, 6,667 warnings, 6,666 info;")
