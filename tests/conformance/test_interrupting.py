"""A run that is cancelled ends, and everything that it has started ends with it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, TypeAlias

import pytest
from tests.cli.command import COMMAND, heed_signals, neutral_environment
from tests.conformance.driving import assert_gone, end, wait_for
from tests.conformance.stand_ins import PATIENCE, shell
from tests.conformance.suites import field, suite_in

from memoryfield_validator.conformance.line_process import LineProcess

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are for POSIX")

Run: TypeAlias = "subprocess.Popen[bytes]"
VALID = 'echo \'{"id": "mf304-one/directory", "result": {"verdict": "valid"}}\''
ASKED = "sleep 1000 & echo $$ $! >pids"
"""What an adapter does first when it is asked: it starts a child, and says so."""


class Started:
    """Runs with an adapter in shell; those that have not ended are ended after the test.

    A run that should have ended by itself tells where it is, in the words of `faulthandler`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs: list[Run] = []

    def __call__(self, answer: str, *before: str, first: str = "") -> Run:
        """Start a run, by a program that runs it; the adapter is the last that is told."""
        root = suite_in(self.folder / "suite", field(sources=["directory"]))
        program = self.folder / "adapter"
        program.write_text(shell(answer, before=first)[-1])
        options: list[str | Path] = [
            "--cases",
            root,
            "--adapter",
            f"sh '{program}'",
            "--timeout",
            str(PATIENCE),
        ]
        run = subprocess.Popen(
            [*before, COMMAND, "conformance", "run", *options],
            cwd=self.folder,
            env=neutral_environment() | {"PYTHONFAULTHANDLER": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=heed_signals,
        )
        self.runs.append(run)
        return run


def asked(run: Run, pids: Path) -> None:
    """Wait until the adapter of a run has been asked; a run that has ended says why."""
    deadline = time.monotonic() + PATIENCE
    while not pids.exists() or not pids.read_text().endswith("\n"):
        if run.poll() is not None:
            pytest.fail(f"the run ended with {run.returncode}: {run.communicate()}")
        if time.monotonic() > deadline:
            fail_with_stacks(run, "the adapter was not asked")
        time.sleep(0.01)


def ended(run: Run) -> tuple[bytes, bytes]:
    """What a run has printed, once it has ended."""
    try:
        return run.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        fail_with_stacks(run, "the run goes on")


def fail_with_stacks(run: Run, what: str) -> NoReturn:
    """Fail, and say where each thread of a run is."""
    run.send_signal(signal.SIGABRT)
    pytest.fail(f"{what}: {run.communicate()}")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Started]:
    started = Started(tmp_path)
    yield started
    for run in started.runs:
        run.kill()
        run.communicate()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_ends_the_run_and_the_adapter(name: str, start: Started, tmp_path: Path) -> None:
    """The exit code is that of Ctrl-C; the adapter and its child are gone."""
    run = start(f"{ASKED}; read x")
    asked(run, tmp_path / "pids")
    run.send_signal(getattr(signal, name))
    out, err = ended(run)
    assert (run.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert_gone(tmp_path / "pids")


def test_one_that_has_only_just_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt before anybody listens to it does not leave it behind."""
    start_thread = threading.Thread.start
    pids = tmp_path / "pids"

    def start(thread: threading.Thread) -> None:
        if thread.daemon:  # those that read and write come last
            wait_for(pids)
            raise KeyboardInterrupt
        start_thread(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(KeyboardInterrupt):
        LineProcess(["sh", "-c", f"{ASKED.replace('pids', str(pids))}; wait"])
    try:
        assert_gone(pids)
    finally:
        end(pids)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="there is no /proc here")
def test_signals_are_for_the_thread_that_waits(start: Started, tmp_path: Path) -> None:
    """No other one can take a signal: the one that waits would not wake up, and wait on."""
    run = start(f"{ASKED}; read x")
    asked(run, tmp_path / "pids")
    wanted = sum(1 << (number - 1) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    blocked = {
        int(task.name): int(each.split()[1], 16) & wanted
        for task in Path(f"/proc/{run.pid}/task").iterdir()
        for each in (task / "status").read_text().splitlines()
        if each.startswith("SigBlk:")
    }
    assert blocked.pop(run.pid) == 0
    assert [*blocked.values()] == [wanted, wanted]
    (adapter,) = {*(tmp_path / "pids").read_text().split()[:1]}
    assert "SigBlk:\t0000000000000000\n" in Path(f"/proc/{adapter}/status").read_text()


def test_one_that_does_not_say_hello(start: Started, tmp_path: Path) -> None:
    """It is ended just as well before it has said what it is."""
    run = start("", first=f"read x; {ASKED}; trap '' TERM HUP INT; wait")
    asked(run, tmp_path / "pids")
    run.terminate()
    out, err = ended(run)
    assert (run.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert_gone(tmp_path / "pids")


def test_a_second_signal_leaves_nothing_behind(start: Started, tmp_path: Path) -> None:
    """Whoever presses Ctrl-C twice, while an adapter is asked to end, does not keep it."""
    run = start(f"trap '' TERM HUP INT; {ASKED}; read x; echo bye >heard; wait")
    asked(run, tmp_path / "pids")
    run.send_signal(signal.SIGINT)
    while not (tmp_path / "heard").exists() and run.poll() is None:
        time.sleep(0.01)  # it waits for the adapter, if not for long
    run.send_signal(signal.SIGINT)
    ended(run)
    try:
        assert run.returncode == 130
        assert_gone(tmp_path / "pids")
    finally:
        end(tmp_path / "pids")


def test_a_signal_that_is_ignored_stays_so(start: Started, tmp_path: Path) -> None:
    """A run that was started by `nohup` goes on when its terminal is closed."""
    waits = "while [ ! -e go ]; do sleep 0.05; done"
    ignoring = ("sh", "-c", "trap '' HUP; exec \"$@\"", "sh")
    run = start(f"echo $$ >pids; {waits}; {VALID}; read x", *ignoring)
    asked(run, tmp_path / "pids")
    run.send_signal(signal.SIGHUP)
    (tmp_path / "go").touch()
    out, err = ended(run)
    assert (run.returncode, err) == (0, b"")
    assert b"1 pass" in out
