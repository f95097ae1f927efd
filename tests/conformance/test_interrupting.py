"""A run that is cancelled ends, and everything that it has started ends with it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.cli.command import COMMAND, heed_signals, neutral_environment
from tests.conformance.driving import assert_gone, end, wait_for
from tests.conformance.stand_ins import PATIENCE, shell
from tests.conformance.suites import field, suite_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are for POSIX")

Run: TypeAlias = "subprocess.Popen[bytes]"
VALID = 'echo \'{"id": "mf304-one/directory", "result": {"verdict": "valid"}}\''
ASKED = "sleep 1000 & echo $$ $! >pids"
"""What an adapter does first when it is asked: it starts a child, and says so."""


class Started:
    """Runs with an adapter in shell; those that have not ended are ended after the test."""

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
            env=neutral_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=heed_signals,
        )
        self.runs.append(run)
        return run


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
    wait_for(tmp_path / "pids")
    run.send_signal(getattr(signal, name))
    out, err = run.communicate(timeout=PATIENCE)
    assert (run.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert_gone(tmp_path / "pids")


def test_one_that_does_not_say_hello(start: Started, tmp_path: Path) -> None:
    """It is ended just as well before it has said what it is."""
    run = start("", first=f"read x; {ASKED}; trap '' TERM HUP INT; wait")
    wait_for(tmp_path / "pids")
    run.terminate()
    out, err = run.communicate(timeout=PATIENCE)
    assert (run.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert_gone(tmp_path / "pids")


def test_a_second_signal_leaves_nothing_behind(start: Started, tmp_path: Path) -> None:
    """Whoever presses Ctrl-C twice, while an adapter is asked to end, does not keep it."""
    run = start(f"trap '' TERM HUP INT; {ASKED}; read x; echo bye >heard; wait")
    wait_for(tmp_path / "pids")
    run.send_signal(signal.SIGINT)
    while not (tmp_path / "heard").exists() and run.poll() is None:
        time.sleep(0.01)  # it waits for the adapter, if not for long
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=PATIENCE)
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
    wait_for(tmp_path / "pids")
    run.send_signal(signal.SIGHUP)
    (tmp_path / "go").touch()
    out, err = run.communicate(timeout=PATIENCE)
    assert (run.returncode, err) == (0, b"")
    assert b"1 pass" in out
