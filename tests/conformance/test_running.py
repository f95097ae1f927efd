"""Each case is put by each source, and the outcome says what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.conformance.answers import Change, Knowing
from tests.conformance.suites import (
    Given,
    archive,
    case_of,
    cases_of,
    dated,
    digest,
    field,
    kit_suite,
    page_case,
)

from memoryfield_readers import inspect_field
from memoryfield_validator import Finding, Profile, validate
from memoryfield_validator.conformance import (
    ANSWERS,
    SOURCES,
    Answer,
    Case,
    Ours,
    Outcome,
    Task,
    run_cases,
)

ALL: list[Given] = [field(), dated(), archive(), page_case(), digest()]
FITTING: Given = digest("digest-pinned", pin="sha256:" + "0" * 64, files=None, archive={
    "bytes": {"text": "x"}}, expect={"digest": "none", "manifest": "x\n", "fits": False,
    "archive-pin": "sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"},
)  # fmt: skip


def results(outcomes: list[Outcome]) -> set[str]:
    """The results that there are."""
    return {outcome.result for outcome in outcomes}


def test_ours_answers_every_kind(tmp_path: Path) -> None:
    """Our implementation passes one case of each kind, from each source."""
    outcomes = list(run_cases(cases_of(tmp_path, *ALL), Ours()))
    assert results(outcomes) == {"pass"}
    assert [(outcome.case.id, outcome.source) for outcome in outcomes[:4]] == [
        ("mf304-one", "directory"),
        ("mf304-one", "archive"),
        ("mf304-one", "archive-deflated"),
        ("mf304-dated", "directory"),
    ]
    assert len(outcomes) == 4 * 3 + 1


LIES: dict[str, Change] = {
    "verdict": lambda answer: answer.update(verdict="valid"),
    "findings": lambda answer: answer["findings"].pop(),
    "files": lambda answer: answer["files"].clear(),
    "pages": lambda answer: answer["pages"].append("b.md"),
    "digest": lambda answer: answer.update(digest=None),
    "state": lambda answer: answer.update(state="absent"),
    "frontmatter": lambda answer: answer["frontmatter"].update(a=True),
    "body": lambda answer: answer.update(body=answer["body"] + "\n"),
    "error": lambda answer: answer.update(error={}),
    "manifest": lambda answer: answer.update(manifest=None),
    "archive-pin": lambda answer: answer.update({"archive-pin": None}),
    "fits": lambda answer: answer.update(fits=None),
}


def test_every_key_can_be_lied_in() -> None:
    """A key that is added to the protocol has to be added here."""
    assert set(LIES) == {key for keys in ANSWERS.values() for key in keys}


@pytest.mark.parametrize("key", LIES)
@pytest.mark.parametrize("how", ["lie", "silence"])
def test_a_lie_in_any_key_fails(key: str, how: str, tmp_path: Path) -> None:
    """One that knows everything else fails for this key alone; so it does if it says nothing."""
    given = {"state": page_case(), "frontmatter": page_case(), "body": page_case(),
             "error": page_case(), "manifest": FITTING, "archive-pin": FITTING,
             "fits": FITTING}.get(key, dated())  # fmt: skip
    cases = cases_of(tmp_path, given)
    assert results(list(run_cases(cases, Knowing()))) == {"pass"}
    change = LIES[key] if how == "lie" else lambda answer: answer.pop(key)
    outcomes = list(run_cases(cases, Knowing(change)))
    assert results(outcomes) == {"fail"}
    assert {tuple(one.key for one in outcome.differences) for outcome in outcomes} == {(key,)}
    kind = given["kind"]
    unasked = {kind: tuple(each for each in ANSWERS[kind] if each != key)}
    assert results(list(run_cases(cases, Knowing(change, answers=unasked)))) == {"pass"}


MUTANTS: dict[str, Change] = {
    "a finding more": lambda answer: answer["findings"].append(answer["findings"][0]),
    "another line": lambda answer: answer["findings"][0].update(line=4),
    "another column": lambda answer: answer["findings"][0].update(column=9),
    "a milder level": lambda answer: answer["findings"][0].update(level="warning"),
    "another file": lambda answer: answer["findings"][0].update(file="A.md"),
    "a page less": lambda answer: answer["pages"].clear(),
    "the pin of another field": lambda answer: answer.update(digest="field-sha256:" + "0" * 64),
}


class Mutant(Ours):
    """Our implementation, with one thing changed in what it answers."""

    def __init__(self, change: Change) -> None:
        """Change answers so."""
        super().__init__()
        self._change = change

    def answer(self, task: Task) -> Answer:
        """Our answer, changed."""
        answer: dict[str, Any] = dict(super().answer(task))
        self._change(answer)
        return answer


@pytest.mark.parametrize("change", MUTANTS.values(), ids=MUTANTS)
def test_a_mutated_answer_of_ours_is_caught(change: Change, tmp_path: Path) -> None:
    """A change of any detail makes a pass a fail, from every source."""
    [case] = cases_of(tmp_path, dated())
    outcomes = list(run_cases([case], Mutant(change)))
    assert [outcome.result for outcome in outcomes] == ["fail"] * 3


class ByTheDraft(Ours):
    """Our implementation, as it judges by the draft alone."""

    profile: Profile = "draft-0.1"

    def answer(self, task: Task) -> Answer:
        """What `validate --profile draft-0.1` says."""
        with inspect_field(task.path, limits=task.case.limits) as opened:
            report = validate(opened, profile="draft-0.1")
        errors = {each.file for each in report.findings if each.level == "error" and each.file}
        return {
            "verdict": report.verdict,
            "files": sorted(errors, key=str.encode),
            "findings": [_told(finding) for finding in report.findings],
        }


def _told(finding: Finding) -> dict[str, Any]:
    return {key: finding.to_json()[key] for key in ("rule", "level", "file", "line", "column")}


def test_what_is_expected_by_the_draft_is_what_we_say_by_it() -> None:
    """Two ways lead there: from a case by its profile, and through the validator by its own."""
    cases = kit_suite().chosen(["mf101", "mf304", "mf604", "example-"])
    draft = ByTheDraft()
    keys = frozenset({"verdict", "files", "findings"})
    draft.answers = {"field": keys, "archive": keys}
    judged = list(run_cases(cases, draft, sources=["archive"]))
    wrong = [one for one in judged if one.result == "fail"]
    assert [(one.case.id, one.differences) for one in wrong] == []
    assert sum(one.result == "pass" for one in judged) > 20


def test_skipped_with_the_reason(tmp_path: Path) -> None:
    """What cannot be put is skipped, says why, and is not asked."""
    verdicts = Knowing(answers={"field": ("verdict",), "page": (), "digest": ("manifest",)})
    checking = Knowing(checked=frozenset({"MF304"}))
    cases = cases_of(tmp_path, *ALL)
    told = {o.case.id: (o.result, o.reason) for o in run_cases(cases, verdicts)}
    assert told == {
        "mf304-one": ("pass", None),
        "mf304-dated": ("pass", None),
        "mf604-archive": ("skipped", "knowing does not answer cases of kind archive"),
        "mf302-page": ("skipped", "knowing does not answer cases of kind page"),
        "digest-one": ("skipped", "knowing answers nothing that this case expects"),
    }
    assert {id for id, _ in verdicts.asked} == {"mf304-one", "mf304-dated"}
    outcomes = list(run_cases(cases, checking))
    reasons = {o.case.id: o.reason for o in outcomes if o.result == "skipped"}
    assert reasons == {"mf604-archive": "knowing does not check MF604"}
    assert {id for id, _ in checking.asked} == {case.id for case in cases} - {"mf604-archive"}


def test_only_the_sources_that_are_asked_for(tmp_path: Path) -> None:
    """A source leaves out the cases that it cannot carry, and each case counts as done."""
    cases = cases_of(tmp_path, field(sources=["directory"]), archive())
    done: list[Case] = []
    for source in SOURCES:
        knowing = Knowing()
        list(run_cases(cases, knowing, sources=[source], progress=done.append))
        expected = {"directory": [("mf304-one", source)], "archive": [("mf604-archive", source)]}
        assert knowing.asked == expected.get(source, [])
    assert done == cases * 3


def test_page_is_put_as_a_file_where_fields_are_not_read(tmp_path: Path) -> None:
    """An implementation that takes pages as files is asked once, another by every source."""
    for takes_fields, sources in ((True, [*SOURCES]), (False, ["directory"])):
        knowing = Knowing()
        knowing.takes_fields_for_pages = takes_fields
        list(run_cases([case_of(page_case(), tmp_path)], knowing))
        assert [source for _, source in knowing.asked] == sources


def test_what_was_compared_is_told(tmp_path: Path) -> None:
    """The outcome has the keys that were compared, and no others."""
    knowing = Knowing(LIES["verdict"], answers={"field": ("verdict", "pages")})
    [outcome] = run_cases([case_of(dated(), tmp_path)], knowing, sources=["archive"])
    assert outcome.expected == {"verdict": "invalid", "pages": ["a.md"]}
    assert outcome.answered == {"verdict": "valid", "pages": ["a.md"]}


def test_places_are_gone_afterwards(tmp_path: Path) -> None:
    """A place stands while the question is asked, in the scratch folder, and not longer."""
    seen: list[Path] = []

    class Looking(Knowing):
        def answer(self, task: Task) -> Answer:
            assert task.path.exists()
            seen.append(task.path)
            return super().answer(task)

    scratch = tmp_path / "scratch"
    scratch.mkdir()
    list(run_cases(cases_of(tmp_path, *ALL), Looking(), scratch=scratch))
    assert len(seen) == 13
    assert all(scratch in path.parents for path in seen)
    assert list(scratch.iterdir()) == []
