"""What a run found is told exactly, and nothing that an adapter says can do harm in a report."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.harmless import assert_harmless
from tests.conformance.answers import Change, Knowing
from tests.conformance.suites import MF304, archive, cases_of, dated, digest, field

from memoryfield_validator.conformance import Case, Outcome, run_cases
from memoryfield_validator.conformance.reports import (
    Run,
    render_json,
    render_markdown,
    render_text,
)

HOSTILE = "a\x1b[2J\u202eb\n| x | <b> `c` *d* _e_ [f](http://g) ~~h~~ &amp; $i$ \\| www.j.k \ud800"
OTHER = {"rule": "MF208", "level": "error", "file": "a.md", "line": 4, "column": 2}


@pytest.fixture
def cases(tmp_path: Path) -> list[Case]:
    return cases_of(tmp_path, field(), dated(), archive(), digest())


def run_of(cases: list[Case], change: Change = lambda answer: None, *, name: str = "x") -> Run:
    """A run of one that answers fields alone, from directories."""
    knowing = Knowing(change, answers={"field": ("verdict", "findings", "pages")})
    outcomes = run_cases(cases, knowing, sources=["directory", "archive"])
    return Run(name, "1.0", "kit", tuple(one for one in outcomes if _counts(one)))


def _counts(outcome: Outcome) -> bool:
    return outcome.source == "directory" or outcome.case.kind == "archive"


def change_findings(answer: dict[str, Any]) -> None:
    """One missing, another one too many."""
    answer["findings"] = [{**OTHER, "message": "x"} if one == MF304 else one
                          for one in answer["findings"]]  # fmt: skip


def test_text(cases: list[Case]) -> None:
    """Each failure with what differs, then why cases were skipped, then the counts."""
    assert render_text(run_of(cases, change_findings)).splitlines() == [
        "fail mf304-dated from directory",
        "     The case mf304-dated. It shows something.",
        "     cases/3xx/mf304-dated.toml, MF304",
        "     findings: missing MF304 error a.md:3:10",
        "     findings: not expected MF208 error a.md:4:2",
        "skipped 1 case: knowing does not answer cases of kind archive",
        "skipped 1 case: knowing does not answer cases of kind digest",
        "x 1.0, profile kit: 4 cases, 4 inputs: 1 pass, 1 fail, 2 skipped, 0 errored",
    ]


def test_text_of_one_case(cases: list[Case]) -> None:
    """Where all is well, the counts are all."""
    expected = "x 1.0, profile kit: 1 case, 1 input: 1 pass, 0 fail, 0 skipped, 0 errored"
    assert render_text(run_of(cases[:1])) == expected


def test_text_tells_the_same_failure_once(tmp_path: Path) -> None:
    """What is the same from several sources is one entry; what is not, another one."""
    answered = []

    def change(answer: dict[str, Any]) -> None:
        answered.append(answer)
        if len(answered) != 4:
            answer["verdict"] = "valid" if len(answered) < 6 else "perhaps"

    cases = cases_of(tmp_path, dated("mf304-a"), dated("mf304-b"), digest())
    knowing = Knowing(change, answers={"field": ("verdict",)})
    found = tuple(run_cases(cases, knowing))
    lines = render_text(Run("x", "1", "kit", found)).splitlines()
    assert lines == [
        "fail mf304-a from directory, archive, archive-deflated",
        "     The case mf304-a. It shows something.",
        "     cases/3xx/mf304-a.toml, MF304",
        '     verdict: expected "invalid", answered "valid"',
        "fail mf304-b from archive",
        "     The case mf304-b. It shows something.",
        "     cases/3xx/mf304-b.toml, MF304",
        '     verdict: expected "invalid", answered "valid"',
        "fail mf304-b from archive-deflated",
        "     The case mf304-b. It shows something.",
        "     cases/3xx/mf304-b.toml, MF304",
        '     verdict: expected "invalid", answered "perhaps"',
        "skipped 1 case: knowing does not answer cases of kind digest",
        "x 1, profile kit: 3 cases, 9 inputs: 1 pass, 5 fail, 3 skipped, 0 errored",
    ]


def test_text_keeps_apart_what_is_known(tmp_path: Path) -> None:
    """A known failure and one that counts are two entries; digests are about no requirement."""
    [case] = cases_of(tmp_path, digest())
    outcomes = [
        Outcome(case, "directory", "errored", "gone"),
        Outcome(case, "archive", "errored", "gone", known=True),
        Outcome(case, "archive-deflated", "errored", "away", known=True),
    ]
    lines = render_text(Run("x", "1", "kit", tuple(outcomes))).splitlines()
    about = ["     The case digest-one. It shows something.",
             "     cases/digests/digest-one.toml, digests"]  # fmt: skip
    assert lines[:-1] == [
        "errored digest-one from directory", *about, "     gone",
        "errored (known) digest-one from archive", *about, "     gone",
        "errored (known) digest-one from archive-deflated", *about, "     away",
    ]  # fmt: skip


DIFFERENCES: dict[str, tuple[Change, list[str]]] = {
    "another value": (
        lambda answer: answer.update(verdict="valid"),
        ['verdict: expected "invalid", answered "valid"']),
    "no value": (
        lambda answer: answer.pop("verdict"),
        ['verdict: expected "invalid", and the answer has no such key']),
    "null": (
        lambda answer: answer.update(verdict=None),
        ['verdict: expected "invalid", answered null']),
    "a page twice": (
        lambda answer: answer.update(pages=answer["pages"] * 2),
        ['pages: not expected "a.md"']),
    "no list": (
        lambda answer: answer.update(pages={"a": 1}),
        ['pages: expected ["a.md"], answered {"a": 1}']),
    "one twice": (
        lambda answer: answer["findings"].append(MF304),
        ["findings: not expected MF304 error a.md:3:10"]),
    "one of the field": (
        lambda answer: answer["findings"].append({"rule": "MF101", "level": "error"}),
        ["findings: not expected MF101 error"]),
    "without levels": (
        lambda answer: answer.update(findings=[{"rule": "MF304", "file": "a.md", "line": 3.0},
                                               {"rule": "MF101"}]),
        ["findings: not expected MF101"]),
    "finding that is none": (
        lambda answer: answer.update(findings=["x"]),
        ["findings: missing MF304 error a.md:3:10", 'findings: not expected "x"']),
    "finding of other types": (
        lambda answer: answer["findings"].append({"rule": ["\u00e9"], "level": {}, "line": "1"}),
        [r'findings: not expected ["\u00e9"] {} 1']),
    "finding of great length": (
        lambda answer: answer["findings"].append({"rule": "x" * 9000}),
        [f"findings: not expected {'x' * 297}..."]),
    "value of great length": (
        lambda answer: answer.update(verdict="x" * 9000),
        [f'verdict: expected "invalid", answered "{"x" * 296}...']),
    "as many as are told": (
        lambda answer: answer.update(pages=["a.md", *map(str, range(20))]),
        [f'pages: not expected "{number}"' for number in range(20)]),
    "many missing and many too many": (
        lambda answer: answer.update(pages=list(map(str, range(30)))),
        ['pages: missing "a.md"',
         *(f'pages: not expected "{number}"' for number in range(19)),
         "pages: and 11 more"]),
}  # fmt: skip


@pytest.mark.parametrize(("change", "told"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_what_differs(change: Change, told: list[str], cases: list[Case]) -> None:
    """Of lists, what is missing and what is too many; of all else, both values."""
    lines = render_text(run_of(cases[1:2], change)).splitlines()
    assert lines[3:-1] == [f"     {line}" for line in told]


def test_another_order_is_told(tmp_path: Path) -> None:
    """Where the members are the same, the order differs."""
    expect = {"verdict": "valid", "pages": ["a.md", "b.md"], "digest": "none"}
    cases = cases_of(tmp_path, field(expect=expect))
    text = render_text(run_of(cases, lambda answer: answer["pages"].reverse()))
    assert "     pages: in another order\n" in text


def test_json(cases: list[Case]) -> None:
    """One object: who was judged, each result with what was compared, and the counts."""
    answer = json.loads(render_json(run_of(cases[1:], change_findings)))
    expected = {"verdict": "invalid", "findings": [MF304], "pages": ["a.md"]}
    answered = expected | {"findings": [{**OTHER, "message": "x"}]}
    none = {"known": False, "differences": [], "expected": None, "answered": None}
    failed, skipped, _ = answer.pop("results")
    assert answer == {
        "version": 1,
        "implementation": {"name": "x", "release": "1.0", "profile": "kit"},
        "cases": 3,
        "summary": {"pass": 0, "fail": 1, "skipped": 2, "errored": 0},
    }
    assert failed == {
        "case": "mf304-dated", "kind": "field", "title": "The case mf304-dated",
        "requirements": ["MF304"], "source": "directory", "result": "fail", "known": False,
        "reason": None, "expected": expected, "answered": answered,
        "differences": [{"key": "findings", "expected": expected["findings"],
                         "answered": answered["findings"]}],
    }  # fmt: skip
    assert skipped == {
        "case": "mf604-archive", "kind": "archive", "title": "The case mf604-archive",
        "requirements": ["MF604"], "source": "archive", "result": "skipped",
        "reason": "knowing does not answer cases of kind archive", **none,
    }  # fmt: skip


def test_markdown(cases: list[Case]) -> None:
    """Counts by group, then what went wrong, then why cases were skipped."""
    assert render_markdown(run_of(cases, change_findings)).splitlines() == [
        "# x 1.0",
        "",
        "4 cases, judged by the profile kit.",
        "",
        "| group | pass | fail | skipped | errored |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| 3xx | 1 | 1 | 0 | 0 |",
        "| 6xx | 0 | 0 | 1 | 0 |",
        "| digests | 0 | 0 | 1 | 0 |",
        "| all | 1 | 1 | 2 | 0 |",
        "",
        "| case | source | result | what |",
        "| --- | --- | --- | --- |",
        "| `mf304-dated` | directory | fail | findings: missing MF304 error a.md:3:10; "
        "findings: not expected MF208 error a.md:4:2 |",
        "",
        "| skipped | why |",
        "| ---: | --- |",
        "| 1 | knowing does not answer cases of kind archive |",
        "| 1 | knowing does not answer cases of kind digest |",
    ]


def deep(depth: int) -> Any:
    """A list in a list, and so on, as deep as an answer may be."""
    value: Any = HOSTILE
    for _ in range(depth):
        value = [value]
    return value


STRANGE: dict[str, Change] = {
    "text": lambda answer: answer.update(verdict=HOSTILE, pages=[HOSTILE], findings=HOSTILE),
    "finding": lambda answer: answer["findings"].append({"rule": HOSTILE, "file": HOSTILE}),
    "keys": lambda answer: answer.update(pages={HOSTILE: HOSTILE}),
    "nesting": lambda answer: answer.update(verdict=deep(90), findings=[{"rule": deep(90)}]),
    "numbers": lambda answer: answer.update(verdict=10**400, pages=[1e300, -0.0]),
    "length": lambda answer: answer.update(verdict="| " * 50_000),
}


@pytest.mark.parametrize("change", STRANGE.values(), ids=STRANGE)
def test_strange_answers(change: Change, cases: list[Case]) -> None:
    """JSON is valid and ASCII, text harmless, and Markdown has as many cells as it should."""
    run = run_of(cases[1:2], change, name=HOSTILE)
    as_json = render_json(run)
    assert as_json.isascii()
    [result] = json.loads(as_json, parse_constant=pytest.fail)["results"]
    assert result["result"] == "fail"
    text = render_text(run)
    assert_harmless(text.encode())
    assert text.count("\n") < 10
    assert all(len(line) < 700 for line in text.splitlines())
    assert_no_markup(render_markdown(run))


@pytest.mark.parametrize("result", ["skipped", "errored"])
def test_strange_reasons(result: Any, cases: list[Case]) -> None:
    """Neither can a reason do harm, whoever gave it."""
    outcome = Outcome(cases[0], "directory", result, HOSTILE, known=result == "errored")
    run = Run(HOSTILE, HOSTILE, "kit", (outcome,))
    assert json.loads(render_json(run))["results"][0]["reason"] == HOSTILE
    assert_harmless(render_text(run).encode())
    assert_no_markup(render_markdown(run))


def assert_no_markup(text: str) -> None:
    """Every row has the cells of its head, and what could begin markup is escaped."""
    assert_harmless(text.encode())
    head = 0
    for line in text.splitlines():
        bare = re.sub(r"\\[!-/:-@\[-`{-~]", "", line)  # what a backslash escapes is plain
        cells = bare.count("|")
        head = head or cells
        assert cells == head or not cells, line
        head = head if cells else 0
        bare = re.sub(r"`mf304-[a-z]+`", "", bare).removeprefix("# ")
        assert not re.search(r"[`*_\[\]<>~&$#\\]|://|www\.", bare), line
