"""An answer passes if it is the expected one, and no other answer does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.conformance.suites import (
    MF304,
    archive,
    case_of,
    dated,
    digest,
    field,
    page_case,
)

from memoryfield_validator.conformance import Case, differences, expected_answer
from memoryfield_validator.conformance.judging import is_same_json, parsed_json

NULL_PLACE = {"file": None, "line": None, "column": None}
ONE = {"rule": "MF208", "level": "error", "file": "a.md", "line": 3, "column": 4}
OTHER = ONE | {"line": 5}
WHOLE = {"rule": "MF101", "level": "error", **NULL_PLACE}
Finding = dict[str, Any]


def passes(expected: Any, answered: Any, key: str = "findings") -> bool:
    """Whether an answer of one key passes."""
    return differences({key: expected}, {key: answered}, [key]) == ()


@pytest.mark.parametrize(
    "answered",
    [
        [ONE, OTHER, WHOLE],
        [WHOLE, OTHER, ONE],
        [{**ONE, "message": "x"}, OTHER, {**WHOLE, "fixable": True}],
        [ONE | {"line": 3.0}, OTHER, WHOLE],
        [ONE, OTHER, {"rule": "MF101", "level": "error"}],
    ],
    ids=["same", "other order", "more said", "3.0 is 3", "left out is null"],
)
def test_the_same_findings_pass(answered: list[Finding]) -> None:
    """Order, messages, and how a number is written do not count."""
    assert passes([ONE, OTHER, WHOLE], answered)


@pytest.mark.parametrize(
    "answered",
    [
        [], [ONE], [OTHER], [ONE, ONE], [ONE, OTHER, OTHER], [ONE, OTHER, WHOLE],
        [ONE, OTHER | {"rule": "MF209"}], [ONE, OTHER | {"file": "b.md"}],
        [ONE, OTHER | {"file": None}], [ONE, OTHER | {"line": 6}], [ONE, OTHER | {"line": None}],
        [ONE, OTHER | {"column": 5}], [ONE, OTHER | {"column": None}],
        [ONE, OTHER | {"level": "warning"}], [ONE, OTHER | {"line": "5"}],
        [ONE, OTHER | {"line": 5.5}], [ONE | {"line": True}, OTHER],
        [ONE, {key: OTHER[key] for key in OTHER if key != "column"}],
        [ONE, {key: OTHER[key] for key in OTHER if key != "level"}],
        [{"rule": "MF208"}, {"rule": "MF208"}],
    ],
)  # fmt: skip
def test_other_findings_fail(answered: list[Finding]) -> None:
    """One too many, one missing, one twice and one misplaced fail alike."""
    assert not passes([ONE, OTHER], answered)


@pytest.mark.parametrize(
    "answered",
    [None, {}, "", "MF208", 0, True, [None], [[ONE]], ["MF208"], {"0": ONE}, [ONE, None]],
)
def test_findings_that_are_no_list_of_objects_fail(answered: Any) -> None:
    """They are no answer, also where none is expected."""
    assert not passes([ONE], answered)
    assert not passes([], answered)


def test_true_is_no_line() -> None:
    """A line of `true` is not line 1."""
    assert not passes([ONE | {"line": 1}], [ONE | {"line": True}])


@pytest.mark.parametrize("left_out", [("level",), ("column",), ("level", "column")])
def test_level_and_column_may_be_left_out_by_all_findings(left_out: tuple[str, ...]) -> None:
    """What no finding has is not compared; the rest is, as exactly as ever."""
    said = [{key: each[key] for key in each if key not in left_out} for each in (ONE, OTHER)]
    assert passes([ONE, OTHER], said)
    assert not passes([ONE, OTHER], [said[0], said[0]])
    assert not passes([ONE, OTHER], said[:1])
    assert not passes([ONE, OTHER], [said[0], said[1] | {"rule": "MF209"}])


@pytest.mark.parametrize("left_out", ["rule", "file", "line"])
def test_nothing_else_may_be_left_out(left_out: str) -> None:
    """Rule, file and line are always compared."""
    said = [{key: each[key] for key in each if key != left_out} for each in (ONE, OTHER)]
    assert not passes([ONE, OTHER], said)


def test_where_nothing_is_expected_only_nothing_passes() -> None:
    """A valid field has no findings."""
    assert passes([], [])
    assert not passes([], [WHOLE])


SAME = [
    (None, None), (True, True), ("", ""), ("é", "é"), (1, 1.0), (0, -0.0), (2**60, float(2**60)),
    ([], []), ({}, {}), ([1, [2, {"a": None}]], [1.0, [2, {"a": None}]]),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
]  # fmt: skip
DIFFERENT = [
    (1, True), (0, False), (1.0, True), ("1", 1), (None, False), (None, 0), (None, ""), ("", []),
    ([], {}), ([1], [True]), ([1, 2], [2, 1]), ([1], [1, 1]), ({"a": 1}, {"a": True}),
    ({"a": 1}, {"b": 1}), ({"a": None}, {}), ({"a": {"b": [1]}}, {"a": {"b": [2]}}),
    ("\u00e9", "e\u0301"), (1, 2), (0.1, 0.2), ("a", "A"), ([None], []),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME)
def test_equal_json(one: Any, other: Any) -> None:
    """Values are equal as JSON: 1 is 1.0, and members have no order."""
    for expected, answered in (
        (one, other),
        (other, one),
        ([one], [other]),
        ({"": one}, {"": other}),
    ):
        assert is_same_json(expected, answered)
        assert passes(expected, answered, "frontmatter")


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_json(one: Any, other: Any) -> None:
    """1 is not true, null is not absent, and no text is normalised."""
    for expected, answered in (
        (one, other),
        (other, one),
        ([one], [other]),
        ({"": one}, {"": other}),
    ):
        assert not is_same_json(expected, answered)
        assert not passes(expected, answered, "frontmatter")


@pytest.mark.parametrize(
    "text",
    ["", "x", "{", "[1,]", "NaN", "-Infinity", '{"a": Infinity}', "[1e999]", "-1e999", "1" * 5000,
     "[" * 102 + "]" * 102, "[" * 100_000, '{"a":' * 101 + "1" + "}" * 101],
)  # fmt: skip
def test_what_is_no_json_is_refused(text: str) -> None:
    """Numbers that JSON has not, or no program can carry, and deep nesting are no JSON here."""
    with pytest.raises(ValueError, match=r".+"):
        parsed_json(text)


def test_nesting_that_fields_may_have_is_read() -> None:
    """The standard lets frontmatter nest 32 deep; more than that is read."""
    value = parsed_json("[" * 90 + "1e3" + "]" * 90)
    for _ in range(90):
        [value] = value
    assert value == 1000


def test_a_key_that_is_not_answered_differs() -> None:
    """No answer is not null, and only the keys that are asked for are compared."""
    expected = {"digest": None, "verdict": "valid"}
    assert [one.key for one in differences(expected, {}, ["digest", "verdict"])] == [
        "digest",
        "verdict",
    ]
    assert differences(expected, {"digest": None}, ["digest"]) == ()
    assert differences(expected, {"pages": []}, ["pages"]) == ()


FINDINGS = [
    {"rule": "MF101", "level": "error"},
    {"rule": "MF104", "level": "info", "archive-level": "warning", "file": ".x"},
    {"rule": "MF201", "level": "error", "file": "é.md"},
    {"rule": "MF304", "level": "error", "file": "z.md", "line": 3, "column": 10},
    {"rule": "MF308", "level": "error", "file": "z.md"},
]


@pytest.fixture
def many(tmp_path: Path) -> Case:
    """A case in which much is wrong."""
    expect = {"verdict": "invalid", "pages": ["z.md"], "digest": "none", "findings": FINDINGS}
    return case_of(field(expect=expect), tmp_path)


def test_the_answer_to_a_field(many: Case) -> None:
    """Places that are not there are null, `files` are sorted and each once, `none` is null."""
    assert expected_answer(many, "directory") == {
        "verdict": "invalid",
        "findings": [
            {"rule": "MF101", "level": "error", **NULL_PLACE},
            {"rule": "MF104", "level": "info", "file": ".x", "line": None, "column": None},
            {"rule": "MF201", "level": "error", "file": "é.md", "line": None, "column": None},
            {"rule": "MF304", "level": "error", "file": "z.md", "line": 3, "column": 10},
            {"rule": "MF308", "level": "error", "file": "z.md", "line": None, "column": None},
        ],
        "files": ["z.md", "é.md"],
        "pages": ["z.md"],
        "digest": None,
    }


def test_an_archive_has_its_own_level(many: Case) -> None:
    """`archive-level` counts in both kinds of archives, and nowhere else."""
    for source, level in (
        ("directory", "info"),
        ("archive", "warning"),
        ("archive-deflated", "warning"),
    ):
        [debris] = [one for one in expected_answer(many, source)["findings"] if one["file"] == ".x"]
        assert debris["level"] == level


def test_the_draft_does_not_count_what_the_standard_adds(tmp_path: Path) -> None:
    """An error of ours is info by the draft, and touches neither verdict nor files."""
    ours = {"rule": "MF308", "level": "error", "file": "a.md"}
    expect = {"verdict": "invalid", "pages": ["a.md"], "digest": "none", "findings": [ours]}
    answer = expected_answer(case_of(field(expect=expect), tmp_path), "directory", "draft-0.1")
    assert (answer["verdict"], answer["files"]) == ("valid", [])
    assert [one["level"] for one in answer["findings"]] == ["info"]
    answer = expected_answer(case_of(dated(), tmp_path), "directory", "draft-0.1")
    assert (answer["verdict"], answer["files"]) == ("invalid", ["a.md"])
    assert answer["findings"] == [MF304]


def test_what_is_not_checked_is_not_expected(many: Case) -> None:
    """Findings of other requirements are left out, and what follows from them."""
    answer = expected_answer(many, "directory", "kit", frozenset({"MF104", "MF304"}))
    assert [one["rule"] for one in answer["findings"]] == ["MF104", "MF304"]
    assert (answer["verdict"], answer["files"]) == ("invalid", ["z.md"])
    answer = expected_answer(many, "directory", "kit", frozenset({"MF104"}))
    assert (answer["verdict"], answer["files"]) == ("valid", [])


@pytest.mark.parametrize(
    ("settings", "rules"),
    [
        ({}, ["MF604"]),
        ({"profile": "draft-0.1"}, ["MF101", "MF604"]),
        ({"checked": frozenset({"MF101"})}, ["MF101"]),
        ({"checked": frozenset({"MF201"})}, []),
    ],
)
def test_no_page_is_told_where_nothing_else_counts(
    settings: Any, rules: list[str], tmp_path: Path
) -> None:
    """MF101 is held back by an error that says why; where that does not count, MF101 is told."""
    hidden = {"rule": "MF604", "level": "error", "file": "a.md"}
    expect = {"verdict": "invalid", "pages": [], "digest": "none", "findings": [hidden]}
    answer = expected_answer(case_of(archive(expect=expect), tmp_path), "archive", **settings)
    assert [one["rule"] for one in answer["findings"]] == rules
    assert answer["verdict"] == ("invalid" if rules else "valid")


def test_the_answer_to_a_page(tmp_path: Path) -> None:
    """The fields are JSON, and null where there are none; so is the error."""
    answer = expected_answer(case_of(page_case(), tmp_path), "directory")
    assert answer == {
        "state": "parsed",
        "frontmatter": {"a": 1, "b": [True, "x"]},
        "body": "Steel.\n",
        "error": None,
    }
    error = {"rule": "MF301", "line": 2, "column": 1}
    broken = {"state": "broken", "body": "x", "error": error}
    answer = expected_answer(case_of(page_case(expect=broken), tmp_path), "directory")
    assert answer == {**broken, "frontmatter": None}


def test_the_answer_to_a_digest(tmp_path: Path) -> None:
    """Only what the case says is compared; `none` is null."""
    case = case_of(digest(expect={"digest": "none"}), tmp_path)
    assert expected_answer(case, "directory") == {"digest": None}
