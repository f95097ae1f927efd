"""Drive adapters, and see what comes of them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tests.conformance.stand_ins import PATIENCE

from memoryfield_validator.conformance import Adapter, Case, Outcome, run_cases

SOON = 0.3
"""So long it waits for what never comes."""


def judged(adapter: Adapter, *cases: Case) -> list[Outcome]:
    """What comes of cases that are put from a directory and a stored archive."""
    return list(run_cases(cases, adapter, sources=["directory", "archive"]))


def hurry(adapter: Adapter) -> None:
    """Let it answer soon from now on; for its first words it had the time that it needed."""
    adapter._timeout = SOON


def in_time(work: Callable[[], object]) -> None:
    """Do some work that must end: a test that hangs tells nobody why."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "it hangs"


def wait_for(path: Path) -> str:
    """What a program has written into a file, once its last line is there."""
    deadline = time.monotonic() + PATIENCE
    while not path.exists() or not path.read_text().endswith("\n"):
        assert time.monotonic() < deadline, f"there is no {path.name}"
        time.sleep(0.01)
    return path.read_text()


def assert_gone(pids: Path) -> None:
    """The processes of these ids have ended; one that nobody has asked about yet counts, too."""
    listed = pids.read_text().split()
    assert listed
    deadline = time.monotonic() + PATIENCE
    while any(map(runs, listed)):
        assert time.monotonic() < deadline, f"{listed} run on"
        time.sleep(0.01)


def runs(pid: str) -> bool:
    """Whether a process has not ended."""
    try:
        os.kill(int(pid), 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # gone since, or no /proc here
        return Path("/proc/self").exists() is False


def end(pids: Path) -> None:
    """End what a test has started and has not seen end."""
    for pid in pids.read_text().split():
        if runs(pid):
            os.kill(int(pid), signal.SIGKILL)
