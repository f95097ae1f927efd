"""The suite checks itself: each thing that can be wrong with it is found, and told where it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conformance.suites import (
    MF304,
    STEEL,
    Given,
    archive,
    case_of,
    cases_of,
    dated,
    digest,
    field,
    page_case,
    suite_in,
    toml,
)

from memoryfield_spec import catalogue, examples
from memoryfield_validator.conformance.coverage import coverage_problems, covered
from memoryfield_validator.conformance.linting import Problem, lint_suite


def problems(root: Path, place: str) -> list[str]:
    """What is wrong at some place."""
    return [each.message for each in lint_suite(root) if each.place == place]


def test_good_cases_have_no_problem(tmp_path: Path) -> None:
    """Of every kind, in their places, nothing is said of them."""
    made = [field(), dated(), archive(), page_case(), digest()]
    given = [each | {"why": f"It shows {each['id']}."} for each in made]
    root = suite_in(tmp_path, *given)
    ids = {each["id"] for each in given}
    assert [each for each in lint_suite(root) if each.place in ids] == []


def two(first: Given, second: Given) -> Given:
    """The expectation of an invalid field with these findings."""
    return {"verdict": "invalid", "pages": ["a.md"], "digest": "none", "findings": [first, second]}


PIN = "sha256:" + "0" * 64
WHOLE = {"rule": "MF101", "level": "error"}
PAGE = {"state": "parsed", "body": ""}
NO_GROUP = "its id does not begin with its first requirement, nor with example or digest"
WRONG: dict[str, tuple[Given, str]] = {
    "order of requirements": (
        dated(requirements=["MF304", "MF102"]), "its requirements are not in ascending order"),
    "unknown requirement": (
        dated(requirements=["MF304", "MF399"]), "there is no requirement MF399"),
    "no requirement": (
        dated(requirements=[]), f"{NO_GROUP}; it is about no requirement"),
    "id of another requirement": (
        dated(requirements=["MF305"]), NO_GROUP),
    "long reason": (dated(why="One. Two."), "`why` is more than one sentence"),
    "pin without fits": (
        digest("mf304-dated", pin=PIN, requirements=["MF304"]), "a `pin` and `fits` go together"),
    "fits without a pin": (
        digest("mf304-dated", requirements=["MF304"], expect={"digest": "none", "fits": True}),
        "a `pin` and `fits` go together"),
    "order of places": (
        dated(expect=two(MF304, MF304 | {"line": 2})),
        "the findings are not in the order of a report"),
    "order of columns": (
        dated(expect=two(MF304, MF304 | {"column": 9})),
        "the findings are not in the order of a report"),
    "order of rules": (
        dated(expect=two(MF304, MF304 | {"rule": "MF208"})),
        "the findings are not in the order of a report"),
    "order of files": (
        dated(expect=two(MF304, MF304 | {"file": "Z.md"})),
        "the findings are not in the order of a report"),
    "the whole comes first": (
        dated(expect=two(MF304, WHOLE)), "the findings are not in the order of a report"),
    "finding of nothing": (
        dated(expect=two(MF304, MF304 | {"rule": "MF399"})), "there is no requirement MF399"),
    "valid with an error": (
        dated(expect=two(MF304, MF304) | {"verdict": "valid"}),
        "the verdict is valid, and the findings make it invalid"),
    "invalid without an error": (
        field(id="mf304-dated", expect={"verdict": "invalid", "pages": [], "digest": "none",
                                        "findings": [MF304 | {"level": "warning"}]}),
        "the verdict is invalid, and the findings make it valid"),
    "order of pages": (
        field(id="mf304-dated", expect={"verdict": "valid", "pages": ["é.md", "z.md"],
                                        "digest": "none"}),
        "the pages are not in the order of the bytes of their names"),
    "fields that are no object": (
        page_case("mf304-dated", requirements=["MF304"], expect=PAGE | {"frontmatter": "[1]"}),
        "the frontmatter that is expected is no JSON object"),
}  # fmt: skip


@pytest.mark.parametrize(("given", "says"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_case(given: Given, says: str, tmp_path: Path) -> None:
    """Each is found, alone, at the case; the group is that of the id."""
    root = suite_in(tmp_path, given)
    assert problems(root, "mf304-dated") == says.split("; ")


def test_a_file_of_another_name(tmp_path: Path) -> None:
    """The id is the name of the file."""
    root = suite_in(tmp_path, field())
    (root / "cases" / "3xx" / "mf304-one.toml").rename(root / "cases" / "3xx" / "x.toml")
    assert problems(root, "mf304-one") == ["stands in x.toml"]


@pytest.mark.parametrize(
    ("given", "group"), [(field(), "3xx"), (archive(), "6xx"), (digest(), "digests")]
)
def test_a_case_in_another_group(given: Given, group: str, tmp_path: Path) -> None:
    """A case stands in the group of its first requirement, or of its first word."""
    id = given["id"]
    root = suite_in(tmp_path, given, groups={id: "1xx"})
    assert problems(root, id) == [f"stands in 1xx/, and belongs to {group}/"]


def test_a_broken_case_does_not_hide_the_others(tmp_path: Path) -> None:
    """It is told by its file, and the rest is looked at."""
    root = suite_in(tmp_path, dated(requirements=[]), field())
    (root / "cases" / "3xx" / "mf304-one.toml").write_text("id = 1")
    assert [each for each in lint_suite(root) if each.place == "cases/3xx/mf304-one.toml"] != []
    assert "it is about no requirement" in problems(root, "mf304-dated")


def test_a_suite_without_a_case(tmp_path: Path) -> None:
    """That nothing is there is wrong, too."""
    assert Problem(str(tmp_path), "there is no case") in lint_suite(tmp_path)


def example(id: str = "bare-date", **changes: object) -> Given:
    """The case of an example of the standard, which breaks MF304."""
    given = dated(f"example-{id}", requirements=[examples()[id].rule], files=[
        {"name": "example.md", "example": id}])  # fmt: skip
    given["expect"]["findings"] = [MF304 | {"file": "example.md"}]
    return given | changes


def test_examples_are_cases(tmp_path: Path) -> None:
    """Each example of SPEC.md is one; the text may be given as text."""
    text = {"name": "example.md", "text": examples()["bare-date"].text}
    for number, given in enumerate((example(), example(files=[text]))):
        root = suite_in(tmp_path / str(number), given)
        assert problems(root, "example-bare-date") == []
        assert problems(root, "SPEC.md, example bare-date") == []
        assert problems(root, "SPEC.md, example colon-in-title") == ["is no case"]


NOT_THE_EXAMPLE = {
    "other text": [{"name": "example.md", "text": STEEL}],
    "other name": [{"name": "a.md", "example": "bare-date"}],
    "another one": [{"name": "example.md", "example": "colon-in-title"}],
    "no file": [],
}


@pytest.mark.parametrize("files", NOT_THE_EXAMPLE.values(), ids=NOT_THE_EXAMPLE)
def test_an_example_that_is_another_one(files: list[Given], tmp_path: Path) -> None:
    """The case of an example is about that text, as `example.md`."""
    root = suite_in(tmp_path, example(files=files))
    says = "is not the example bare-date of SPEC.md as example.md"
    assert problems(root, "example-bare-date") == [says]


def test_an_example_that_is_said_to_obey(tmp_path: Path) -> None:
    """What SPEC.md says that an example does is what the case expects."""
    expect = {"verdict": "valid", "pages": ["example.md"], "digest": "none"}
    root = suite_in(tmp_path, example(expect=expect))
    assert problems(root, "example-bare-date") == ["SPEC.md says that it breaks MF304"]


def test_an_example_that_the_standard_has_not(tmp_path: Path) -> None:
    """A case cannot claim to be an example."""
    root = suite_in(tmp_path, field(id="example-nothing"))
    assert problems(root, "example-nothing") == ["SPEC.md has no such example"]


def test_what_covers_a_requirement(tmp_path: Path) -> None:
    """A finding of it breaks it, also the error of a page; none obeys it."""
    error = {"rule": "MF301", "line": 1, "column": 1}
    broken = page_case(
        "mf301-broken",
        requirements=["MF301"],
        expect={"state": "broken", "body": "", "error": error},
    )
    both = dated("mf304-both", requirements=["MF304", "MF305"])
    cases = cases_of(tmp_path, field(), dated(), both, page_case(), broken)
    assert covered(cases) == {
        ("MF304", "obeys"): ["mf304-one"],
        ("MF304", "breaks"): ["mf304-dated", "mf304-both"],
        ("MF305", "obeys"): ["mf304-both"],
        ("MF302", "obeys"): ["mf302-page"],
        ("MF301", "breaks"): ["mf301-broken"],
    }


ALL = {id: {"obeys": "a reason", "breaks": "a reason"} for id in catalogue()}


def test_a_reason_for_each_side(tmp_path: Path) -> None:
    """Where there is no case, a reason stands; where there is one, none."""
    cases = [case_of(field(), tmp_path)]
    reasons = ALL | {"MF304": {"breaks": "a reason"}}
    assert list(coverage_problems(cases, reasons)) == []


NO_REASON = ("MF304", "no case breaks it, and coverage.toml has no reason")
UNCOVERED: dict[str, tuple[Given, tuple[str, str]]] = {
    "no reason": ({"MF304": {}}, NO_REASON),
    "blank reason": (
        {"MF304": {"breaks": " "}}, NO_REASON),
    "reason that is no text": (
        {"MF304": {"breaks": 1}}, NO_REASON),
    "not needed": (
        {"MF304": {"breaks": "x", "obeys": "y"}},
        ("coverage.toml", "MF304 obeys: there is a reason, and also a case")),
    "unknown requirement": (
        {"MF304": {"breaks": "x"}, "MF399": {}},
        ("coverage.toml", "there is no requirement MF399")),
    "names no case": (
        {"MF304": {"breaks": "it is in (mf304-gone), and mf304-one."}},
        ("coverage.toml", "MF304 names mf304-gone, which is no case")),
    "no table": ({"MF304": "x"}, ("coverage.toml", "MF304 is no table of reasons")),
}  # fmt: skip


@pytest.mark.parametrize(("reasons", "problem"), UNCOVERED.values(), ids=UNCOVERED)
def test_reasons_that_are_wrong(reasons: Given, problem: tuple[str, str], tmp_path: Path) -> None:
    """A side without case and reason, a reason too many, and one that names what is not there."""
    cases = [case_of(field(), tmp_path)]
    assert list(coverage_problems(cases, ALL | reasons)) == [problem]


def test_reasons_stand_beside_the_cases(tmp_path: Path) -> None:
    """They are read from `coverage.toml`; without it, there are none."""
    root = suite_in(tmp_path, field())
    says = "no case breaks it, and coverage.toml has no reason"
    assert says in problems(root, "MF304")
    (root / "coverage.toml").write_text(toml({"MF304": {"breaks": "x"}}))
    assert problems(root, "MF304") == []
    assert problems(root, "MF305") != []


@pytest.mark.parametrize("data", [b"MF304", b"\xff", b"x = " + b"[" * 100_000])
def test_reasons_that_cannot_be_read(data: bytes, tmp_path: Path) -> None:
    """Then that is the problem, and the cases are looked at all the same."""
    root = suite_in(tmp_path, dated(requirements=[]))
    (root / "coverage.toml").write_bytes(data)
    [says] = problems(root, "coverage.toml")
    assert says.startswith("is no TOML")
    assert "it is about no requirement" in problems(root, "mf304-dated")
