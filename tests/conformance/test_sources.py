"""Cases stand the same in sources elsewhere: on a server, in a git tree, in a bucket."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.answers import Knowing
from tests.conformance.suites import (
    STEEL,
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
from tests.readers.servers.s3_server import s3_server
from tests.readers.servers.s3_world import KEYS, no_aws

from memoryfield_cli.commands.conformance import run as run_command
from memoryfield_readers import LocationError
from memoryfield_validator.conformance import (
    EVERY_SOURCE,
    Answer,
    Case,
    Elsewhere,
    Ours,
    Outcome,
    Skip,
    Task,
    expected_answer,
    run_cases,
    sources_of,
)

HERE = ("http", "http-archive", "git")
"""The sources elsewhere that need nothing from outside."""

TELLING = (
    "mf101-empty-field", "mf102-65-folders-deep", "mf102-pages-in-folders",
    "mf103-folders-in-folders", "mf104-hidden-files", "mf105-link-into-folder",
    "mf105-links-in-a-circle", "mf201-line-feed-at-the-end", "mf204-no-block", "mf603-absolute",
    "mf607-entries-over-the-limit-in-a-directory", "mf607-file-over-the-limit", "mf901-non-ascii",
    "digest-names-beyond-ascii", "digest-name-not-utf-8",
)  # fmt: skip
"""Cases of the kit in which sources have most to differ in."""


def telling(*ids: str) -> list[Case]:
    """Those of them, or others of the kit."""
    by_id = {case.id: case for case in kit_suite().cases}
    return [by_id[id] for id in ids or TELLING]


def told(outcomes: Iterator[Outcome]) -> dict[str, set[tuple[str, str | None]]]:
    """What came of each case: results and reasons."""
    found: dict[str, set[tuple[str, str | None]]] = {}
    for outcome in outcomes:
        said = str(outcome.differences) if outcome.result == "fail" else outcome.reason
        found.setdefault(outcome.case.id, set()).add((outcome.result, said))
    return found


def test_the_command_has_every_source() -> None:
    """`--source` takes the names that the runner has, in its order."""
    [option] = [each for each in run_command.params if each.name == "sources"]
    assert getattr(option.type, "choices", None) == EVERY_SOURCE


@pytest.mark.parametrize("source", HERE)
def test_ours_passes_every_kind(source: str, tmp_path: Path) -> None:
    """Our implementation answers one case of each kind as it does from a directory."""
    given = [dated(), page_case(), digest(), archive()]
    cases = cases_of(
        tmp_path, *(each for each in given if source == HERE[1] or "archive" not in each)
    )
    outcomes = list(run_cases(cases, Ours(), scratch=tmp_path, sources=[source]))
    assert [(each.case.id, each.result) for each in outcomes] == [
        (case.id, "pass") for case in cases
    ]


@pytest.mark.parametrize("source", HERE)
def test_ours_passes_where_sources_differ_most(source: str, tmp_path: Path) -> None:
    """Links, folders, debris, odd names and limits are judged alike, or skipped with the reason."""
    cases = telling()
    results = told(run_cases(cases, Ours(), scratch=tmp_path, sources=[source]))
    assert not {
        id: said for id, said in results.items() if {r for r, _ in said} - {"pass", "skipped"}
    }
    assert sum(said == {("pass", None)} for said in results.values()) > len(results) / 2
    assert [path.name for path in tmp_path.iterdir()] == []


class Lying(Ours):
    """Our implementation, which says of one source that there is a page more."""

    def __init__(self, source: str) -> None:
        """Lie about this source."""
        super().__init__()
        self._source = source

    def answer(self, task: Task) -> Answer:
        """Our answer, or the lie."""
        answer = dict(super().answer(task))
        if task.source == self._source:
            answer["pages"] = [*answer["pages"], "b.md"]
        return answer


@pytest.mark.parametrize("source", HERE)
def test_a_wrong_answer_through_one_source_fails(source: str, tmp_path: Path) -> None:
    """It does not count that it is right everywhere else."""
    cases = cases_of(tmp_path, dated())
    outcomes = list(run_cases(cases, Lying(source), sources=["directory", *HERE]))
    results = {each.source: each.result for each in outcomes}
    assert results == dict.fromkeys(["directory", *HERE], "pass") | {source: "fail"}
    [failed] = [each for each in outcomes if each.result == "fail"]
    assert [each.key for each in failed.differences] == ["pages"]


def test_which_sources_can_carry_a_case(tmp_path: Path) -> None:
    """An archive of its own is served as well; what only directories hold may be in git."""
    cases = cases_of(tmp_path, archive(), field(sources=["directory"]), field(sources=["archive"]))
    assert [sources_of(case, EVERY_SOURCE) for case in cases] == [
        ("archive", "http-archive"),
        ("directory", "http", "git", "s3"),
        ("archive", "archive-deflated", "http-archive"),
    ]


def test_a_server_tells_nothing_of_folders(tmp_path: Path) -> None:
    """Findings on what lies in them are not expected of it; on the folders themselves they are."""
    finding = {"rule": "MF103", "level": "info", "file": "x/"}
    nested = {"rule": "MF102", "level": "warning", "file": "x/b.md"}
    given = field({"name": "a.md", "text": STEEL}, {"name": "x/b.md", "text": ""})
    given["expect"] = {**given["expect"], "findings": [finding, nested]}
    case = case_of(given, tmp_path)
    rules = {
        source: [each["rule"] for each in expected_answer(case, source)["findings"]]
        for source in EVERY_SOURCE
    }
    both = ["MF103", "MF102"]
    assert rules == dict.fromkeys(EVERY_SOURCE, both) | {"http": ["MF103"]}
    sources = ["directory", *HERE]
    assert {each.result for each in run_cases([case], Ours(), sources=sources)} == {"pass"}


@pytest.mark.parametrize("entries", [4, 3])
def test_folders_count_and_what_is_in_debris_does_not(entries: int, tmp_path: Path) -> None:
    """A page, a folder, a file in it and a folder of debris are four, also in a tree (MF607)."""
    names = ["x/b.txt", ".cache/1", ".cache/2"][: entries - 1]
    files = [{"name": "a.md", "text": STEEL}, *({"name": name, "text": ""} for name in names)]
    findings = [
        {"rule": "MF103", "level": "info", "file": "x/"},
        {"rule": "MF104", "level": "info", "file": ".cache/"},
    ]
    expect = {**field()["expect"], "findings": findings}
    if entries == 3:
        findings.append({"rule": "MF607", "level": "error"})
        expect |= {"verdict": "invalid", "digest": "none"}
    case = case_of(field(*files, limits={"entries": entries}, expect=expect), tmp_path)
    assert told(run_cases([case], Ours(), sources=["directory", "git"])) == {
        case.id: {("pass", None)}
    }


def test_an_implementation_of_paths_alone_is_not_asked(tmp_path: Path) -> None:
    """What takes nothing but paths skips what is elsewhere, and says why."""

    class OfPaths(Knowing):
        def answer(self, task: Task) -> Answer:
            assert task.path
            return super().answer(task)

    knowing = OfPaths()
    [outcome] = run_cases([case_of(field(), tmp_path)], knowing, sources=["http"])
    assert (outcome.result, knowing.asked) == ("skipped", [])
    with pytest.raises(Skip, match="nothing but paths"):
        _ = Task(outcome.case, "http", Elsewhere("http://127.0.0.1/")).path


def test_a_missing_git_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no git, its cases are skipped, and the others are put."""
    monkeypatch.setenv("PATH", str(tmp_path))
    case = case_of(field(), tmp_path)
    results = {
        each.source: (each.result, each.reason)
        for each in run_cases([case], Ours(), sources=["directory", "git"])
    }
    assert results == {"directory": ("pass", None), "git": ("skipped", "git is not installed")}


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell")
def test_a_git_that_fails_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cases are errored, which is no rejection, and it is not tried again for each."""
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\necho x >> '{tmp_path}/runs'\necho 'fatal: full' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    cases = cases_of(tmp_path, field(), dated())
    reasons = [each.reason or "" for each in run_cases(cases, Ours(), sources=["git"])]
    assert [reason.endswith("git cannot write the cases: fatal: full") for reason in reasons] == [
        True, True]  # fmt: skip
    assert (tmp_path / "runs").read_text() == "x\n"


def test_a_bucket(tmp_path: Path) -> None:
    """Cases stand below a prefix while they are asked about; what S3 cannot hold is skipped."""
    given = [
        dated(),
        page_case(),
        digest(),
        field({"name": "f", "link": "a.md"}),
        field(id="mf101-none", files=[]),
    ]
    cases = [
        *cases_of(tmp_path, *given),
        *telling("mf103-folders-in-folders", "mf104-hidden-files"),
    ]
    with no_aws():
        server = s3_server()
        bucket = server.bucket()
        options = {"endpoint_url": server.url, "retries": 0, **KEYS}
        place = Elsewhere(f"s3://{bucket}/here/", options)
        assert KEYS["secret"] not in repr(place)
        results = told(run_cases(cases, Ours(), sources=["s3"], s3=place))
        [lie] = run_cases(cases[:1], Lying("s3"), sources=["s3"], s3=place)
        _, left = server.ask("GET", f"/{bucket}?list-type=2")
        gone = Elsewhere("s3://no-such-bucket/", options)
        [absent] = run_cases(cases[:1], Ours(), sources=["s3"], s3=gone)
    skipped = {"mf304-one": "neither links", "mf101-none": "without an object is none"}
    for id, said in results.items():
        [(result, reason)] = said
        assert result == ("skipped" if id in skipped else "pass"), (id, reason)
        assert skipped.get(id, "") in (reason or "")
    assert len(results) == len(cases)
    assert lie.result == "fail"
    assert b"<KeyCount>0</KeyCount>" in left
    assert absent.result == "errored"


@pytest.mark.parametrize(
    ("location", "options"),
    [("s3://b/x.zip", {}), ("/tmp", {}), ("s3://b/", {"colour": "red"})],
)
def test_a_bucket_that_cannot_be(location: str, options: Given, tmp_path: Path) -> None:
    """What is no prefix of S3 is said before any case is put."""
    cases = cases_of(tmp_path, field())
    with pytest.raises(LocationError):
        list(run_cases(cases, Ours(), sources=["s3"], s3=Elsewhere(location, options)))
