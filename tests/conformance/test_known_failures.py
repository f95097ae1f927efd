"""Failures that are known do not count, and the list of them cannot outlive its cause."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.conformance.answers import Change, Knowing
from tests.conformance.suites import Given, archive, cases_of, dated, field

from memoryfield_validator.conformance import (
    SOURCES,
    Answer,
    Case,
    NoAnswer,
    NoSuchCase,
    Outcome,
    Skip,
    Task,
    run_cases,
)
from memoryfield_validator.conformance.known import read_known_failures, with_known
from memoryfield_validator.conformance.reports import Run


@pytest.fixture
def cases(tmp_path: Path) -> list[Case]:
    given: list[Given] = [field(id="mf304-a"), dated("mf304-b"), archive()]
    return cases_of(tmp_path, *given)


def outcomes(cases: list[Case], change: Change, known: Mapping[str, str]) -> list[Outcome]:
    """What comes of the cases, with failures that are known."""
    return list(with_known(run_cases(cases, Knowing(change)), known))


def lie(answer: dict[str, object]) -> None:
    """Call what is invalid valid."""
    answer["verdict"] = "valid"


def say_the_truth(answer: dict[str, object]) -> None:
    """Leave the answer as it is."""


def test_a_known_failure_does_not_count(cases: list[Case]) -> None:
    """It stays a failure, is marked as known with the reason, and the run is good."""
    found = outcomes(cases, lie, {"mf304-b": "dates are not looked at"})
    assert not Run("x", "1", "kit", tuple(outcomes(cases, lie, {}))).is_good
    assert Run("x", "1", "kit", tuple(found)).is_good
    known = [one for one in found if one.known]
    assert [one.case.id for one in known] == ["mf304-b"] * 3
    assert {(one.result, one.reason) for one in known} == {
        ("fail", "known: dates are not looked at")
    }
    assert all(one.differences for one in known)
    assert {one.result for one in found if not one.known} == {"pass"}


def test_a_run_of_known_failures_alone_is_good(cases: list[Case]) -> None:
    """Something was put, and nothing failed that is not known to fail."""
    found = outcomes(cases[1:2], lie, {"mf304-b": "x"})
    assert {one.result for one in found} == {"fail"}
    assert Run("x", "1", "kit", tuple(found)).is_good


def test_one_that_passes_is_an_error(cases: list[Case]) -> None:
    """Whoever mends the cause must take the case off the list."""
    found = outcomes(cases, say_the_truth, {"mf304-b": "x", "mf604-archive": "y"})
    wrong = [one for one in found if one.result != "pass"]
    assert [one.case.id for one in wrong] == ["mf304-b"] * 3 + ["mf604-archive"]
    assert {one.result for one in wrong} == {"errored"}
    assert all("take it off the list" in (one.reason or "") for one in wrong)
    assert not Run("x", "1", "kit", tuple(found)).is_good


def test_one_that_fails_from_one_source_is_still_known(cases: list[Case]) -> None:
    """A case that fails by one source alone stays on the list; the others pass."""
    asked = []

    def lie_once(answer: dict[str, object]) -> None:
        asked.append(answer)
        if len(asked) == 2:
            lie(answer)

    found = outcomes(cases[1:2], lie_once, {"mf304-b": "x"})
    assert [(one.result, one.known) for one in found] == [
        ("pass", False),
        ("fail", True),
        ("pass", False),
    ]


def test_one_that_is_skipped_is_let_be(cases: list[Case]) -> None:
    """Where the case is not put, nothing is known of it."""
    knowing = Knowing(answers={"archive": ("verdict",)})
    found = list(with_known(run_cases(cases, knowing), {"mf304-b": "x"}))
    assert {one.result for one in found if one.case.id == "mf304-b"} == {"skipped"}


def test_one_that_passes_where_it_is_not_skipped_is_an_error(cases: list[Case]) -> None:
    """An implementation that skips a source for good does not keep the entry for good."""

    class NoArchives(Knowing):
        def answer(self, task: Task) -> Answer:
            if task.source != "directory":
                raise Skip("no archives yet")
            return super().answer(task)

    found = list(with_known(run_cases(cases, NoArchives()), {"mf304-b": "x"}))
    assert [one.result for one in found if one.case.id == "mf304-b"] == [
        "errored",
        "skipped",
        "skipped",
    ]


def test_some_sources_alone_prove_nothing(cases: list[Case]) -> None:
    """Where not every source was put, one that passes may fail by another: it is no error."""
    for source in SOURCES:
        put = run_cases(cases, Knowing(say_the_truth), sources=[source])
        found = list(with_known(put, {"mf304-b": "x"}, complete=False))
        assert {(one.result, one.known, one.reason) for one in found} == {("pass", False, None)}
        put = run_cases(cases, Knowing(lie), sources=[source])
        found = list(with_known(put, {"mf304-b": "x"}, complete=False))
        failed = [one for one in found if one.case.id == "mf304-b"]
        assert [(one.result, one.known, one.reason) for one in failed] == [
            ("fail", True, "known: x")
        ]


def test_one_that_is_errored_keeps_its_own_reason(cases: list[Case]) -> None:
    """That it is known says nothing of how it went wrong this time."""

    def fall(answer: dict[str, object]) -> None:
        raise NoAnswer("it fell")

    found = [one for one in outcomes(cases, fall, {"mf304-b": "dates"}) if one.known]
    assert [(one.result, one.reason) for one in found] == [
        ("errored", "it fell (known: dates)")
    ] * 3


def test_the_list_is_read(cases: list[Case], tmp_path: Path) -> None:
    """Each table is a case, with the reason."""
    path = tmp_path / "known.toml"
    path.write_text('[mf304-b]\nreason = "no dates: é"\n\n[mf604-archive]\nreason = "x"\n', "utf-8")
    assert read_known_failures(path, cases) == {"mf304-b": "no dates: é", "mf604-archive": "x"}
    path.write_text("")
    assert read_known_failures(path, cases) == {}


BAD = {
    "unknown id": ('[mf304-c]\nreason = "x"', "there is no case mf304-c"),
    "a beginning": ('[mf304]\nreason = "x"', "there is no case mf304"),
    "no reason": ("[mf304-b]", "[mf304-b] has no reason"),
    "blank reason": ('[mf304-b]\nreason = " \\n"', "[mf304-b] has no reason"),
    "reason that is no text": ("[mf304-b]\nreason = true", "[mf304-b] has no reason"),
    "no table": ('mf304-b = "x"', "[mf304-b] has no reason"),
    "no TOML": ("mf304-b", "cannot be read"),
    "nested without end": ("x = " + "[" * 100_000, "cannot be read"),
    "a number of 5000 digits": ("x = " + "1" * 5000, "cannot be read"),
    "half a character": ('[mf304-b]\nreason = "\udcff"', "cannot be read"),
}


@pytest.mark.parametrize(("text", "says"), BAD.values(), ids=BAD)
def test_a_bad_list_is_refused(text: str, says: str, cases: list[Case], tmp_path: Path) -> None:
    """The error names the file and the case; it is wrong usage."""
    path = tmp_path / "known.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(NoSuchCase) as caught:
        read_known_failures(path, cases)
    assert says in caught.value.message
    assert (caught.value.location, caught.value.exit_code) == (str(path), 2)


def test_a_list_that_is_not_there_is_refused(cases: list[Case], tmp_path: Path) -> None:
    """A missing file is no empty list."""
    with pytest.raises(NoSuchCase, match="cannot be read"):
        read_known_failures(tmp_path / "none.toml", cases)
