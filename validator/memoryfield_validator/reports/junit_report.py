"""The report as JUnit XML, which CI systems show as tests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memoryfield_spec import Level, catalogue

from ..checked import Checked
from ..finding import LEVELS, Finding
from .places import Base, base_of, name_of, path_of
from .results import Problem, Result, one_line, problems_of, results_of, sentences

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NO_XML = re.compile("[\ufffe\uffff]")
"""What no XML document can hold, not even as a reference, besides what is not visible anyway."""

_DECLARATION = '<?xml version="1.0" encoding="us-ascii"?>\n'


def render_junit(
    checked: Sequence[Checked],
    *,
    fail_on: Level = "error",
    base: Base = None,
) -> str:
    """A test suite for each location, a test case for each finding; pure ASCII.

    A location without findings is one case that passes; one that could not be read, and each thing
    in it that could not, is one in error.

    Arguments:
        checked: what came of each location.
        fail_on: the mildest level of a finding that makes its case fail; a milder one passes, and
            its text is the output of the case.
        base: the folder from which paths are told; None for the working directory.
    """
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    suites = Element("testsuites", name="memoryfield")
    names = _Names()
    for one in checked:
        suite = SubElement(suites, "testsuite", name=names.unique(_plain(name_of(one))))
        suite.extend(_Cases(one, fail_on, base_of(base)).all())
        _count(suite, [*suite])
    _count(suites, [case for suite in suites for case in suite])
    indent(suites)
    return (
        f"{_DECLARATION}{tostring(suites, encoding='us-ascii', xml_declaration=False).decode()}\n"
    )


class _Cases:
    """The test cases of one location."""

    def __init__(self, checked: Checked, fail_on: Level, base: Base) -> None:
        self._checked = checked
        self._failing = LEVELS[: LEVELS.index(fail_on) + 1]
        self._base = base
        self._names = _Names()

    def all(self) -> Iterator[Element]:
        """What could not be read, then the findings, or one case that passes."""
        results, problems = [*results_of([self._checked])], [*problems_of([self._checked])]
        for problem in problems:
            yield self._unread(problem)
        uses = Counter(_name(result.finding) for result in results)
        for result in results:
            name = _name(result.finding)
            if uses[name] > 1 and result.finding.column is not None:
                name = f"{name}:{result.finding.column}"
            yield self._finding(result, name)
        if not results and not problems:
            yield self._case("no findings", None)

    def _unread(self, problem: Problem) -> Element:
        from xml.etree.ElementTree import SubElement

        entry = problem.error.entry
        case = self._case(f"read {entry}" if entry else "read", entry)
        error = SubElement(case, "error", message=_plain(problem.text), type=_kind(problem))
        error.text = "\n".join(map(_plain, sentences(problem.text, problem.error.hint)))
        return case

    def _finding(self, result: Result, name: str) -> Element:
        from xml.etree.ElementTree import SubElement

        finding = result.finding
        case = self._case(name, finding.file)
        if finding.line is not None:
            case.set("line", str(finding.line))
        if finding.level in self._failing:
            message = _plain(finding.message)
            told = SubElement(case, "failure", message=message, type=finding.rule)
        else:
            told = SubElement(case, "system-out")
        heading = f"{finding.level} {finding.rule} {catalogue()[finding.rule].title}"
        lines = (heading, *sentences(finding.message, finding.hint))
        told.text = "\n".join(map(_plain, lines))
        return case

    def _case(self, name: str, file: str | None) -> Element:
        from xml.etree.ElementTree import Element

        return Element(
            "testcase",
            classname=_plain(name_of(self._checked)),
            name=self._names.unique(_plain(name)),
            file=_plain(path_of(self._checked, file, self._base)),
        )


class _Names:
    """Names that have been given; no two are alike."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: Counter[str] = Counter()

    def unique(self, name: str) -> str:
        """The name, with a number behind it if it is taken."""
        unique = name
        while unique in self._taken:
            self._counts[name] += 1
            unique = f"{name} #{self._counts[name] + 1}"
        self._taken.add(unique)
        return unique


def _name(finding: Finding) -> str:
    """Rule, file and line."""
    place = "" if finding.file is None else f" {finding.file}"
    return (
        f"{finding.rule}{place}"
        if finding.line is None
        else f"{finding.rule}{place}:{finding.line}"
    )


def _count(element: Element, cases: Sequence[Element]) -> None:
    """State how many of these cases there are, and how many did not pass."""
    element.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error")):
        element.set(attribute, str(sum(case.find(tag) is not None for case in cases)))


def _kind(problem: Problem) -> str:
    return type(problem.error).__name__


def _plain(text: str) -> str:
    """One line of text that XML can hold."""
    return _NO_XML.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", one_line(text))
