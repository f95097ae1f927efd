"""A lock file is changed in one step, by one process at a time, and never written over unseen."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.readers.locks import lock_of, locked

from memoryfield_readers import (
    DEFAULT_LIMITS,
    LocationError,
    LockFileError,
    MemoryfieldError,
    WriteConflict,
)
from memoryfield_readers.lock import (
    LOCK_NAME,
    STATE_VARIABLE,
    LockedField,
    changing,
    read_lock,
    render_lock,
    stored_location,
    writing,
)
from memoryfield_readers.lock.adding import remove_fields
from memoryfield_readers.lock.renewing import write_renewed


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))


def write(path: Path, *fields: LockedField) -> None:
    with changing(path) as change:
        lock = change.lock
        for each in fields:
            lock = lock.with_field(each)
        change.write(lock)


def test_mode_is_kept_and_nothing_is_left_beside(tmp_path: Path) -> None:
    """The file keeps its mode; what was written beside it, and what locked it, is not there."""
    path = tmp_path / LOCK_NAME
    write(path, locked())
    path.chmod(0o640)
    write(path, locked("other"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert set(read_lock(path).fields) == {"notes", "other"}
    assert sorted(os.listdir(tmp_path)) == [LOCK_NAME, "state"]


def test_link_stays_a_link(tmp_path: Path) -> None:
    """Where the lock file is a link, the file that it leads to is written."""
    real = tmp_path / "real" / "x.lock"
    real.parent.mkdir()
    link = tmp_path / LOCK_NAME
    link.symlink_to(real)
    write(real, locked())
    write(link, locked("other"))
    assert link.is_symlink()
    assert set(read_lock(real).fields) == {"notes", "other"}


def test_unchanged_file_is_not_written(tmp_path: Path) -> None:
    """Writing what is there already writes nothing."""
    path = tmp_path / LOCK_NAME
    write(path, locked())
    before = path.stat()
    write(path, locked())
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_editor_that_knows_no_locks(tmp_path: Path) -> None:
    """A file that was changed after it was read is not written over."""
    path = tmp_path / LOCK_NAME
    write(path, locked())
    edited = render_lock(lock_of(locked(), locked("mine"))).encode()
    with changing(path) as change:
        path.write_bytes(edited)
        with pytest.raises(WriteConflict) as found:
            change.write(change.lock.with_field(locked("other")))
    assert found.value.exit_code == 5
    assert path.read_bytes() == edited
    assert sorted(os.listdir(tmp_path)) == [LOCK_NAME, "state"]


def test_who_waits_in_vain_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where another process changes the file for long, the second one is told, and goes no further.

    To the system the end of a wait is an error like others, which are let pass.
    """
    monkeypatch.setattr(writing, "_WAIT_SECONDS", 0)
    path = tmp_path / LOCK_NAME
    with (
        changing(path),
        pytest.raises(WriteConflict, match="another process has been changing it") as found,
        changing(path),
    ):
        pass
    assert (found.value.exit_code, found.value.location) == (5, str(path))


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    """An entry that no reader would take reaches no file."""
    path = tmp_path / LOCK_NAME
    with pytest.raises(MemoryfieldError), changing(path) as change:
        change.write(change.lock.with_field(locked(size=-1)))
    assert not path.exists()


def test_broken_file_is_left_alone(tmp_path: Path) -> None:
    """Nothing is written over a lock file that cannot be read."""
    path = tmp_path / LOCK_NAME
    path.write_bytes(b"version = 1\n<<<<<<< HEAD\n")
    with pytest.raises(LockFileError) as found:
        write(path, locked())
    assert "a merge has left its marks" in (found.value.hint or "")
    assert "conflict markers of a merge stand in line 2" in found.value.message
    assert path.read_bytes() == b"version = 1\n<<<<<<< HEAD\n"


def test_empty_file_is_a_lock_file_without_a_field(tmp_path: Path) -> None:
    """As `touch` makes it: it is written to as one that is not there yet would be."""
    path = tmp_path / LOCK_NAME
    path.touch()
    assert read_lock(path).fields == {}
    write(path, locked())
    assert list(read_lock(path).fields) == ["notes"]


