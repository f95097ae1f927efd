"""Outcomes of validations to make reports of, from plain ones to hostile ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from hypothesis import strategies as st

from memoryfield_readers import (
    AccessDenied,
    LocationError,
    MemoryfieldError,
    NotFound,
    SourceUnavailable,
)
from memoryfield_spec import Level, catalogue
from memoryfield_validator import LEVELS, Checked, Excerpt, Finding, Report

BASE = "/repo"
"""The folder from which the tests tell paths; no report looks at it."""

Told: TypeAlias = "tuple[str, str | None, int | None]"
"""Rule, file and line: what every report tells of a finding."""

DATED = Finding(
    "MF304", "error", "a.md", 3, 10, "`created` is a date", "Quote the value.", fixable=True
)
LINK = Finding("MF209", "warning", "a.md", 9, 2, "there is no `x.md` in the field")
CITED = Finding("MF205", "info", "b.md", None, None, "no source is cited", "Name a source.")
EMPTY = Finding("MF101", "error", None, None, None, "there is no page")

HOSTILE = (
    "\x1b[31m", "\x00", "\r\n", "\n::error::owned", "::error file=x::y", "##[add-mask]x", "%0A",
    "%",
    "]]>", "<script>", "&amp;", "|", "\\|", "`", "```", "[x](http://evil.example)", "[1](2)",
    "![](x)", "<!--", "**b**", "_i_", "~~s~~", "$x$", "@someone", "#1", "GH-1", "www.evil.example",
    "https://evil.example", "a@evil.example", ":tada:", "{0}", "{{", "\u202e", "\u200b", "\u2028",
    "\ufffe", "\uffff", "\U0001f373", "\U0010ffff", "é", "\udcff", "\udc80", '"', "'", ",", ":",
    ";",
    "=", "/", "..", " ", "\t", "?", "#", "e\u0301", "MF304", "x.md", ":3", " #2", "\x7f", "\x85",
)  # fmt: skip
"""Pieces that mean something to one of the formats, or to nobody."""


def outcome(
    *findings: Finding,
    location: str = "notes",
    is_archive: bool = False,
    excerpts: Sequence[Excerpt | None] | None = None,
    unread: tuple[MemoryfieldError, ...] = (),
) -> Checked:
    """What came of a location that could be read."""
    report = Report(location, None if unread else f"field-sha256:{'0' * 64}", 2, findings, unread)
    shown = tuple(excerpts) if excerpts is not None else (None,) * len(findings)
    return Checked(location, is_archive, report, shown)


def excerpt(digest: str, after: str = "x") -> Excerpt:
    """The line of a finding, of which a digest is known."""
    return Excerpt("", after, digest)


def unreadable(location: str = "gone", error: MemoryfieldError | None = None) -> Checked:
    """What came of a location that could not be read."""
    gone = NotFound("does not exist", location=location, hint="look for it")
    return Checked(location, error=error or gone)


def many(count: int) -> Checked:
    """A field with so many findings, a hundred a page, as a validation would tell them."""
    findings = [
        replace(LINK, file=f"page-{n // 100}.md", line=7 + n % 100, level=LEVELS[n % 3])
        for n in range(count)
    ]
    return outcome(*findings, excerpts=[excerpt(f"{n % 50:064x}") for n in range(count)])


def findings_of(outcomes: Iterable[Checked]) -> list[tuple[Checked, Finding]]:
    """All findings and what they belong to, in the order of the reports."""
    reported = [(one, one.report) for one in outcomes if one.report is not None]
    return [(one, finding) for one, report in reported for finding in report.findings]


def by_gravity(found: list[tuple[Checked, Finding]]) -> list[tuple[Checked, Finding]]:
    """The same with errors first and infos last."""
    return [pair for level in LEVELS for pair in found if pair[1].level == level]


def told(finding: Finding) -> Told:
    """Rule, file and line."""
    return (finding.rule, finding.file, finding.line)


hostile_text = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=5)), max_size=6).map(
    "".join
)
"""Text of any characters, halves of characters among them."""

_in_names = st.characters(exclude_categories=["Cs"], exclude_characters="\x00/")
_pieces = [piece for piece in HOSTILE if not {"\x00", "/"} & set(piece)]
file_names = (
    st.lists(st.one_of(st.sampled_from(_pieces), _in_names), min_size=1, max_size=5)
    .map("".join)
    .filter(lambda name: name not in (".", ".."))
)
"""Names that a file system may have, those too that are not UTF-8."""

locations = st.sampled_from(
    ["notes", ".", "./a/../notes/", "/repo", "/repo/n:1", "/else where/x", "../up", "caf\udce9",
     "-",
     "file:///repo/n%20m", "file:///else", "a%20b", "s3://bucket/x y/"]
)  # fmt: skip

_errors: st.SearchStrategy[MemoryfieldError] = st.builds(
    lambda kind, message, location, entry, hint: kind(
        message, location=location, entry=entry, hint=hint
    ),
    st.sampled_from([NotFound, AccessDenied, SourceUnavailable, LocationError]),
    hostile_text,
    st.none() | hostile_text,
    st.none() | hostile_text,
    st.none() | hostile_text,
)


@st.composite
def _findings(draw: Any) -> Finding:
    file = draw(st.none() | file_names)
    line = None if file is None else draw(st.none() | st.integers(1, 30))
    column = None if line is None else draw(st.integers(1, 30))
    level: Level = draw(st.sampled_from(LEVELS))
    rule = draw(st.sampled_from([*catalogue()]))
    hint = draw(st.none() | hostile_text)
    return Finding(rule, level, file, line, column, draw(hostile_text), hint, draw(st.booleans()))


_excerpts = st.none() | st.builds(Excerpt, hostile_text, hostile_text, st.sampled_from(["a", "b"]))


@st.composite
def outcomes(draw: Any) -> list[Checked]:
    """What came of some locations, whatever they hold."""
    made = []
    for _ in range(draw(st.integers(0, 3))):
        if draw(st.integers(0, 4)) == 0:
            made.append(unreadable(draw(st.one_of(locations, hostile_text)), draw(_errors)))
            continue
        pairs = draw(st.lists(st.tuples(_findings(), _excerpts), max_size=5))
        findings = [finding for finding, _ in pairs]
        made.append(
            outcome(
                *findings,
                location=draw(locations),
                is_archive=draw(st.booleans()),
                excerpts=[shown for _, shown in pairs],
                unread=tuple(draw(st.lists(_errors, max_size=1))),
            )
        )
    return made
