"""The page "Who agrees": written from reports, and a Python found to get them with."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from memoryfield_validator.conformance import fixtures

Object: TypeAlias = dict[str, Any]

ROOT = Path(__file__).parents[2]


@pytest.fixture
def matrix(monkeypatch: pytest.MonkeyPatch) -> Any:
    return loaded("matrix", monkeypatch)


@pytest.fixture
def who_agrees(monkeypatch: pytest.MonkeyPatch) -> Any:
    return loaded("who_agrees", monkeypatch)


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module(name)


def report(name: str, profile: str, *results: Object) -> Object:
    who = {"name": name, "release": "1.0", "profile": profile}
    return {"version": 1, "implementation": who, "results": list(results)}


def result(case: str, expected: Object, answered: Object | None = None, **changes: Any) -> Object:
    """A result: that it passed, where nothing else is said."""
    said = expected if answered is None else answered
    differing = [key for key in expected if key in said and said[key] != expected[key]]
    return {
        "case": case,
        "title": f"About {case}",
        "requirements": [case[:5].upper()],
        "source": "directory",
        "result": "fail" if differing else "pass",
        "reason": None,
        "differences": [
            {"key": key, "expected": expected[key], "answered": said[key]} for key in differing
        ],
        "expected": {key: expected[key] for key in said},
        "answered": said,
    } | changes


VALID = {"verdict": "valid", "files": []}
INVALID = {"verdict": "invalid", "files": ["a.md"]}
NO_ANSWER: Object = {"result": "errored", "reason": "`x` crashed: <No>", "answered": None}
SKIPPED: Object = {"result": "skipped", "reason": "it does not check MF504", "answered": None}
OURS = (
    result("mf201-hyphens-in-a-row", VALID | {"pages": ["a--b.md"], "findings": []}),
    result("mf301-agreed", INVALID),
    result("mf305-as-here", INVALID),
    result("mf504-index", {}, **SKIPPED),
    result("mf601-broken", INVALID | {"findings": []}, INVALID | {"findings": [1]}),
    result("mf603-archive", VALID, source="archive"),
    result("mf603-archive", VALID, source="archive-deflated"),
)
THEIRS = (
    result("mf201-hyphens-in-a-row", VALID, {"verdict": "invalid", "files": ["a--b.md"]}),
    result("mf301-agreed", INVALID),
    result("mf305-as-here", VALID, INVALID),
    result("mf601-broken", INVALID, **NO_ANSWER),
    result("mf603-archive", VALID, {"verdict": "valid", "files": ["x|`y"]}, source="archive"),
    result("mf603-archive", VALID, source="archive-deflated"),
)


@pytest.fixture
def page(who_agrees: Any) -> str:
    of = who_agrees.Judged.of
    ours = of([report("memoryfield-kit", "kit", *OURS)], adapter="kit.py", how="Everything.")
    halves = [
        report("theirs", "draft-0.1", *THEIRS[:2]),
        report("theirs", "draft-0.1", *THEIRS[2:]),
    ]
    return str(who_agrees.page(ours, [of(halves, adapter="theirs.py", how="Some.")]))


def test_the_page_says_what_made_it_and_who_was_asked(page: str) -> None:
    lines = page.splitlines()
    assert lines[0] == "<!-- Written by docs/matrix.py (make matrix). Do not edit. -->"
    assert (
        "| theirs | 1.0 | the public draft 0.1 alone | Some. "
        "[adapter](../conformance-fixtures/adapters/theirs.py) |"
    ) in lines
    assert page.endswith("\n")


def test_a_case_counts_once_for_all_its_sources(page: str) -> None:
    lines = page.splitlines()
    assert "| memoryfield-kit 1.0 | 6 | 4 | 1 |  | 0 | 1 |" in lines
    assert "| theirs 1.0 | 6 | 1 | 3 | 1 | 1 | 1 |" in lines


def test_rows_are_of_cases_on_which_not_all_agree(page: str) -> None:
    cases = page.partition("## Cases on which not all agree")[2]
    rows = {line.split("]")[0][3:]: line for line in cases.splitlines() if line.startswith("| [mf")}
    assert list(rows) == [
        "mf201-hyphens-in-a-row", "mf305-as-here", "mf601-broken", "mf603-archive",
    ]  # fmt: skip
    assert rows["mf201-hyphens-in-a-row"] == (
        "| [mf201-hyphens-in-a-row](../conformance-fixtures/cases/2xx/mf201-hyphens-in-a-row.toml) "
        "About mf201-hyphens-in-a-row | valid | agrees | invalid: `a--b.md` |"
    )
    assert rows["mf305-as-here"].endswith(
        "| invalid: `a.md`; by the draft: valid | agrees | invalid: `a.md` (as this standard) |"
    )
    assert rows["mf601-broken"].endswith(
        "| invalid: `a.md` | other `findings` | no answer: `x` crashed: \\<No\\> |"
    )
    assert rows["mf603-archive"].endswith(
        "| valid | agrees | valid: `x\\|'y` (archive); agrees (archive-deflated) |"
    )
    assert "### 2xx" in cases
    assert "### 5xx" not in cases


def test_pages_that_are_listed_wrongly_are_named(who_agrees: Any) -> None:
    expected = VALID | {"pages": ["a.md", "b.md"]}
    of = who_agrees.Judged.of
    ours = of([report("us", "kit", result("mf901-x", expected))], adapter="", how="")
    listed = result("mf901-x", expected, VALID | {"pages": ["a.md", *"cdefg"]})
    theirs = of([report("they", "draft-0.1", listed)], adapter="", how="")
    assert (
        "| valid | agrees | lists `c`, `d`, `e`, `f` and 1 more, does not list `b.md` |"
    ) in who_agrees.page(ours, [theirs])


def test_the_page_is_honest_about_us(page: str) -> None:
    ourselves = page.partition("## Where we fail ourselves")[2].partition("\n## ")[0]
    assert "1 of 5 cases:" in ourselves
    assert "mf601-broken.toml): other `findings`" in ourselves
    assert "- it does not check MF504: 1" in ourselves


def test_questions_are_settled_where_there_are_cases(page: str) -> None:
    questions = page.partition("## Questions")[2].partition("\n## ")[0]
    assert questions.count("### ") == 1
    assert "### Is `a--b.md` a good page name?" in questions
    assert "([MF201](../spec/SPEC.md#mf201))" in questions
    assert "| invalid: `a--b.md` |" in questions


def test_every_case_of_a_question_is_in_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    questions = loaded("agreement_questions", monkeypatch).QUESTIONS
    cases = Path(str(fixtures())) / "cases"
    known = {path.stem for path in cases.glob("*/*.toml")}
    assert [case for asked in questions for case in asked.cases if case not in known] == []


def stand_in(path: Path, prints: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{prints}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(matrix: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without Python: an empty PATH, no pyenv, and a program that is too old."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PYENV_ROOT", raising=False)
    monkeypatch.setattr(sys, "executable", str(stand_in(tmp_path / "old", "echo 3 11")))
    return tmp_path


def test_the_oldest_python_that_fits_is_found_on_path(matrix: Any, bare: Path) -> None:
    stand_in(bare / "bin" / "python3", "echo 3 13")
    fits = stand_in(bare / "bin" / "python3.12", "echo 3 12")
    stand_in(bare / "bin" / "python3.14", "echo pyenv: version not installed >&2; exit 127")
    assert matrix.find_python() == str(fits)


@pytest.mark.parametrize("how", ["home", "variable", "command"])
def test_a_python_of_pyenv_is_found(
    matrix: Any, bare: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    root = bare / ("home/.pyenv" if how == "home" else "elsewhere")
    if how == "variable":
        monkeypatch.setenv("PYENV_ROOT", str(root))
    elif how == "command":
        stand_in(bare / "bin" / "pyenv", f"echo {root}")
    stand_in(root / "versions" / "3.9.1" / "bin" / "python", "echo 3 9")
    fits = stand_in(root / "versions" / "3.13.2" / "bin" / "python", "echo 3 13")
    assert matrix.find_python() == str(fits)


def test_without_a_python_one_line_says_so(matrix: Any, bare: Path) -> None:
    with pytest.raises(SystemExit) as stopped:
        matrix.main()
    assert stopped.value.code == (
        "make matrix needs Python 3.12 or newer on PATH or under pyenv, and there is none"
    )


def test_every_adapter_and_release_is_named(matrix: Any) -> None:
    assert [asked.package for asked in matrix.OTHERS] == [
        "memoryfield-tool==0.5.0", "memoryfield==0.3.0",
    ]  # fmt: skip
    for asked in (matrix.OURS, *matrix.OTHERS):
        assert (matrix.ADAPTERS / asked.adapter).is_file()
    assert matrix.parts(matrix.OURS) == [[]]
    assert ["2xx", "--source", "directory"] in matrix.parts(matrix.OTHERS[1])
    assert ["6xx", "--source", "archive"] in matrix.parts(matrix.OTHERS[1])
