"""Writers of archives that are killed at each call that writes: the old archive, or the new one.

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
from tests.writer.archives import FILES, WRITERS, contents, edited, plan_of
from tests.writer.stepping import Stepping, every_crash, marked, system_calls

from memoryfield_readers import DEFAULT_LIMITS, open_field
from memoryfield_writer.plan import Plan
from memoryfield_writer.targets.archive_file import ArchiveTarget

NAME = "x.memoryfield.zip"
ROOT = Path(__file__).parents[2]
ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
PLANS = {
    "one": plan_of(FILES, {"b.md": b"# B, new\n"}),
    "three": plan_of(FILES, {"b.md": b"# B, new\n", "new.md": b"# New\n"}, ("index.md",)),
    "twenty": plan_of(FILES, {f"{number:02}.md": b"x" * number for number in range(19)}, ("a.md",)),
}


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in memory, if there is one: a kill, unlike a power cut, loses nothing there."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="memoryfield-test-", dir=parent) as folder:
        yield Path(folder)


def persist(folder: Path, plan: Plan) -> None:
    """Edit the archive in a folder."""
    with ArchiveTarget(folder / NAME, NAME, DEFAULT_LIMITS).held(5, None) as held:
        held.persist(plan)


@pytest.mark.parametrize(
    ("writer", "size"),
    [
        (writer, size)
        for writer in ("canonical", "all-there-is", "zipfile-deflated")
        for size in sorted(PLANS)
        if ALL or (writer, size) in {("all-there-is", "twenty"), ("zipfile-deflated", "one")}
    ],
)
def test_killed_at_every_step(writer: str, size: str, place: Path) -> None:
    """It opens clean; what was left beside is debris, and the next write takes it away."""
    plan = PLANS[size]
    old = WRITERS[writer](place)
    expected = contents(edited(old, plan))
    seen = set()

    def prepare(folder: Path) -> None:
        folder.mkdir()
        (folder / NAME).write_bytes(old)

    def act(folder: Path) -> None:
        persist(folder, plan)

    def check(folder: Path, nth: int, done: bool) -> None:
        data = (folder / NAME).read_bytes()
        seen.add((data != old, len(os.listdir(folder))))
        assert data == old or contents(data) == expected
        assert all(name.startswith(".") for name in os.listdir(folder) if name != NAME)
        with open_field(folder / NAME) as field:
            files = {name: field.content(name) for name in field.entries}
            assert field.faults == ()
        persist(folder, plan_of(files, {"z.md": b"z"}))
        assert os.listdir(folder) == [NAME]

    steps = every_crash(place, prepare, act, check)
    print(f"{writer}, {size}: killed at {steps} steps")
    assert steps >= 10
    assert seen == {(False, 1), (False, 2), (True, 1)}


@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace here")
def test_no_call_that_writes_is_left_out(tmp_path: Path) -> None:
    """The system is asked for just as many writes as there are steps."""
    (tmp_path / NAME).write_bytes(WRITERS["canonical"](tmp_path))
    trace = tmp_path / "trace"
    strace = ["strace", "-f", "-qq", "-o", str(trace)]
    if subprocess.run([*strace, "true"], capture_output=True, check=False).returncode:
        pytest.skip("strace may not be used here")
    child = [sys.executable, "-m", "tests.writer.test_archive_crash", str(tmp_path)]
    done = subprocess.run([*strace, *child], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    calls = system_calls(trace.read_text(errors="replace"), "edit")
    assert len(calls) == int(done.stdout), calls
    assert {"open", "write", "fsync"} <= {*calls}


if __name__ == "__main__":
    persist(Path(sys.argv[1]), plan_of(FILES, {"index.md": b"x"}))  # all is imported now
    with Stepping(lambda number, name: None) as stepping, marked("edit"):
        persist(Path(sys.argv[1]), PLANS["twenty"])
    print(len(stepping.taken))
