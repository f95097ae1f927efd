"""No program holds a run up, whatever it leaves undone, and nothing that it started is left."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests.cli.command import spawn
from tests.conformance.driving import SOON, assert_gone, end, hurry, in_time, judged, runs, wait_for
from tests.conformance.stand_ins import HELLO, PATIENCE, VALID, StandIn, shell
from tests.conformance.suites import case_of, field, suite_in

from memoryfield_validator.conformance import Adapter, Case

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are for POSIX")

LATE = f"no answer within {SOON} s"
SLEEP = "sleep 1000 & echo $! >>pids"
HANGING = {
    "nothing": ("", "sleep 1000"),
    "half a line": ("", "printf '{'; sleep 1000"),
    "a child keeps the pipe": (SLEEP, "exit 4"),
    "a child, and the signal is ignored": (f"trap '' TERM; {SLEEP}", "wait"),
    "noise alone": ("", "while :; do echo noise >&2; sleep 1; done"),
}


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return case_of(field(sources=["directory"]), tmp_path)


@pytest.fixture
def pids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the current folder, to which programs write their ids."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "pids"


def why(adapter: Adapter, case: Case) -> str | None:
    """Why a case has no answer."""
    [outcome] = judged(adapter, case)
    assert (outcome.result, outcome.answered) == ("errored", None)
    return outcome.reason


@pytest.mark.parametrize(("before", "answer"), HANGING.values(), ids=HANGING)
def test_what_hangs_is_ended(before: str, answer: str, pids: Path, case: Case) -> None:
    """One that does not answer is ended after the time-out, and all that it has started with it."""
    with Adapter(shell(answer, before=f"echo $$ >pids; {before}")) as adapter:
        hurry(adapter)
        assert why(adapter, case) == LATE
        assert_gone(pids)


def test_one_that_closes_its_stdout_is_ended(pids: Path, case: Case) -> None:
    """It can answer no more: nobody waits for the time-out."""
    command = shell("exec >&-; sleep 1000", before="echo $$ >pids")
    with Adapter(command, timeout=PATIENCE) as adapter:
        says = "it ended, exit code none: it closed its stdout and went on"
        assert why(adapter, case) == says
        assert_gone(pids)


def test_one_that_never_reads_is_no_danger(pids: Path, case: Case) -> None:
    """One that says hello without being asked, and hears nothing, is ended."""
    with Adapter(["sh", "-c", f"echo $$ >pids; echo '{json.dumps(HELLO)}'; sleep 1000"]) as adapter:
        hurry(adapter)
        assert why(adapter, case) == LATE
        assert_gone(pids)


def test_nothing_is_left_behind(pids: Path) -> None:
    """One that does not care for `bye` is ended when it is no longer needed, with its children."""
    with Adapter(shell("wait", before=f"trap '' TERM HUP; echo $$ >pids; {SLEEP}")):
        pass
    assert len(pids.read_text().split()) == 2
    assert_gone(pids)


def test_one_that_answers_ahead_and_never_reads(tmp_path: Path) -> None:
    """Requests that fill its stdin hold nobody up; what it said ahead is judged all the same."""
    ids = [f"mf304-{'x' * 220}-{number}" for number in range(150)]
    root = suite_in(tmp_path, *(field(id=id, title=id[-9:], sources=["directory"]) for id in ids))
    assert sum(len(f"{id}/directory{id}") for id in ids) > 65_536  # more than a pipe holds
    answers = [{"id": f"{id}/directory", "result": {"verdict": "valid"}} for id in sorted(ids)]
    ahead = tmp_path / "ahead"
    ahead.write_text("".join(f"{json.dumps(answer)}\n" for answer in (HELLO, *answers)))
    program = tmp_path / "adapter"
    program.write_text(f"cat '{ahead}'\nsleep 1000\n")
    adapter = ["--adapter", f"sh '{program}'", "--timeout", "20"]
    done = spawn("conformance", "run", "--cases", root, *adapter)
    assert (done.code, done.err) == (0, "")
    assert "150 cases, 150 inputs: 150 pass" in done.out


def test_one_that_talks_without_end(case: Case) -> None:
    """What nobody asked for is no answer, and does not pile up."""

    def drive() -> None:
        with Adapter(["sh", "-c", f"echo '{json.dumps(HELLO)}'; exec yes '{{\"id\": 1}}'"]) as one:
            reasons = [outcome.reason for outcome in judged(one, case)]
        assert reasons == ["the answer is to another question, or a second one: 1"]
        done.append(True)

    done: list[bool] = []
    in_time(drive)
    assert done


def test_after_five_time_outs_in_a_row_it_is_asked_no_more(pids: Path, case: Case) -> None:
    """It would go on so for hours: the rest is errored at once, and the program not started."""
    with Adapter(shell("sleep 1000", before="echo $$ >>pids"), timeout=PATIENCE) as adapter:
        hurry(adapter)
        reasons = [outcome.reason for outcome in judged(adapter, *[case] * 8)]
    not_asked = "not asked: there was no answer 5 times in a row"
    assert reasons == [LATE] * 5 + [not_asked] * 3
    assert len(pids.read_text().split()) <= 5
    assert_gone(pids)


def test_time_outs_that_are_not_in_a_row(tmp_path: Path, case: Case) -> None:
    """They do not add up: an answer to a case between them shows that it can."""
    stand_in = StandIn(tmp_path, f"if asked['case'] == 'mf304-one': time.sleep(1000)\n{VALID}")
    good = case_of(field(id="mf304-good", sources=["directory"]), tmp_path)
    with Adapter(stand_in.command, timeout=PATIENCE) as adapter:
        for _ in range(3):
            hurry(adapter)
            assert [why(adapter, case), why(adapter, case)] == [LATE, LATE]
            adapter._timeout = PATIENCE
            assert [outcome.result for outcome in judged(adapter, good)] == ["pass"]


@pytest.mark.skipif(not hasattr(os, "setsid"), reason="there are no sessions")
def test_a_child_of_another_session_holds_nobody_up(pids: Path, tmp_path: Path) -> None:
    """It cannot be ended with the adapter; that it keeps the pipes does no harm."""
    root = suite_in(tmp_path / "suite", field(sources=["directory"]))
    leaves = "import os, time; os.setsid(); open('left', 'w').write('x\\n'); time.sleep(1000)"
    child = f'{sys.executable} -I -S -c "{leaves}" & echo $! >pids'
    before = f"{child}; while [ ! -s left ]; do sleep 0.05; done"
    answer = {"id": "mf304-one/directory", "result": {"verdict": "valid"}}
    program = tmp_path / "adapter"
    program.write_text(shell(f"echo '{json.dumps(answer)}'; read x", before=before)[-1])
    adapter = ["--adapter", f"sh '{program}'", "--timeout", f"{PATIENCE}"]
    try:
        done = spawn("conformance", "run", "--cases", root, *adapter, cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
        assert runs(wait_for(pids).strip())
    finally:
        end(pids)
