"""Any program can be judged, whatever it does: an adapter is driven, and no harm comes of it."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.driving import judged
from tests.conformance.stand_ins import PATIENCE, VALID, StandIn
from tests.conformance.suites import archive, case_of, digest, field, page_case

from memoryfield_validator.conformance import Adapter, Case

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are for POSIX")


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return case_of(field(sources=["directory"]), tmp_path)


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
    usual: dict[str, Any] = {"type": "case", "limits": {}, "pin": None, "audit": False}
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
    "skipped for no text": ('say({"id": id, "skipped": ["limits"]})', "errored",
                            "`skipped` is not the reason, as text"),
    "skipped with true": ('say({"id": id, "skipped": True})', "errored",
                          "`skipped` is not the reason, as text"),
    "skipped and an error": ('say({"id": id, "skipped": "no", "error": "it fell"})', "errored",
                             "it fell"),
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

READ = "the answer is no JSON that can be read: "
OTHER = "the answer is to another question, or a second one: "
MOST_LINE = 8 * 1024 * 1024
NO_ANSWERS: dict[str, tuple[str, str]] = {
    "no JSON": (r'raw(b"hello\n")', "the answer is no JSON that can be read: hello"),
    "an empty line": (r'raw(b"\n")', READ),
    "escape sequences": (r'raw(b"\x1b[2J\x9b\n")', READ + "\\x1b[2J\ufffd"),
    "not UTF-8": (r"""raw(b'{"id": "\xff"}\n')""", READ + '{"id": "\ufffd"}'),
    "UTF-16": (r"""raw('{"id": 1}'.encode("utf-16") + b"\n")""", READ + "\ufffd"),
    "an array": ("say([1])", "the answer is no JSON object"),
    "a text": ("say('x')", "the answer is no JSON object"),
    "null": ("say(None)", "the answer is no JSON object"),
    "NaN": ('say({"id": id, "result": {"verdict": float("nan")}})', READ + '{"id": '),
    "a number without bounds": (r"""raw(b'{"id": 1e999}\n')""", READ + '{"id": 1e999}'),
    "nested deeply": (f"raw({DEEP.format(500)})", READ),
    "nested without end": (f"raw({DEEP.format(100_000)})", READ),
    "another id": (
        'say({"id": "x\x1b", "result": {}})', OTHER + r"x\x1b"),
    "no id": ('say({"result": {"verdict": "valid"}})', OTHER + "None"),
    "half a line": ("""raw(b'{"id"'); sys.exit(0)""", "the answer is cut off, or too long"),
    "a line that is too long": (
        f'raw(b" " * {MOST_LINE} + b"\\n")', "the answer is cut off, or too long"),
    "a line without end": (
        'while True: raw(b"x" * 65_536)', "the answer is cut off, or too long"),
    "an exit": ("sys.exit(3)", "it ended, exit code 3"),
    "an exit that looks well": ("sys.exit(0)", "it ended, exit code 0"),
    "a signal": ("os.kill(os.getpid(), 9)", "it ended, exit code -9"),
    "last words": (
        'sys.exit(" first\\n\\nlast \x1b[2J")', r"it ended, exit code 1: first | last \x1b[2J"),
    "noise that is no text": (
        r'sys.stderr.buffer.write(b"a\n\xff\r\n\n"); sys.exit(2)',
        "it ended, exit code 2: a | \ufffd"),
    "noise without end": (
        'sys.stderr.write("x" * 9_000_000); sys.exit(2)', "it ended, exit code 2: " + "x" * 200),
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
    assert (first.reason or "").startswith(reason)
    assert len(first.reason or "") < 400
    assert [second.result, third.result] == ["pass", "pass"]
    start = ["start", "hello", "case"]
    goodbye = ["bye"] * reason.startswith(OTHER)  # it may go on, but what it says is of no use
    assert stand_in.heard == [*start, *goodbye, *start, "case", "bye"]


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


def test_a_line_may_be_long(tmp_path: Path, case: Case) -> None:
    """An answer of as many bytes as a line may have, with its end, is read."""
    told = 'json.dumps({"id": id, "result": {"verdict": "valid"}}).encode() + b"\\n"'
    stand_in = StandIn(tmp_path, f'raw(({told}).rjust({MOST_LINE}, b" "))')
    with Adapter(stand_in.command, timeout=PATIENCE) as adapter:
        assert [outcome.result for outcome in judged(adapter, case, case)] == ["pass", "pass"]
    assert stand_in.heard == ["start", "hello", "case", "case", "bye"]


def test_a_second_answer_is_not_taken_for_another_one(tmp_path: Path, case: Case) -> None:
    """One that answers twice is asked anew, so that the answers do not stay behind by one."""
    following = case_of(field(id="mf304-next", sources=["directory"]), tmp_path)
    stand_in = StandIn(tmp_path, f"if asked['case'] == 'mf304-one':\n    {VALID}\n{VALID}")
    with Adapter(stand_in.command, timeout=PATIENCE) as adapter:
        outcomes = judged(adapter, case, following, following)
    assert [(outcome.result, outcome.reason) for outcome in outcomes] == [
        ("pass", None),
        ("errored", f"{OTHER}mf304-one/directory"),
        ("pass", None),
    ]
    assert stand_in.heard.count("start") == 2


def test_the_last_lines_of_stderr_are_told(tmp_path: Path, case: Case) -> None:
    """A trace that has its message first and a version last, as that of Node: both are told."""
    trace = [
        "/x/adapter.js:3", "    throw new TypeError('no such page');", "    ^", "",
        "TypeError: no such page", *(f"    at step{number} (node:x)" for number in range(9)), "",
        "Node.js v22.0.0",
    ]  # fmt: skip
    noise = "".join(f"reading {number}\n" for number in range(1000))
    said = noise + "\n".join(trace) + "\n"
    stand_in = StandIn(tmp_path, f"sys.stderr.write({said!r}); sys.exit(1)")
    with Adapter(stand_in.command, timeout=PATIENCE) as adapter:
        [outcome] = judged(adapter, case)
    told = [line.strip() for line in trace if line][-12:]
    assert told[1] == "TypeError: no such page"
    assert outcome.reason == f"it ended, exit code 1: {' | '.join(told)}"


@pytest.mark.parametrize(
    "harm",
    [
        'open(os.path.join(asked["path"], "new"), "w").close()',
        'open(os.path.join(asked["path"], "a.md"), "a").write("x")',
        'open(os.path.join(os.path.dirname(asked["path"]), "log"), "w").close()',
    ],
    ids=["a new file", "more in a file", "beside it"],
)
def test_an_adapter_that_writes_is_errored(harm: str, tmp_path: Path, case: Case) -> None:
    """However right its answer is; the next case has a place of its own."""
    following = case_of(field(id="mf304-next", sources=["directory"]), tmp_path)
    stand_in = StandIn(tmp_path, f"if asked['case'] == 'mf304-one':\n    {harm}\n{VALID}")
    with Adapter(stand_in.command, timeout=PATIENCE) as adapter:
        first, second = judged(adapter, case, following)
    says = "it changed what it was given to read, or left something beside it"
    assert (first.result, first.reason) == ("errored", says)
    assert second.result == "pass"
