"""`memoryfield fleet` with a real worker: it is ended in the middle, and it is watched.

With MEMORYFIELD_CRASH_ALL=1 in the environment, it is ended in every way, and goes on with a real
worker, too.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.command import COMMAND, FAULTY, GOOD, SECONDS, call, folder, heed_signals
from tests.cli.command import neutral_environment as environment
from tests.cli.fleet_here import here
from tests.cli.terminal import TERMINAL, written

__all__ = ["here"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals of POSIX")

ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
MANY = 150
ENDS = {"SIGINT": 130, "SIGTERM": 143, "SIGKILL": -9}
RUN = ("fleet", "validate", "fields/*/", "--out", "out", "--workers", "1")


@pytest.fixture
def fields(tmp_path: Path) -> Path:
    """A folder of many fields."""
    for number in range(MANY):
        folder(tmp_path / "fields" / f"f{number:03}", {"a.md": FAULTY if number % 3 else GOOD})
    return tmp_path


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines() if path.exists() else []


@pytest.mark.parametrize("name", ENDS if ALL else ["SIGKILL"])
def test_a_run_that_is_ended_goes_on(
    name: str, fields: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """What was done by then is not done again, and in the end each field has its own report."""
    results = fields / "out" / "results.jsonl"
    with subprocess.Popen(
        [COMMAND, *RUN],
        cwd=fields,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=heed_signals,
    ) as process:
        last = time.monotonic() + SECONDS
        while not lines_of(results) and process.poll() is None and time.monotonic() < last:
            time.sleep(0.01)
        process.send_signal(getattr(signal, name))
        out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == ENDS[name], err
    before = len([line for line in results.read_bytes().split(b"\n")[:-1] if line])
    assert 0 < before < MANY
    if name != "SIGKILL":
        assert b"broken off" in out
        facts = json.loads((fields / "out" / "totals.json").read_bytes())
        assert (facts["complete"], facts["fields"]["all"]) == (False, before)
    monkeypatch.chdir(fields)
    if not ALL:
        request.getfixturevalue("here")
    again = call(*RUN)
    assert (again.code, again.err) == (1, "")
    facts = json.loads((fields / "out" / "totals.json").read_bytes())
    assert facts["complete"] is True
    assert facts["fields"] == {"all": MANY, "done": MANY, "failed": 0, "reused": before}
    assert facts["verdicts"] == {"valid": MANY // 3, "invalid": MANY - MANY // 3}
    rows = {row["location"]: row for row in map(json.loads, lines_of(results))}
    assert len(rows) == len(lines_of(results)) == MANY
    for location in ("fields/f000", "fields/f001"):
        alone = call("validate", "--format", "json", location).json
        assert rows[location]["result"] == alone


def test_a_run_that_is_ended_while_workers_begin_says_so_in_one_line(fields: Path) -> None:
    """A terminal sends Ctrl-C to all processes; those that begin have nothing to say of it."""
    with subprocess.Popen(
        [COMMAND, *RUN],
        cwd=fields,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
        preexec_fn=heed_signals,
    ) as process:
        last = time.monotonic() + SECONDS
        while b"spawn_main" not in _of_session(process.pid) and time.monotonic() < last:
            assert process.poll() is None
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out, err) == (130, b"", b"memoryfield: interrupted\n")
    assert _is_left_alone(process.pid)


def _of_session(leader: int) -> bytes:
    """The processes of a session that are not dead, a line each."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "sid=,stat=,args="], capture_output=True, check=True
    )
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
    mine = (row for row in rows if int(row[0]) == leader and not row[1].startswith(b"Z"))
    return b"\n".join(row[2] for row in mine)


def _is_left_alone(leader: int) -> bool:
    """Whether all processes of a session come to their end."""
    last = time.monotonic() + SECONDS
    while (left := _of_session(leader)) and time.monotonic() < last:
        time.sleep(0.02)
    return not left


def test_people_see_how_far_it_is(fields: Path) -> None:
    """On a terminal a line counts fields, and a table follows; Ctrl-C ends it and its workers."""
    keyboard, screen = os.openpty()
    with subprocess.Popen(
        [COMMAND, *RUN],
        cwd=fields,
        stdin=screen,
        stdout=screen,
        stderr=screen,
        env=environment() | TERMINAL,
        preexec_fn=_with_this_terminal,
    ) as process:
        os.close(screen)
        seen = b""
        while b"Checking 1" not in seen and (piece := os.read(keyboard, 65536)):
            seen += piece
        os.write(keyboard, b"\x03")
        rest = written(keyboard)
    assert process.returncode == 130
    assert b"broken off before its end" in rest
    assert b"memoryfield: interrupted" in rest
    assert b"Traceback" not in rest
    assert _is_left_alone(process.pid)


def _with_this_terminal() -> None:
    """For `preexec_fn`: have stdin for the terminal whose keys are signals."""
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    heed_signals()
