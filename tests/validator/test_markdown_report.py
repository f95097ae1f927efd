"""The summary of a job, read by a Markdown parser."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.validator.reporting import (
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
from memoryfield_validator import Checked
from memoryfield_validator.reports import render_markdown

BREAK = "\u200b"
TABLE = ("table_open", "thead_open", "tr_open", "th_open", "th_close", "tr_close", "thead_close",
         "tbody_open", "tbody_close", "td_open", "td_close", "table_close", "inline",
         "paragraph_open", "paragraph_close", "heading_open", "heading_close")  # fmt: skip
"""What a summary is made of: tables, a heading, and sentences."""

LINKED = re.compile(r"[@#]\w|://|www\.|GH-[0-9]", re.IGNORECASE)
"""What is linked after Markdown has been read."""


def tables(text: str) -> list[list[list[str]]]:
    """The rows of each table as text; nothing in them is markup but bold words and line breaks."""
    found: list[list[list[str]]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        assert token.type in TABLE
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type == "inline" and token.level == 4 + (not found):
            found[-1][-1].append(cell_text(token))
        elif token.type == "inline":
            assert not found or "more." in cell_text(token)
    for rows in found:
        assert {len(row) for row in rows} == {len(rows[0])}
    return found


def cell_text(cell: Token) -> str:
    """The text of a cell, which links to nothing and mentions nobody."""
    parts = []
    for child in cell.children or []:
        if child.type == "html_inline":
            assert child.content == "<br>"
            parts.append("\n")
        elif child.type in ("strong_open", "strong_close"):
            assert cell.content.startswith(("**invalid**", "**not read**"))
        else:
            assert child.type in ("text", "text_special")
            parts.append(child.content)
    text = "".join(parts)
    assert not LINKED.search(text)
    return text.replace(BREAK, "")


def test_summary() -> None:
    """A row for each field, then the findings, the gravest first."""
    made = [outcome(CITED, LINK, DATED), outcome(location="clean.zip", is_archive=True)]
    pin = "field-sha256&#58;" + "0" * 64
    assert render_markdown(made).splitlines() == [
        "## Memoryfields",
        "",
        "| field | verdict | pages | errors | warnings | info | pin |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
        f"| notes | **invalid** | 2 | 1 | 1 | 1 | {pin} |",
        f"| clean.zip | valid | 2 | 0 | 0 | 0 | {pin} |",
        "",
        "| level | rule | place | what |",
        "| --- | --- | --- | --- |",
        "| error | MF304 Datetimes are quoted | notes<br>a.md, line 3, column 10 "
        "| &#96;created&#96; is a date<br>Quote the value. |",
        "| warning | MF209 Relative links lead somewhere | notes<br>a.md, line 9, column 2 "
        "| there is no &#96;x.md&#96; in the field |",
        "| info | MF205 Sources are cited | notes<br>b.md | no source is cited<br>Name a source. |",
    ]


def test_what_could_not_be_read() -> None:
    """What could not be read has a table of its own with the reason."""
    lost = SourceUnavailable("gone", location="notes", entry="b.md")
    fields, unread, findings = tables(
        render_markdown([outcome(EMPTY, unread=(lost,)), unreadable()])
    )
    assert fields[1:] == [
        ["notes", "invalid, not all read", "2", "1", "0", "0", "none"],
        ["gone", "not read", "", "", "", "", ""],
    ]
    assert unread[1:] == [["notes", "b.md: gone"], ["gone", "does not exist\nlook for it"]]
    assert findings[1:] == [
        ["error", "MF101 At least one page at the root", "notes", "there is no page"]
    ]


@settings(max_examples=50, deadline=None)
@given(outcomes())
def test_tables_read_back(made: list[Checked]) -> None:
    """Whatever a field holds, it is text in its cell; rule, place and message are told."""
    told = tables(render_markdown(made))
    found = by_gravity(findings_of(made))
    assert len(told[0]) == len(made) + 1
    if not found:
        return
    rows = told[-1][1:]
    for (level, rule, place, what), (one, finding) in zip(rows, found, strict=True):
        assert level == finding.level
        assert rule.startswith(f"{finding.rule} ")
        expected = visible(one.location)
        if finding.file is not None:
            expected += f"\n{visible(finding.file)}"
        if finding.line is not None:
            expected += f", line {finding.line}, column {finding.column}"
        assert squeezed(place) == squeezed(expected)
        said = visible(finding.message)
        if finding.hint:
            said += f"\n{visible(finding.hint)}"
        assert squeezed(what) == squeezed(said)


def squeezed(text: str) -> str:
    """Text without blanks at the ends of its lines, which a cell does not keep."""
    return "\n".join(line.strip() for line in text.strip().split("\n"))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_takes_effect(text: str) -> None:
    """No name, message, hint or error is Markdown, HTML, a link or a mention."""
    text = f"a{text}b {text} c"
    finding = replace(DATED, file=text, message=text, hint=text)
    lost = SourceUnavailable(text, location=text, entry=text, hint=text)
    made = [outcome(finding, location=text, unread=(lost,)), unreadable(text, lost)]
    fields, unread, findings = tables(render_markdown(made))
    assert (len(fields), len(unread), len(findings)) == (3, 3, 2)
    shown = visible(text)
    assert findings[1][3] == f"{shown}\n{shown}"
    assert unread[1] == [shown, f"{shown}: {shown}\n{shown}"]


def test_many_findings() -> None:
    """Two hundred are told, the gravest, and how many more there are."""
    text = render_markdown([many(20_000)])
    _, findings = tables(text)
    assert len(findings) == 201
    assert {row[0] for row in findings[1:]} == {"error"}
    assert text.endswith("\nThere are 19,800 findings more.\n")
    assert "more" not in render_markdown([many(200)])
    assert render_markdown([many(201)]).endswith("\nThere is 1 finding more.\n")


def test_many_fields() -> None:
    """Two hundred fields are told; where there are more, what is wrong goes before what is not."""
    clean = [outcome(location=f"field-{number}") for number in range(300)]
    text = render_markdown([*clean, outcome(DATED, location="wrong"), unreadable()])
    fields = tables(text)[0]
    assert [row[0] for row in fields[1:4]] == ["gone", "wrong", "field-0"]
    assert len(fields) == 201
    assert "\nThere are 102 fields more.\n" in text
    few = tables(render_markdown([clean[0], outcome(DATED, location="wrong")]))[0]
    assert [row[0] for row in few[1:]] == ["field-0", "wrong"]


def test_summary_fits() -> None:
    """However long and strange the texts are, a summary stays below the 1 MiB that is taken."""
    long = "@#|\U0001f373" * 2000
    lost = SourceUnavailable(long, location=long, entry=long, hint=long)
    finding = replace(DATED, file=long, message=long, hint=long)
    made = [
        outcome(*[finding] * 300, location=f"{number}{long}", unread=(lost,) * 100)
        for number in range(300)
    ]
    text = render_markdown(made)
    assert len(text.encode()) < 1024 * 1024
    fields, problems, findings = tables(text)
    assert f"There are {300 - len(fields) + 1:,} fields more." in text
    assert f"There are {30_000 - len(problems) + 1:,} problems more." in text
    assert f"There are {90_000 - len(findings) + 1:,} findings more." in text
