"""A program that does not close a field of git: it ends quietly, and leaves nothing behind."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest
from tests.cli.command import heed_signals
from tests.readers.git_fields import PATIENT, contents, here, located
from tests.readers.servers.git_http import git_server
from tests.readers.servers.git_repository import Commit, make_repository

from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.sources.git import GitFolder

READ = """
import sys
from memoryfield_readers import open_field
field = open_field(sys.argv[1])
print(field.page("a.md").name)
"""


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """Where temporary folders are made."""
    room = tmp_path / "room"
    room.mkdir()
    return room


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One with a page."""
    return make_repository(tmp_path / "r.git", [Commit({"a.md": b"# A\n", "b.md": b"# B\n"})])


def program(script: str, location: str, room: Path) -> subprocess.Popen[str]:
    """A Python program while it runs."""
    return subprocess.Popen(
        [sys.executable, "-c", script, location],
        env=os.environ | {"TMPDIR": str(room), "HOME": str(room.parent), "no_proxy": "127.0.0.1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_signals,
    )


def test_the_end_of_a_program_is_that_of_git(repository: Path, room: Path) -> None:
    """Whether the field is still there, or in a cycle that nobody holds."""
    script = (
        READ
        + """
cycle = [open_field(sys.argv[1])]
cycle.append(cycle)
cycle[0].page("a.md")
del cycle
"""
    )
    with program(script, here(repository), room) as running:
        said = running.communicate()
    assert (running.returncode, *said) == (0, "a.md\n", "")
    assert list(room.iterdir()) == []


def test_a_program_that_breaks_off_is_no_other(repository: Path, room: Path) -> None:
    """An interrupt is told as Python tells it."""
    with program(READ + "raise KeyboardInterrupt", here(repository), room) as running:
        out, errors = running.communicate()
    assert (running.returncode, out) == (-signal.SIGINT, "a.md\n")
    assert errors.startswith("Traceback")
    assert errors.endswith("KeyboardInterrupt\n")
    assert list(room.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no other system has forks")
def test_the_end_of_a_fork_ends_nothing(repository: Path, room: Path) -> None:
    """What it was forked from reads on."""
    script = (
        READ
        + """
import os, warnings
warnings.simplefilter("ignore")  # of forking a program that has threads
sys.stdout.flush()
child = os.fork()
if child:
    assert os.waitpid(child, 0)[1] == 0
    print(field.page("b.md").name)
else:
    sys.stdout = None  # what it holds is printed by the other one
"""
    )
    with program(script, here(repository), room) as running:
        said = running.communicate()
    assert (running.returncode, *said) == (0, "a.md\nb.md\n", "")
    assert list(room.iterdir()) == []


def test_an_interrupt_ends_a_fetch(tmp_path: Path, room: Path) -> None:
    """At once, however long the server is silent."""
    with git_server(tmp_path) as server:
        server.silent = True
        with program(READ, f"git+{server.url}/r.git@main", room) as running:
            while not server.requests and running.poll() is None:
                sleep(0.01)
            running.send_signal(signal.SIGINT)
            _, errors = running.communicate()
    assert running.returncode == -signal.SIGINT
    assert errors.endswith("KeyboardInterrupt\n")
    assert "Fatal" not in errors
    assert list(room.iterdir()) == []


def test_a_folder_that_nobody_has_any_more_is_closed(
    repository: Path, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git has ended, and its directory is gone, when the garbage is collected."""
    monkeypatch.setattr("tempfile.tempdir", str(room))
    folder = GitFolder(located(here(repository)), PATIENT, DEFAULT_LIMITS)
    assert len(contents(folder)) == 2
    command = folder._contents._running
    assert command is not None
    assert list(room.iterdir()) != []
    del folder
    gc.collect()
    assert command._process.returncode is not None
    assert command.stdout.closed
    assert list(room.iterdir()) == []
    command.end()  # which does nothing more
