"""The report as JUnit XML, read by an XML parser."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.validator.reporting import (
    BASE,
    CITED,
    DATED,
    EMPTY,
    HOSTILE,
    LINK,
    findings_of,
    many,
    outcome,
    outcomes,
    unreadable,
)

from memoryfield_readers import SourceUnavailable, visible
from memoryfield_spec import Level
from memoryfield_validator import LEVELS, Checked
from memoryfield_validator.reports import render_junit

Attributes = dict[str, str]


def read(text: str) -> ElementTree.Element:
    """The document, of which the shape and the counts hold."""
    assert text.isascii()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    assert_counts(root, root.findall("testsuite/testcase"))
    suites = [*root]
    assert len({suite.attrib["name"] for suite in suites}) == len(suites)
    for suite in suites:
        assert suite.tag == "testsuite"
        cases = [*suite]
        assert {case.tag for case in cases} == {"testcase"}
        assert len({case.attrib["name"] for case in cases}) == len(cases)
        assert_counts(suite, cases)
        for case in cases:
            assert len(case) <= 1
            assert {child.tag for child in case} <= {"failure", "error", "system-out"}
    return root


def assert_counts(element: ElementTree.Element, cases: list[ElementTree.Element]) -> None:
    """An element states how many cases it has, how many of them failed, and were in error."""
    assert int(element.attrib["tests"]) == len(cases)
    for attribute, tag in (("failures", "failure"), ("errors", "error")):
        assert int(element.attrib[attribute]) == sum(case.find(tag) is not None for case in cases)


def test_document() -> None:
    """A suite is a location, a case a finding; milder findings pass and are told as output."""
    made = [outcome(DATED, CITED), outcome(location="clean")]
    assert render_junit(made, base=BASE) == (
        '<?xml version="1.0" encoding="us-ascii"?>\n'
        '<testsuites name="memoryfield" tests="3" failures="1" errors="0">\n'
        '  <testsuite name="notes" tests="2" failures="1" errors="0">\n'
        '    <testcase classname="notes" name="MF304 a.md:3" file="notes/a.md" line="3">\n'
        '      <failure message="`created` is a date" type="MF304">'
        "error MF304 Datetimes are quoted\n"
        "`created` is a date\n"
        "Quote the value.</failure>\n"
        "    </testcase>\n"
        '    <testcase classname="notes" name="MF205 b.md" file="notes/b.md">\n'
        "      <system-out>info MF205 Sources are cited\n"
        "no source is cited\n"
        "Name a source.</system-out>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        '  <testsuite name="clean" tests="1" failures="0" errors="0">\n'
        '    <testcase classname="clean" name="no findings" file="clean" />\n'
        "  </testsuite>\n"
        "</testsuites>\n"
    )


@pytest.mark.parametrize(
    ("fail_on", "failed"),
    [("error", ["error"]), ("warning", ["error", "warning"]), ("info", [*LEVELS])],
)
def test_findings_from_a_level_on_fail(fail_on: Level, failed: list[Level]) -> None:
    """A finding at the failing level, or a graver one, fails; all others pass."""
    made = outcome(*(replace(LINK, level=level) for level in LEVELS))
    cases = read(render_junit([made], fail_on=fail_on)).findall("testsuite/testcase")
    told = [
        level for level, case in zip(LEVELS, cases, strict=True) if case.find("failure") is not None
    ]
    assert told == failed


def test_what_could_not_be_read_is_in_error() -> None:
    """A location, or a file in one, that could not be read is a case in error."""
    lost = SourceUnavailable("gone", location="notes", entry="b.md")
    root = read(render_junit([outcome(DATED, unread=(lost,)), unreadable()], base=BASE))
    cases = root.findall("testsuite/testcase")
    assert [case.attrib["name"] for case in cases] == ["read b.md", "MF304 a.md:3", "read"]
    errors = [error for case in cases for error in case.findall("error")]
    assert [error.attrib for error in errors] == [
        {"message": "b.md: gone", "type": "SourceUnavailable"},
        {"message": "does not exist", "type": "NotFound"},
    ]
    assert errors[1].text == "does not exist\nlook for it"
    assert (root.attrib["tests"], root.attrib["errors"]) == ("3", "2")


def names(*findings: object) -> list[str]:
    """The names of the cases of a field with these findings."""
    made = outcome(*findings)  # type: ignore[arg-type]
    return [case.attrib["name"] for case in read(render_junit([made])).iter("testcase")]


def test_names_that_would_be_shared() -> None:
    """Findings of a rule in one line are told apart by column, and by number at the last."""
    other = replace(LINK, column=5)
    assert names(LINK) == ["MF209 a.md:9"]
    assert names(LINK, other) == ["MF209 a.md:9:2", "MF209 a.md:9:5"]
    assert names(LINK, LINK, other) == ["MF209 a.md:9:2", "MF209 a.md:9:2 #2", "MF209 a.md:9:5"]
    assert names(EMPTY, EMPTY, EMPTY) == ["MF101", "MF101 #2", "MF101 #3"]
    likeness = replace(LINK, file="a.md:9", line=None, column=None)
    assert names(likeness, LINK) == ["MF209 a.md:9", "MF209 a.md:9:2"]
    numbered = replace(EMPTY, file="#2")
    assert names(numbered, EMPTY, EMPTY) == ["MF101 #2", "MF101", "MF101 #3"]


def test_same_location_twice() -> None:
    """The names of suites are unique, too."""
    root = read(render_junit([outcome(DATED), outcome(DATED)]))
    assert [suite.attrib["name"] for suite in root] == ["notes", "notes #2"]


def test_entries_name_their_archive() -> None:
    """The file of a case is one that can be opened; its name tells the entry."""
    made = outcome(DATED, location="x.zip", is_archive=True)
    [case] = read(render_junit([made], base=BASE)).iter("testcase")
    assert (case.attrib["name"], case.attrib["file"]) == ("MF304 a.md:3", "x.zip")


@settings(max_examples=50, deadline=None)
@given(outcomes(), st.sampled_from(LEVELS))
def test_cases_read_back(made: list[Checked], fail_on: Level) -> None:
    """Whatever a field holds, the document is well-formed and has these findings, in order."""
    root = read(render_junit(made, fail_on=fail_on, base=BASE))
    assert len(root) == len(made)
    failing = LEVELS[: LEVELS.index(fail_on) + 1]
    for suite, one in zip(root, made, strict=True):
        cases = [case for case in suite if case.find("error") is None]
        found = findings_of([one])
        if not found:
            assert [case.attrib["name"] for case in cases] in ([], ["no findings"])
            continue
        for case, (_, finding) in zip(cases, found, strict=True):
            place = "" if finding.file is None else f" {harmless(finding.file)}"
            line = "" if finding.line is None else f":{finding.line}"
            assert case.attrib["name"].startswith(f"{finding.rule}{place}{line}")
            assert case.get("line") == (finding.line and str(finding.line))
            [told] = case
            assert told.tag == ("failure" if finding.level in failing else "system-out")
            message = (told.text or "").split("\n")[1]
            assert message == harmless(finding.message)


def harmless(text: str) -> str:
    """Visible text, without the two characters that XML cannot hold."""
    return visible(text).replace("\ufffe", r"\u{fffe}").replace("\uffff", r"\u{ffff}")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_the_document(text: str) -> None:
    """No name, message, hint or error ends its element or is lost."""
    finding = replace(DATED, file=text, message=text, hint=text)
    lost = SourceUnavailable(text, location=text, entry=text, hint=text)
    root = read(render_junit([outcome(finding, location=text), unreadable(text, lost)]))
    cases = [*root.iter("testcase")]
    [failure], [error] = (case.findall("*") for case in cases)
    assert failure.attrib["message"] == harmless(text)
    assert error.attrib["message"] == f"{harmless(text)}: {harmless(text)}"


def test_many_findings() -> None:
    """A large report has a case for every finding, all of one name told apart."""
    root = read(render_junit([many(9_000)]))
    assert (root.attrib["tests"], root.attrib["failures"]) == ("9000", "3000")
    alike = read(render_junit([outcome(*[LINK] * 9_000)]))
    assert alike[0][-1].attrib["name"] == "MF209 a.md:9:2 #9000"
