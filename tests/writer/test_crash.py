"""`apply`, killed at each call that writes: the field is the old one or the new one, and is whole.

How many kills those were is printed (`pytest -rP`), and `strace` says that there is no other call
that writes. With MEMORYFIELD_CRASH_ALL=1 in the environment, each kind of operation is killed alone
and each size of a batch with each form of a field, with and without an index.
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
from tests.writer.whole_batches import FORMS, KINDS, SIZES, Form, case_of

ROOT = Path(__file__).parents[2]
ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
SOME: dict[Form, list[str]] = {
    "folder": ["replace/1", "rename-file/3", "add/8/index"],
    "archive": [
        "rename/1",
        "text/2",
        "remove-file/3",
        "replace/5",
        "add/8/index",
        "remove/13",
    ],
    "deflated": ["add/1", "replace-file/8/index", "remove-file/20"],
}
"""What is killed every time: every kind of operation, and every size."""


def _every(form: Form) -> list[str]:
    """Each kind alone, and each size twice, beginning with one kind after the other."""
    alone = [f"{kind}/1{index}" for kind in KINDS for index in ("", "/index")]
    sizes = [
        f"{KINDS[(number * 3 + shift) % len(KINDS)]}/{size}{index}"
        for number, size in enumerate(SIZES[1:])
        for shift, index in enumerate(("", "/index"))
    ]
    return [f"{form}/{name}" for name in (*alone, *sizes)]


CASES = {form: _every(form) if ALL else [f"{form}/{each}" for each in SOME[form]] for form in FORMS}


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in memory, if there is one: a kill, unlike a power cut, loses nothing there."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="memoryfield-test-", dir=parent) as folder:
        yield Path(folder)


def child(*arguments: str, before: tuple[str, ...] = ()) -> dict[str, int]:
    """What a child process answers: for each batch, how many steps there were."""
    command = [*before, sys.executable, "-m", "tests.writer.crash_child", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    return {name: int(steps) for name, steps in map(str.split, done.stdout.splitlines())}


def test_the_batches_are_of_every_kind() -> None:
    """No kind of operation is left out, nor any size."""
    done = [case_of(name) for names in CASES.values() for name in names]
    folders = [case for case in done if case.form == "folder"]
    for cases in (folders, [case for case in done if case.form != "folder"]):
        assert len({type(each) for case in cases for each in case.operations}) == 9
    assert {len(case.operations) for case in done} == set(SIZES)


@pytest.mark.parametrize("form", FORMS)
def test_killed_at_every_step(form: Form, place: Path) -> None:
    """All or nothing, no new fault, nothing left once recovered, and the next batch works."""
    kills = child("crash", str(place), *CASES[form])
    assert list(kills) == CASES[form]
    assert min(kills.values()) >= 10
    print(f"{form}: {sum(kills.values())} kills in {len(kills)} batches")


@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace here")
@pytest.mark.parametrize("form", FORMS)
def test_no_call_that_writes_is_left_out(form: str, tmp_path: Path) -> None:
    """The system is asked for just as many writes as there are steps, from first to last."""
    trace = tmp_path / "trace"
    strace = ("strace", "-f", "-qq", "-o", str(trace))
    if subprocess.run([*strace, "true"], capture_output=True, check=False).returncode:
        pytest.skip("strace may not be used here")
    name = f"{form}/replace/13/index"
    steps = child("steps", str(tmp_path / "place"), name, before=strace)[name]
    calls = system_calls(trace.read_text(errors="replace"), "second")
    assert len(calls) == steps, calls
    assert {"open", "write", "fsync"} <= {*calls}
