"""Each rule lets the fields through that obey it, and tells the others where and why."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.validator import (
    cases_archives,
    cases_characters,
    cases_container,
    cases_dates,
    cases_frontmatter,
    cases_indexes,
    cases_limits,
    cases_links,
    cases_listings,
    cases_names,
    cases_pages,
    cases_types,
    cases_uuids,
    cases_yaml,
)
from tests.validator.cases import Case, place_of
from tests.validator.schemas import assert_fits_schema

from memoryfield_readers import visible
from memoryfield_spec import catalogue
from memoryfield_validator import registered

CASES: tuple[Case, ...] = (
    *cases_container.CASES,
    *cases_names.CASES,
    *cases_pages.CASES,
    *cases_characters.CASES,
    *cases_links.CASES,
    *cases_frontmatter.CASES,
    *cases_yaml.CASES,
    *cases_types.CASES,
    *cases_uuids.CASES,
    *cases_dates.CASES,
    *cases_listings.CASES,
    *cases_indexes.CASES,
    *cases_archives.CASES,
    *cases_limits.CASES,
)
JUDGED = tuple(id for id in catalogue() if id[2] in "123456")

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}: {case.what}")


@each_case
def test_field_gives_exactly_the_expected_findings(case: Case, tmp_path: Path) -> None:
    """The report holds these findings, each at its level and place, and no other.

    They say what is wrong and what to do: message and hint hold what is expected, in one line that
    a terminal can show.
    """
    report = case.report(tmp_path)
    assert Counter(map(place_of, report.findings)) == Counter(one.place for one in case.found)
    wrong = any(found.level == "error" for found in case.found)
    assert report.verdict == ("invalid" if wrong else "valid")
    for found in case.found:
        assert any(map(found.is_told_by, report.findings)), (found, report.findings)
    for finding in report.findings:
        for text in (finding.message, finding.hint or ""):
            assert visible(text) == text
            assert len(text) <= 1000
    assert_fits_schema(report)


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