def test_link_that_leads_to_nothing(tmp_path: Path) -> None:
    """It is called a link, which is why no file can be made beside it."""
    path = tmp_path / LOCK_NAME
    path.symlink_to("nowhere")
    for attempt in (lambda: read_lock(path), lambda: write(path, locked())):
        with pytest.raises(LockFileError, match="is a link to `nowhere`, and nothing is there"):
            attempt()


def test_folder_that_is_not_there(tmp_path: Path) -> None:
    """A lock file in no folder cannot be written, and the error says so."""
    with pytest.raises(LockFileError, match="cannot be written: no such file"):
        write(tmp_path / "none" / LOCK_NAME, locked())


def test_removing_is_all_or_nothing(tmp_path: Path) -> None:
    """Where one of the names is wrong, none is taken out."""
    path = tmp_path / LOCK_NAME
    write(path, locked("a"), locked("b"), locked("c"))
    before = path.read_bytes()
    with pytest.raises(LocationError):
        remove_fields(path, ["a", "zzz"], limits=DEFAULT_LIMITS)
    assert path.read_bytes() == before
    assert set(remove_fields(path, ["a", "c", "a"], limits=DEFAULT_LIMITS).fields) == {"b"}
    assert set(read_lock(path).fields) == {"b"}


def test_renewing_what_was_changed_meanwhile(tmp_path: Path) -> None:
    """New entries take the place of those that were reviewed, or none is written."""
    path = tmp_path / LOCK_NAME
    one, two = locked("one"), locked("two")
    write(path, one, two)
    new_one, new_two = (locked(name, {"a.md": b"new\n"}) for name in ("one", "two"))
    write(path, locked("two", {"a.md": b"of another\n"}))
    before = path.read_bytes()
    with pytest.raises(WriteConflict, match="two was changed"):
        write_renewed(path, [(one, new_one), (two, new_two)], limits=DEFAULT_LIMITS)
    assert path.read_bytes() == before
    write_renewed(path, [(one, new_one)], limits=DEFAULT_LIMITS)
    assert read_lock(path).field("one") == new_one


ADD = """
import sys
from pathlib import Path
from memoryfield_readers.lock.adding import add_field
from memoryfield_readers import DEFAULT_LIMITS, Pins
how = {"pins": Pins(), "limits": DEFAULT_LIMITS, "storage_options": {}}
for name in sys.argv[2:]:
    add_field(Path(sys.argv[1]), name, "notes", **how)
"""


def test_many_processes_lose_nothing(tmp_path: Path) -> None:
    """Processes that each add fields to one lock file end with all of them in it."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_bytes(b"a\n")
    path = tmp_path / LOCK_NAME
    names = [[f"f{process}-{number}" for number in range(5)] for process in range(6)]
    running = [
        subprocess.Popen([sys.executable, "-c", ADD, path, *some], cwd=tmp_path) for some in names
    ]
    assert [each.wait(120) for each in running] == [0] * len(names)
    assert set(read_lock(path).fields) == {name for some in names for name in some}
    assert stored_location(str(tmp_path / "notes"), path) == "notes"


KILLED = """
import os, sys
from pathlib import Path
from memoryfield_readers.lock import writing
from tests.readers.locks import locked
at, path = sys.argv[1], Path(sys.argv[2])
def killed(*args, **kwargs):
    os._exit(9)
with writing.changing(path) as change:
    setattr(os, at, killed)
    change.write(change.lock.with_field(locked("other")))
"""


@pytest.mark.parametrize("at", ["fsync", "replace", "unlink", "fchmod"])
def test_killed_while_it_writes(at: str, tmp_path: Path) -> None:
    """A process that dies at any step leaves the file as it was, or as it is to be."""
    path = tmp_path / LOCK_NAME
    write(path, locked())
    before = path.read_text(encoding="utf-8")
    root = Path(__file__).resolve().parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-c", KILLED, at, path], cwd=root, check=False, timeout=120
    )
    assert done.returncode == 9
    after = render_lock(lock_of(locked(), locked("other")))
    assert path.read_text(encoding="utf-8") == (after if at == "unlink" else before)
    write(path, locked("other"))
    assert path.read_text(encoding="utf-8") == after
