"""A full disk, a disk that fails, no right to write, and signals: the field stays as it was.

Whatever goes wrong, nothing is left beside the field or in it, and it is said what is the matter.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.cli.command import Outcome, spawn
from tests.cli.unprivileged import spawn_by, way
from tests.readers.unprivileged import without_rights
from tests.writer.stepping import At, Stepping, fail_at, raise_at
from tests.writer.whole_batches import Case, Form, case_of, field_of, held, make

from memoryfield_readers import AccessDenied, MemoryfieldError, SourceUnavailable
from memoryfield_writer import AddAttachment, Batch, apply

ROOT = Path(__file__).parents[2]
FORMS: tuple[Form, ...] = ("folder", "archive")
CASE = {form: case_of(f"{form}/replace/3/index") for form in FORMS}
LARGE = Batch([*CASE["folder"].operations, AddAttachment("large.bin", b"\0\1" * 50_000)])
"""More than there is room for."""

LEFT_BYTES = 60_000

ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in memory, if there is one, as some hundred batches are written to it."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="memoryfield-test-", dir=parent) as folder:
        yield Path(folder)


def every_step(place: Path, case: Case, at: Callable[[int], At]) -> Iterator[BaseException | None]:
    """What is raised with something the matter at each step; the field is looked at after each."""
    make(place / "whole", case.form, case.before)
    quiet = apply(field_of(place / "whole", case.form), Batch(case.operations)).notes
    whole = held(place / "whole", case.form)
    for nth in count(1):
        folder = place / str(nth)
        field = make(folder, case.form, case.before)
        outcome: BaseException | None = None
        notes: tuple[str, ...] = ()
        with Stepping(at(nth)) as stepping:
            try:
                notes = apply(field, Batch(case.operations), wait=0).notes
            except BaseException as error:
                outcome = error
        files = held(folder, case.form)
        if isinstance(outcome, Exception):
            assert files == case.before
        elif outcome is not None:
            assert files in (case.before, whole)
        elif files != whole:  # it is done, and what was prepared for it could not be removed
            assert any(".memoryfield/" in note for note in notes)
            assert whole.items() <= files.items()
        apply(field, [AddAttachment("next.csv", b"1\n")])
        expected = case.before if files == case.before else whole
        assert held(folder, case.form) == {**expected, "next.csv": b"1\n"}
        shutil.rmtree(folder)
        if len(stepping.taken) < nth:
            assert (outcome, notes) == (None, quiet)
            assert files == whole
            print(f"{case.name}: {nth - 1} steps")
            return
        yield outcome


FAULTS: dict[str, Callable[[int], At]] = {
    "full": lambda nth: fail_at(nth, errno.ENOSPC),
    "not-synced": lambda nth: fail_at(nth, errno.EIO, only=frozenset({"fsync", "fdatasync"})),
    "forbidden": lambda nth: fail_at(nth, errno.EACCES),
    "read-only": lambda nth: fail_at(nth, errno.EROFS),
}
MESSAGES = {
    "full": errno.ENOSPC,
    "not-synced": errno.EIO,
    "forbidden": errno.EACCES,
    "read-only": errno.EROFS,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("fault", FAULTS)
def test_an_error_at_every_step(fault: str, form: Form, place: Path) -> None:
    """What raises has changed nothing, and says what the system says."""
    failed = 0
    for outcome in every_step(place, CASE[form], FAULTS[fault]):
        if outcome is None:
            continue
        assert isinstance(outcome, SourceUnavailable), outcome
        assert isinstance(outcome, AccessDenied) == (fault in ("forbidden", "read-only"))
        assert outcome.exit_code == 4
        assert os.strerror(MESSAGES[fault]).lower() in str(outcome).lower()
        assert str(place) in str(outcome.location)
        failed += 1
    assert failed >= (1 if fault == "not-synced" else 5)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_at_every_step(kind: type[BaseException], form: Form, place: Path) -> None:
    """It is raised, and nothing is left of the batch, or all of it is there."""
    outcomes = list(every_step(place, CASE[form], lambda nth: raise_at(nth, kind)))
    assert {type(each) for each in outcomes} == {kind}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.parametrize(
    ("form", "name"),
    [("folder", "SIGTERM"), ("archive", "SIGINT")]
    + [("folder", "SIGINT"), ("archive", "SIGTERM")] * ALL,
)
def test_a_signal_at_every_step_of_the_command(form: Form, name: str, place: Path) -> None:
    """It ends with the code that shells know, and leaves all of the batch or nothing."""
    case = f"{form}/replace/3/index" if name == "SIGINT" else f"{form}/remove/1"
    command = [sys.executable, "-m", "tests.writer.fault_child", str(place), case, name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    print(f"{form}: {name} at {int(done.stdout)} steps")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with little room."""
    disk = tmp_path / "disk"
    disk.mkdir()
    options = ["-t", "tmpfs", "-o", "size=256k,mode=0777", "tmpfs"]
    if shutil.which("mount") is None or os.name == "nt":
        pytest.skip("nothing can be mounted here")
    done = subprocess.run(["mount", *options, str(disk)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("nothing may be mounted here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def fill(disk: Path) -> None:
    """Leave room for a few small files."""
    stats = os.statvfs(disk)
    (disk / "ballast").write_bytes(b"x" * (stats.f_bavail * stats.f_frsize - LEFT_BYTES))


def apply_by_command(field: Path, batch: Batch, before: tuple[str, ...] = ()) -> Outcome:
    """What the command says to a batch."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(batch.to_json(), file)
        file.flush()
        return spawn("apply", field, file.name, before=before)


@pytest.mark.parametrize("form", FORMS)
def test_a_disk_that_is_really_full(form: Form, small_disk: Path) -> None:
    """Through the library and the command; what has room is written all the same."""
    case = CASE[form]
    place = small_disk / "place"
    field = make(place, form, case.before)
    fill(small_disk)
    with pytest.raises(SourceUnavailable) as raised:
        apply(field, LARGE)
    assert "no space left" in str(raised.value).lower()
    assert held(place, form) == case.before
    outcome = apply_by_command(field, LARGE)
    assert (outcome.code, outcome.out) == (4, "")
    assert "no space left" in outcome.err.lower()
    assert held(place, form) == case.before
    apply(field, [AddAttachment("small.csv", b"1\n")])
    assert held(place, form)["small.csv"] == b"1\n"


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="there is no prlimit here")
@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_may_not_grow_so_large(form: Form, place: Path) -> None:
    """A limit on the bytes of a file is told as what it is."""
    case = CASE[form]
    field = make(place / "place", form, case.before)
    outcome = apply_by_command(field, LARGE, before=("prlimit", "--fsize=60000"))
    assert (outcome.code, outcome.out) == (4, "")
    assert "file too large" in outcome.err.lower()
    assert held(place / "place", form) == case.before


CLOSED: dict[str, Callable[[Path], Path]] = {
    "folder": lambda field: field,
    "page": lambda field: field / "p-00.md",
    "archive": lambda field: field,
    "folder-of-the-archive": lambda field: field.parent,
}


def _closed(what: str, place: Path) -> tuple[Case, Path, Path]:
    """A field, and what of it is write-protected now."""
    case = CASE["folder" if what in ("folder", "page") else "archive"]
    field = make(place / "place", case.form, case.before)
    closed = CLOSED[what](field)
    mode = stat.S_IMODE(closed.stat().st_mode)
    closed.chmod(mode & ~0o222)
    return case, field, closed


@pytest.mark.parametrize("what", CLOSED)
def test_no_right_to_write(what: str) -> None:
    """It is refused through the library before anything is written."""

    def work(place: Path) -> None:
        case, field, closed = _closed(what, place)
        with Stepping(lambda number, name: None) as stepping, pytest.raises(AccessDenied):
            apply(field, Batch(case.operations))
        assert set(stepping.taken) <= {"open"}  # that of the lock
        closed.chmod(0o755)
        assert held(place / "place", case.form) == case.before

    without_rights(work)


@pytest.mark.parametrize("what", CLOSED)
def test_no_right_to_write_through_the_command(what: str) -> None:
    """The exit code is 4, and the one line names the field and what is the matter."""
    as_nobody = way()
    if as_nobody is None:
        pytest.skip("nobody without rights can run the command here")
    with tempfile.TemporaryDirectory(prefix="memoryfield-test-", dir="/tmp") as folder:
        place = Path(folder)
        case, field, closed = _closed(what, place)
        batch = place / "batch.json"
        batch.write_text(json.dumps(Batch(case.operations).to_json()))
        if as_nobody.user is not None:
            for path in (place, *place.rglob("*")):
                os.chown(path, as_nobody.user, as_nobody.user)
        outcome = spawn_by(as_nobody, "apply", field, batch)
        closed.chmod(0o755)
        assert (outcome.code, outcome.out) == (4, "")
        assert outcome.err.count("memoryfield: ") == 1
        assert str(field) in outcome.err
        assert "write" in outcome.err or "written" in outcome.err
        assert held(place / "place", case.form) == case.before


def test_errors_are_ours(place: Path) -> None:
    """No error of the system reaches who calls, whatever the number."""
    for at, form in enumerate(FORMS):
        numbers = (errno.EDQUOT, errno.EFBIG, errno.EMFILE)
        for number in numbers if ALL else numbers[at : at + 2]:
            for outcome in every_step(
                place / f"{form}-{number}",
                CASE[form],
                lambda nth, n=number: fail_at(nth, n),  # type: ignore[misc]
            ):
                assert outcome is None or isinstance(outcome, MemoryfieldError)
