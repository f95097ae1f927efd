"""A command while it runs: bounded in time, on disk and in what it says; and ended whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

from memoryfield_readers.git import running
from memoryfield_readers.git.running import Running


def shell(
    folder: Path, script: str, *, timeout: float = 30.0, most_bytes: int | None = None
) -> Running:
    """A script while it runs."""
    return Running(
        ["/bin/sh", "-c", script],
        folder,
        {"PATH": os.environ["PATH"]},
        subprocess.DEVNULL,
        timeout=timeout,
        most_bytes=most_bytes,
    )


def has_ended(process: int) -> bool:
    """Whether a process ends, which may take a moment after it was told to."""
    for _ in range(500):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        sleep(0.01)
    return False


def test_a_command_that_never_ends_is_ended_with_all_it_started(tmp_path: Path) -> None:
    """Its whole process group, once its time is over."""
    command = shell(tmp_path, "sleep 1000 & echo $!; wait", timeout=1.0)
    child = int(command.stdout.readline())
    assert command.stdout.read() == b""
    assert command.wait() < 0
    assert command.ended_for.startswith("it took more than")
    command.end()
    assert has_ended(child)


def test_a_command_that_drips_is_ended(tmp_path: Path) -> None:
    """More time is given for bytes alone, and for a few hardly any."""
    command = shell(tmp_path, "while :; do echo x; sleep 0.02; done", timeout=0.3)
    while chunk := command.stdout.read1(100):
        command.took(len(chunk))
    command.end()
    assert command.ended_for.startswith("it took more than")


def test_what_another_command_wrote_gives_no_time(tmp_path: Path) -> None:
    """A second fetch has no more time than the first one had."""
    packs = tmp_path / "objects/pack"
    packs.mkdir(parents=True)
    (packs / "first.pack").write_bytes(bytes(1024 * 1024))
    command = shell(tmp_path, "exec sleep 1000", timeout=0.1, most_bytes=2 * 1024 * 1024)
    assert command.wait() < 0
    command.end()
    assert command.ended_for == "it took more than 0.1 seconds"


@pytest.mark.parametrize(("count", "words"), [(1.0, "1 second"), (30.4, "30 seconds")])
def test_how_long_a_command_took(count: float, words: str) -> None:
    """No more digits than are of use."""
    assert running._seconds(count) == words


@pytest.mark.skipif(sys.platform != "linux", reason="no other system can be told so")
def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also that of what the command starts."""
    monkeypatch.setattr(running, "MOST_MEMORY", 300 * 1024 * 1024)
    command = shell(tmp_path, "sleep 0.1; sh -c 'ulimit -d'")
    assert command.stdout.read() == b"307200\n"
    command.end()


def test_bytes_prolong_the_time(tmp_path: Path) -> None:
    """A transfer that goes on is not broken off."""
    script = "for i in 1 2 3 4 5 6; do head -c 100000 /dev/zero; sleep 0.25; done"
    command = shell(tmp_path, script, timeout=1.0)
    total = 0
    while chunk := command.stdout.read1(1_000_000):
        command.took(len(chunk))
        total += len(chunk)
    assert (command.wait(), total, command.ended_for) == (0, 600_000, "")
    command.end()


def test_no_time_is_counted_while_nothing_is_asked(tmp_path: Path) -> None:
    """Nor is what one question took missing for the next."""
    command = shell(tmp_path, "sleep 1000", timeout=0.5)
    command.rest()
    with pytest.raises(subprocess.TimeoutExpired):
        command._process.wait(0.8)
    command.end()
    assert command.ended_for == ""


def test_a_folder_that_grows_without_end_ends_the_command(tmp_path: Path) -> None:
    """While it grows, not when it is full."""
    (tmp_path / "objects/pack").mkdir(parents=True)
    script = "while :; do head -c 50000 /dev/zero >> objects/pack/tmp; sleep 0.01; done"
    command = shell(tmp_path, script, most_bytes=1_000_000)
    assert command.stdout.read() == b""
    command.end()
    assert command.is_too_large
    assert "1000000 bytes" in command.ended_for


def test_a_flood_of_errors_is_not_kept(tmp_path: Path) -> None:
    """The beginning tells what is wrong, and the command is not blocked."""
    command = shell(tmp_path, "echo first >&2; head -c 3000000 /dev/zero >&2; exit 3")
    assert command.wait() == 3
    assert command.errors().startswith(b"first\n")
    assert len(command.errors()) <= 16 * 1024
    command.end()


def test_what_a_command_leaves_behind_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it holds on to the pipes; nobody waits for it."""
    monkeypatch.setattr(running, "_PATIENCE", 0.05)
    command = shell(tmp_path, "sleep 1000 & echo $!")
    child = int(command.stdout.readline())
    assert command.wait() == 0
    command.end()
    assert has_ended(child)


def test_a_command_is_ended_from_its_own_threads(tmp_path: Path) -> None:
    """Garbage is collected in any thread, and with it what nobody has any more."""

    class Collected(Running):
        def _judge(self) -> tuple[str, float | None]:
            self.end()
            return "", None

    command = Collected(
        ["/bin/sh", "-c", "sleep 1000"],
        tmp_path,
        {"PATH": os.environ["PATH"]},
        subprocess.DEVNULL,
        timeout=30.0,
        most_bytes=None,
    )
    assert command.wait() < 0
    assert command.stdout.closed
    command.end()
    assert not any(thread.is_alive() for thread in command._threads)
