"""The GitHub Action with a lock file: what is locked is fetched and proved, then validated."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cli.command import FAULTY, GOOD, call, folder
from tests.test_action import ACTION, STEPS, run_step, validate, workspace

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there")
__all__ = ["workspace"]

INSTALL, KEEP, FETCH, VALIDATE = STEPS


@pytest.fixture
def locked(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository, with a lock file that names its good field."""
    temp = workspace.parent
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(temp / "state"))
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(temp / "of another machine"))
    monkeypatch.delenv("MEMORYFIELD_LOCK", raising=False)
    lock = workspace / "a lock" / "memoryfields.lock"
    folder(lock.parent / "good", {"woks.md": GOOD})
    assert call("lock", "add", "good", lock.parent / "good", "--lock-file", lock).code == 0
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(temp / "of this one"))
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(temp / "not used"))
    return workspace


def fetch(workspace: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the step that fetches."""
    return run_step(FETCH, workspace, **inputs)


LOCK = "a lock/memoryfields.lock"


def test_what_is_locked_is_fetched_and_validated(locked: Path) -> None:
    """By its name, from the cache that the step before has filled, beside what is no name."""
    done = fetch(locked, lock=LOCK)
    assert (done.returncode, done.stderr) == (0, "")
    assert "good  fetched  1 page" in done.stdout
    shutil.rmtree(locked / "a lock" / "good")
    done = validate(locked, lock=LOCK, location="@good\nfields/good")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (locked.parent / "not used").exists()


def test_what_is_another_field_ends_the_job(locked: Path) -> None:
    """With exit code 3; the step that validates would not be run then."""
    (locked / "a lock" / "good" / "woks.md").write_bytes(FAULTY)
    done = fetch(locked, lock=LOCK)
    assert done.returncode == 3
    assert "woks.md: is not what was pinned" in done.stderr
    assert validate(locked, lock=LOCK, location="@good").returncode == 3


@pytest.mark.parametrize("place", ["http://127.0.0.1:9/x.memoryfield.zip", "/etc"])
def test_nobody_has_typed_a_location_here(place: str, locked: Path) -> None:
    """A lock file in a pull request names public places, or is refused before it is asked."""
    path = locked / LOCK
    text = path.read_text()
    path.write_text(re.sub(r"(?m)^location = .*$", f'location = "{place}"', text))
    done = fetch(locked, lock=LOCK)
    assert done.returncode == 2
    assert "comes from someone else" in done.stderr


@pytest.mark.parametrize("lock", ["$(touch evil)", "; touch evil", "--help", "-h", "'", '"'])
def test_lock_is_never_a_command(lock: str, locked: Path) -> None:
    """Whatever the input holds, it names a file, which is not there."""
    done = fetch(locked, lock=lock)
    assert done.returncode == 2
    assert "there is no such lock file" in done.stderr
    assert not (locked / "evil").exists()


def test_cache_is_true_or_false(locked: Path) -> None:
    """Another word would be taken for no, and nobody would know why all is fetched anew."""
    done = fetch(locked, lock=LOCK, cache="yes")
    assert (done.returncode, done.stdout) == (
        2,
        "::error::the input cache is neither true nor false\n",
    )


def test_the_cache_is_kept_by_the_lock(locked: Path) -> None:
    """The folder that the scripts use, under the hash of the lock file, if that is wanted."""
    assert KEEP["if"] == "inputs.lock != '' && inputs.cache == 'true'"
    assert FETCH["if"] == "inputs.lock != ''"
    assert KEEP["with"]["path"] == "${{ runner.temp }}/memoryfield-cache"
    assert "hashFiles(inputs.lock)" in KEEP["with"]["key"]
    assert KEEP["with"]["key"].startswith(KEEP["with"]["restore-keys"])
    assert fetch(locked, lock=LOCK).returncode == 0
    assert (locked.parent / "temp" / "memoryfield-cache").is_dir()


def test_without_a_lock_all_is_as_before(locked: Path) -> None:
    """Nothing is fetched or kept, and only `location` must be given."""
    assert ACTION["inputs"]["lock"]["default"] == ""
    assert [name for name, each in ACTION["inputs"].items() if each.get("required")] == ["location"]
    assert validate(locked, location="fields/good").returncode == 0
    assert not (locked.parent / "temp" / "memoryfield-cache").exists()
