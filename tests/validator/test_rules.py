"""Each rule lets the fields through that obey it, and tells the others where and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryfield_readers import visible
from memoryfield_spec import catalogue
from memoryfield_validator import registered

from tests.validator import (
    cases_archives,
    cases_container,
    cases_dates,
    cases_frontmatter,
    cases_links,
    cases_listings,
    cases_names,
    cases_pages,
    cases_types,
    cases_yaml,
)
from tests.validator.cases import Case
from tests.validator.schemas import assert_fits_schema

CASES: tuple[Case, ...] = (
    *cases_container.CASES,
    *cases_names.CASES,
    *cases_pages.CASES,
    *cases_links.CASES,
    *cases_frontmatter.CASES,
    *cases_yaml.CASES,
    *cases_types.CASES,
    *cases_dates.CASES,
    *cases_listings.CASES,
    *cases_archives.CASES,
)
JUDGED = tuple(id for id in catalogue() if id[2] in "12346")

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}: {case.what}")


@each_case
def test_field_gives_exactly_the_expected_findings(case: Case, tmp_path: Path) -> None:
    """The report holds these findings, each at its level and place, and no other."""
    report = case.report(tmp_path)
    seen = sorted(report.findings, key=lambda one: (one.rule, *one.order()))
    wanted = sorted(case.found, key=lambda one: (one.rule, str(one.file), one.line or 0, one.column or 0))
    places = [(one.rule, one.level, one.file, one.line, one.column) for one in seen]
    assert sorted(map(str, places)) == sorted(str(one.place) for one in wanted)
    for found in case.found:
        match = [
            one
            for one in seen
            if (one.rule, one.level, one.file, one.line, one.column) == found.place
            and all(part in one.message for part in found.says)
        ]
        assert match, (found.says, [one.message for one in seen])
        hint = catalogue()[found.rule].hint if found.hint is None else found.hint
        assert hint in (match[0].hint or "")
        assert match[0].fixable is found.fixable
    verdict = "invalid" if any(found.level == "error" for found in case.found) else "valid"
    assert report.verdict == verdict
    assert_fits_schema(report)


@each_case
def test_message_is_one_line_that_a_terminal_can_show(case: Case, tmp_path: Path) -> None:
    """No message or hint holds a line end or an escape sequence, whatever the page holds."""
    for finding in case.report(tmp_path).findings:
        for text in (finding.message, finding.hint or ""):
            assert visible(text) == text
            assert len(text) <= 1000


def test_cases_can_be_told_apart() -> None:
    """No two cases of a rule are called the same, and each expectation says something."""
    names = [(case.rule, case.what) for case in CASES]
    assert len(set(names)) == len(names)
    assert all(part for case in CASES for found in case.found for part in found.says)
    assert all(found.says for case in CASES for found in case.found)


@pytest.mark.parametrize("id", JUDGED)
def test_requirement_has_a_check_and_cases(id: str) -> None:
    """Each requirement on fields has a check, a field that obeys it and one that breaks it."""
    assert id in registered()
    assert any(case.rule == id and not case.breaks for case in CASES), "no case obeys it"
    assert any(case.rule == id and case.breaks for case in CASES), "no case breaks it"


def test_checks_are_for_requirements_alone() -> None:
    """No check is registered for an id that the catalogue does not have."""
    assert registered() <= set(catalogue())
