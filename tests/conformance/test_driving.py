"""Any program can be judged, whatever it does: an adapter is driven, and no harm comes of it."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.stand_ins import HELLO, PATIENCE, VALID, StandIn, shell
from tests.conformance.suites import archive, case_of, digest, field, page_case

from memoryfield_validator.conformance import Adapter, Case, Outcome, run_cases

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are for POSIX")

SOON = 1.0
"""So long it waits for what never comes; the shells that are waited for answer before that."""


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return case_of(field(sources=["directory"]), tmp_path)


def judged(adapter: Adapter, *cases: Case) -> list[Outcome]:
    """What comes of cases that are put from a directory."""
    return list(run_cases(cases, adapter, sources=["directory", "archive"]))


def why(command: list[str], case: Case, *, timeout: float = PATIENCE) -> str:
    """Why a case has no answer."""
    with Adapter(command, timeout=timeout) as adapter:
        [outcome] = judged(adapter, case)
    assert (outcome.result, outcome.answered) == ("errored", None)
    assert outcome.reason is not None
    return outcome.reason


def test_an_adapter_says_what_it_is(tmp_path: Path) -> None:
    """What it says of itself decides what it is asked."""
    stand_in = StandIn(tmp_path, profile="draft-0.1", requirements=["MF304", "MF9"])
    with Adapter(stand_in.command) as adapter:
        assert (adapter.name, adapter.release, adapter.profile) == ("stand-in", "7", "draft-0.1")
        assert adapter.answers == {"field": frozenset({"verdict"})}
        assert adapter.checked is not None
        assert {id for id in adapter.checked if id < "MF9"} == {"MF304"}
    assert stand_in.heard == ["start", "hello", "bye"]


def test_a_command_is_split_as_a_shell_splits_it(tmp_path: Path, case: Case) -> None:
    """Text with quotes is the same as a list of words."""
    with Adapter(shlex.join(StandIn(tmp_path).command)) as adapter:
        assert [outcome.result for outcome in judged(adapter, case)] == ["pass"]


def test_what_an_adapter_is_asked(tmp_path: Path) -> None:
    """A request has all that is needed to find the place: a folder, an archive, or a page."""
    answers = {kind: ["digest"] for kind in ("field", "archive", "digest")} | {"page": ["body"]}
    stand_in = StandIn(
        tmp_path,
        """
        place = asked["path"]
        asked["is"] = "folder" if os.path.isdir(place) else open(place, "rb").read(2).decode()
        asked["path"] = os.path.basename(place)
        log(json.dumps(asked).replace(" ", ""))
        say({"id": id, "skipped": "seen"})
        """,
        answers=answers,
    )
    pin = "sha256:" + "0" * 64
    cases = [
        case_of(field(limits={"entries": 5}), tmp_path),
        case_of(archive(archive={"file-name": "x.zip", "bytes": {"text": "xy"}}), tmp_path),
        case_of(page_case(), tmp_path),
        case_of(digest(pin=pin, sources=["directory"]), tmp_path),
    ]
    with Adapter(stand_in.command) as adapter:
        reasons = [outcome.reason for outcome in judged(adapter, *cases)]
    assert reasons == ["seen"] * 5
    usual: dict[str, Any] = {"type": "case", "limits": {}, "pin": None}
    one = {**usual, "case": "mf304-one", "kind": "field", "limits": {"entries": 5}}
    assert [json.loads(line) for line in stand_in.heard if line.startswith("{")] == [
        {**one, "id": "mf304-one/directory", "source": "directory", "path": "field",
         "is": "folder"},
        {**one, "id": "mf304-one/archive", "source": "archive", "path": "field.memoryfield.zip",
         "is": "PK"},
        {**usual, "id": "mf604-archive/archive", "case": "mf604-archive", "kind": "archive",
         "source": "archive", "path": "x.zip", "is": "xy"},
        {**usual, "id": "mf302-page/directory", "case": "mf302-page", "kind": "page",
         "source": "directory", "path": "page.md", "is": "--"},
        {**usual, "id": "digest-one/directory", "case": "digest-one", "kind": "digest",
         "source": "directory", "path": "field", "is": "folder", "pin": pin},
    ]  # fmt: skip


ANSWERS: dict[str, tuple[str, str, str | None]] = {
    "right": (VALID, "pass", None),
    "wrong": ('say({"id": id, "result": {"verdict": "invalid"}})', "fail", None),
    "silent about it": ('say({"id": id, "result": {}})', "fail", None),
    "null besides": ('say({"id": id, "result": {"verdict": "valid"}, "error": None, '
                     '"skipped": None})', "pass", None),
    "more besides": ('say({"id": id, "result": {"verdict": "valid", "x": 1}, "y": 2})',
                     "pass", None),
    "CRLF": (r"""raw(json.dumps({"id": id, "result": {"verdict": "valid"}}).encode() + b"\r\n")""",
             "pass", None),
    "skipped": ('say({"id": id, "skipped": "no \x1b[2J links"})', "skipped",
                r"no \x1b[2J links"),
    "skipped without a word": ('say({"id": id, "skipped": ""})', "skipped", "no reason was given"),
    "error": ('say({"id": id, "error": "it\\nfell"})', "errored", r"it\nfell"),
    "error that is no text": ('say({"id": id, "error": {"a": [1]}})', "errored", "{'a': [1]}"),
    "no result": ('say({"id": id})', "errored", "the answer has no object `result`"),
    "result that is no object": ('say({"id": id, "result": ["valid"]})', "errored",
                                 "the answer has no object `result`"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "result", "reason"), ANSWERS.values(), ids=ANSWERS)
def test_answers(answer: str, result: str, reason: str | None, tmp_path: Path, case: Case) -> None:
    """An answer about the case decides; the program is kept for the next one."""
    stand_in = StandIn(tmp_path, answer)
    with Adapter(stand_in.command) as adapter:
        outcomes = judged(adapter, case, case)
    assert [(one.result, one.reason) for one in outcomes] == [(result, reason)] * 2
    assert stand_in.heard == ["start", "hello", "case", "case", "bye"]


DEEP = 'b"[" * {0} + b"]" * {0} + b"\\n"'

NO_ANSWERS: dict[str, tuple[str, str]] = {
    "no JSON": (r'raw(b"hello\n")', "the answer is no JSON: b'hello\\n'"),
    "an empty line": (r'raw(b"\n")', "the answer is no JSON"),
    "escape sequences": (r'raw(b"\x1b[2J\x9b\n")', r"the answer is no JSON: b'\x1b[2J\x9b\n'"),
    "not UTF-8": (r"""raw(b'{"id": "\xff"}\n')""", "the answer is no JSON"),
    "UTF-16": (r"""raw('{"id": 1}'.encode("utf-16") + b"\n")""", "the answer is no JSON"),
    "an array": ("say([1])", "the answer is no JSON object"),
    "a text": ("say('x')", "the answer is no JSON object"),
    "null": ("say(None)", "the answer is no JSON object"),
    "NaN": ('say({"id": id, "result": {"verdict": float("nan")}})', "the answer is no JSON"),
    "a number without bounds": (r"""raw(b'{"id": 1e999}\n')""", "the answer is no JSON"),
    "nested deeply": (f"raw({DEEP.format(500)})", "the answer is no JSON"),
    "nested without end": (f"raw({DEEP.format(100_000)})", "the answer is no JSON"),
    "another id": (
        'say({"id": "x\x1b", "result": {}})', r"the answer is to another question: x\x1b"),
    "no id": ('say({"result": {"verdict": "valid"}})', "the answer is to another question: None"),
    "half a line": ("""raw(b'{"id"'); sys.exit(0)""", "the answer is cut off, or too long"),
    "an exit": ("sys.exit(3)", "it ended, exit code 3"),
    "an exit that looks well": ("sys.exit(0)", "it ended, exit code 0"),
    "a signal": ("os.kill(os.getpid(), 9)", "it ended, exit code -9"),
    "a crash": ('raise ValueError("first\\nlast \x1b[2J")', r"it ended, exit code 1: last \x1b[2J"),
    "noise that is no text": (
        r'sys.stderr.buffer.write(b"a\n\xff\r\n\n"); sys.exit(2)', "exit code 2: \ufffd"),
    "noise without end": (
        'sys.stderr.write("x" * 9_000_000); sys.exit(2)', "exit code 2: " + "x" * 200),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "reason"), NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_no_answer_and_a_new_process(answer: str, reason: str, tmp_path: Path, case: Case) -> None:
    """What is no answer is an error with the reason; the next case is put to a new process."""
    stand_in = StandIn(
        tmp_path, f'if asked["case"] != "mf304-next":\n    {answer}\nelse:\n    {VALID}'
    )
    following = case_of(field(id="mf304-next", sources=["directory"]), tmp_path)
    with Adapter(stand_in.command, timeout=PATIENCE) as adapter:
        first, second, third = judged(adapter, case, following, following)
    assert first.result == "errored"
    assert reason in (first.reason or "")
    assert len(first.reason or "") < 400
    assert [second.result, third.result] == ["pass", "pass"]
    start = ["start", "hello", "case"]
    assert stand_in.heard == [*start, *start, "case", "bye"]


def test_the_words_of_one_crash_are_not_those_of_the_next(tmp_path: Path, case: Case) -> None:
    """A process that ends without a word is not told with the last words of another one."""
    stand_in = StandIn(tmp_path, 'sys.exit("once" if len(open(LOG).readlines()) == 3 else 5)')
    with Adapter(stand_in.command, timeout=PATIENCE) as adapter:
        reasons = [outcome.reason for outcome in judged(adapter, case, case)]
    assert reasons == ["it ended, exit code 1: once", "it ended, exit code 5"]


def test_one_that_cannot_be_started_again(tmp_path: Path, case: Case) -> None:
    """Each case is an error then, and each is tried once."""
    stand_in = StandIn(tmp_path, "sys.exit(9)")
    text = Path(stand_in.command[-1]).read_text()
    again = 'log("start")\nif len(open(LOG).readlines()) > 1: sys.exit(8)\n'
    Path(stand_in.command[-1]).write_text(text.replace('log("start")\n', again))
    with Adapter(stand_in.command, timeout=PATIENCE) as adapter:
        reasons = [outcome.reason for outcome in judged(adapter, case, case, case)]
    assert reasons == ["it ended, exit code 9", "it ended, exit code 8", "it ended, exit code 8"]
    assert stand_in.heard == ["start", "hello", "case", "start", "start"]


HANGING = {
    "nothing": ("sleep 1000", "no answer within 1 s"),
    "half a line": ("printf '{'; sleep 1000", "no answer within 1 s"),
    "stdout is closed": ("exec >&-; sleep 1000", "it closed its stdout and went on"),
    "a child keeps the pipe": ("sleep 1000 & exit 4", "no answer within 1 s"),
    "a child, and the signal is ignored": ("trap '' TERM; sleep 1000 & wait", "no answer within"),
    "noise alone": ("while :; do echo noise >&2; sleep 1; done", "no answer within 1 s"),
}


@pytest.mark.parametrize(("answer", "reason"), HANGING.values(), ids=HANGING)
def test_what_hangs_is_ended(answer: str, reason: str, tmp_path: Path, case: Case) -> None:
    """One that does not answer is ended after the time-out, and all that it has started with it."""
    pids = tmp_path / "pids"
    told = f"echo $$ >'{pids}'; {answer.replace('sleep 1000 &', 'sleep 1000 & echo $! >>P;')}"
    assert reason in why(shell(told.replace("P;", f"'{pids}';")), case, timeout=SOON)
    assert_gone(pids)


def assert_gone(pids: Path) -> None:
    """The processes of these ids have ended; one that nobody has asked about yet counts, too."""
    listed = pids.read_text().split()
    assert listed
    deadline = time.monotonic() + PATIENCE
    while any(map(_runs, listed)):
        assert time.monotonic() < deadline, f"{listed} run on"
        time.sleep(0.01)


def _runs(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # gone since, or no /proc here
        return Path("/proc/self").exists() is False


def test_one_that_never_reads_is_no_danger(case: Case) -> None:
    """One that says hello without being asked, and hears nothing, is ended."""
    command = ["sh", "-c", f"echo '{json.dumps(HELLO)}'; sleep 1000"]
    assert why(command, case, timeout=SOON) == "no answer within 1 s"


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """One that does not care for `bye` is ended when it is no longer needed, with its children."""
    pids = tmp_path / "pids"
    stubborn = f"trap '' TERM HUP; sleep 1000 & echo $$ $! >'{pids}'; read x; wait"
    with Adapter(["sh", "-c", f"read x; echo '{json.dumps(HELLO)}'; {stubborn}"]):
        while not pids.exists() or not pids.read_text().endswith("\n"):
            time.sleep(0.01)
    assert_gone(pids)
