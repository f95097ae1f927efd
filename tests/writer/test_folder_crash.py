"""Writers of folders that are killed at each call that writes: all of a batch is there, or nothing.

How many calls those are is printed (`pytest -rP`), and `strace` says that there are no others.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.writer.stepping import system_calls

ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
"""Whether to do all that `test_crash` does by way of `apply`, too."""

_ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in memory, if there is one: a kill, unlike a power cut, loses nothing there."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="memoryfield-test-", dir=parent) as folder:
        yield Path(folder)


def _child(*arguments: str, before: tuple[str, ...] = ()) -> dict[str, int]:
    """What a child process answers: for each batch, at how many steps it was killed."""
    command = [*before, sys.executable, "-m", "tests.writer.folder_child", *arguments]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    return {name: int(steps) for name, steps in map(str.split, done.stdout.splitlines())}


def test_a_kill_at_any_step(place: Path) -> None:
    """Readers see the old field or the new one; recovered, the folder holds just that."""
    names = ("replace", "two", "swap", "five", "twenty") if ALL else ("swap",)
    steps = _child("crash", str(place), *names)
    assert list(steps) == list(names)
    assert min(steps.values()) > 15
    print(f"{sum(steps.values())} kills")


def test_a_kill_of_what_recovers(place: Path) -> None:
    """It can be killed at any step, too, and run again."""
    assert _child("twice", str(place), "few")["few"] > 50


@pytest.mark.skipif(not ALL, reason="it takes long: set MEMORYFIELD_CRASH_ALL=1")
def test_a_kill_of_what_takes_a_batch_back(place: Path) -> None:
    """An error in the middle, and then a kill: it is all or nothing all the same."""
    assert _child("undo", str(place), "few")["few"] > 50


@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace here")
@pytest.mark.parametrize("name", ["few", "twenty"] if ALL else ["few"])
def test_no_call_that_writes_is_left_out(name: str, tmp_path: Path) -> None:
    """The system is asked for just as many writes as there are steps."""
    trace = tmp_path / "trace"
    strace = ("strace", "-f", "-qq", "-o", str(trace))
    if subprocess.run([*strace, "true"], capture_output=True).returncode:
        pytest.skip("strace may not be used here")
    steps = _child("steps", str(tmp_path / "field"), name, before=strace)[name]
    calls = system_calls(trace.read_text(errors="replace"), "batch")
    assert len(calls) == steps, calls
    assert {"mkdirat", "open", "write", "fsync"} <= {*calls}
