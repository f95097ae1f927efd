"""Processes that are killed, and many at once: no wrong byte under a right name, no work twice."""

from __future__ import annotations

import errno
import hashlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import filelock
import pytest
from tests.readers.cache_child import DATA, MOST, PIECES, PROCESSES, ROUNDS, SHA256

from memoryfield_readers.cache import Cache, locks
from memoryfield_readers.transfer.progress import unwatched

CHILD = Path(__file__).with_name("cache_child.py")
SAME_STRIPE = SHA256[:2] + "0" * 62
OTHER_STRIPE = f"{int(SHA256[:2], 16) ^ 1:02x}" + "0" * 62


def run_child(*arguments: str | Path) -> list[str]:
    """Run the helper to its end; what it prints."""
    done = subprocess.run(
        [sys.executable, CHILD, *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.splitlines()


def objects(root: Path) -> dict[str, bytes]:
    """Every object of a cache by its name."""
    found = (path for path in (root / "v1" / "objects").glob("*/*"))
    return {path.parent.name + path.name: path.read_bytes() for path in found}


@pytest.mark.parametrize("action", ["put", "replace", "adopt"])
def test_crash_at_any_point(action: str, tmp_path: Path) -> None:
    """Wherever a process ends, what has a name has its bytes, and the next process completes."""
    ((points, code),) = (line.split() for line in run_child("crash", action, tmp_path))
    assert (int(points) > 20, code) == (True, "0")
    seen = set()
    for nth in range(1, int(points) + 1):
        root = tmp_path / str(nth)
        before = objects(root)
        partial = root / "v1" / "partial" / SHA256
        for name, data in before.items():
            damaged = action == "replace" and data == b"damaged"  # it was there, and was so
            assert damaged or hashlib.sha256(data).hexdigest() == name, root
        seen.add((len(before), partial.exists()))
        cache = Cache(root)
        if action == "adopt" and SHA256 not in before:
            with open(partial, "r+b") as file:  # who goes on with it can
                assert file.read() == DATA
            assert cache.adopt(partial) == SHA256
        assert cache.put(PIECES) == SHA256
        assert cache.read(SHA256, MOST) == DATA
        assert list(cache.verify(unwatched)) == []
        info = cache.info()
        assert (info.objects, info.bytes, info.others) == (1, len(DATA), 0)
        assert info.unfinished <= 1
        cache.clear()
        left = {path.name for path in root.rglob("*") if path.is_file()}
        assert left <= {"CACHEDIR.TAG"}
    expected = {"put": {(0, False), (1, False)}, "replace": {(1, False)}}
    assert seen == expected.get(action, {(0, True), (1, False)})


def test_many_processes_at_once(tmp_path: Path) -> None:
    """They put, read, prune and clear the same things without an error, and count right."""
    (tmp_path / "counter").write_text("0")
    told = run_child("crowd", tmp_path)
    assert told == [" ".join(["0"] * PROCESSES)]
    assert int((tmp_path / "counter").read_text()) == PROCESSES * ROUNDS
    for name, data in objects(tmp_path / "cache").items():
        assert hashlib.sha256(data).hexdigest() == name
    assert list((tmp_path / "cache" / "v1" / "partial").iterdir()) == []


def test_killed_holder_lets_go(tmp_path: Path) -> None:
    """Whoever is killed holds nothing any more; the file of the lock is still the same one."""
    holder = subprocess.Popen([sys.executable, CHILD, "hold", tmp_path], stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        (file,) = (tmp_path / "v1" / "locks").iterdir()
        inode = file.stat().st_ino
        with pytest.raises(filelock.Timeout):
            filelock.FileLock(file).acquire(timeout=0)
    finally:
        holder.kill()
        holder.communicate()
    cache = Cache(tmp_path)
    with cache.exclusive(SHA256), pytest.raises(filelock.Timeout):
        filelock.FileLock(file).acquire(timeout=0)
    assert cache.notes == ()
    assert file.stat().st_ino == inode


@contextmanager
def held(cache: Cache, sha256: str = SHA256) -> Iterator[None]:
    """Let another thread of this process hold an object meanwhile."""
    taken, over = Event(), Event()

    def hold() -> None:
        with cache.exclusive(sha256):
            taken.set()
            over.wait()

    thread = Thread(target=hold)
    thread.start()
    taken.wait()
    yield
    over.set()
    thread.join()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for nobody."""
    for name in ("QUIET_SECONDS", "MOST_SECONDS", "NESTED_SECONDS"):
        monkeypatch.setattr(locks, name, 0.01)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("by", ["another thread", "another process"])
def test_waiting_is_told_and_ends(by: str, tmp_path: Path) -> None:
    """Who waits is told so; in the end it goes on, without the lock, and says so."""
    cache = Cache(tmp_path)
    told: list[str] = []
    if by == "another thread":
        holder = held(Cache(tmp_path))
    else:
        with cache.exclusive(SHA256):
            (file,) = (tmp_path / "v1" / "locks").iterdir()
        holder = _held_file(file)
    with holder, cache.exclusive(SHA256, waiting=told.append, what="notes"):
        assert cache.put(PIECES) == SHA256
    assert told == [
        "notes: waiting for another download of this program to end"
        if by == "another thread"
        else "another process is fetching notes: waiting for it"
    ]
    assert cache.notes == (
        "cache is locked by another for more than 0.01 seconds; going on without",
    )
    with cache.exclusive(SHA256, waiting=told.append):
        assert len(told) == len(cache.notes) == 1


def test_nobody_waits_long_without_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who tells nobody of the wait would seem to hang."""
    monkeypatch.setattr(locks, "QUIET_SECONDS", 0.01)
    monkeypatch.setattr(locks, "UNTOLD_SECONDS", 0.02)
    cache = Cache(tmp_path)
    with held(Cache(tmp_path)), cache.exclusive(SHA256):
        assert cache.put(PIECES) == SHA256
    assert cache.notes == (
        "cache is locked by another for more than 0.02 seconds; going on without",
    )


@contextmanager
def _held_file(file: Path) -> Iterator[None]:
    with filelock.FileLock(file):
        yield


@pytest.mark.usefixtures("impatient")
def test_one_thread_holds_several(tmp_path: Path) -> None:
    """Objects whose locks are the same can be held together, by whichever path of the cache."""
    (tmp_path / "link").symlink_to(tmp_path / "cache")
    cache, same = Cache(tmp_path / "cache"), Cache(tmp_path / "link")
    cache.put([])
    with cache.exclusive(SHA256), same.exclusive(SAME_STRIPE), cache.exclusive(OTHER_STRIPE):
        with held(cache, "ab" * 32), cache.exclusive(SHA256):
            pass
        (file,) = (tmp_path / "cache" / "v1" / "locks").glob(f"{SHA256[:2]}*")
        with pytest.raises(filelock.Timeout):
            filelock.FileLock(file).acquire(timeout=0)
    assert cache.notes == same.notes == ()


def test_two_that_wait_for_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who holds one object waits for another but a while, so that nobody waits for ever."""
    monkeypatch.setattr(locks, "QUIET_SECONDS", 0.01)
    monkeypatch.setattr(locks, "MOST_SECONDS", 5.0)
    monkeypatch.setattr(locks, "NESTED_SECONDS", 0.02)
    cache = Cache(tmp_path)
    with (
        held(Cache(tmp_path), OTHER_STRIPE),
        cache.exclusive(SHA256),
        cache.exclusive(OTHER_STRIPE),
    ):
        assert cache.put(PIECES) == SHA256
    assert cache.notes == (
        "cache is locked by another for more than 0.02 seconds; going on without",
    )


def test_errors_let_go(tmp_path: Path) -> None:
    """Whatever ends the work, the next gets the lock."""
    cache = Cache(tmp_path)
    with pytest.raises(KeyboardInterrupt), cache.exclusive(SHA256):
        raise KeyboardInterrupt
    with held(cache):
        pass
    assert cache.notes == ()


@pytest.mark.parametrize(
    "error", [NotImplementedError("no flock"), OSError(errno.ENOLCK, "no locks available")], ids=str
)
def test_where_there_are_no_locks(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without locks the work is done all the same: nothing breaks if it is done twice."""

    def refused(lock: filelock.BaseFileLock, timeout: float) -> None:
        raise error

    monkeypatch.setattr(filelock.FileLock, "acquire", refused)
    cache = Cache(tmp_path)
    with cache.exclusive(SHA256):
        assert cache.put(PIECES) == SHA256
    (note,) = cache.notes
    assert note.startswith("cache cannot be locked: no")


@pytest.mark.parametrize("planted", ["a link", "a folder", "no folder for locks"])
def test_locks_that_are_planted(planted: str, tmp_path: Path) -> None:
    """A link in place of a lock is not followed."""
    cache = Cache(tmp_path / "cache")
    with cache.exclusive(SHA256):
        (file,) = (cache.path / "v1" / "locks").iterdir()
    file.unlink()
    (tmp_path / "mine").write_bytes(b"mine")
    if planted == "a link":
        file.symlink_to(tmp_path / "mine")
    elif planted == "a folder":
        file.mkdir()
    else:
        file.parent.rmdir()
        file.parent.symlink_to(tmp_path)
    with cache.exclusive(SHA256):
        assert cache.put(PIECES) == SHA256
    assert cache.notes[0].startswith("cache cannot be locked: ")
    assert (tmp_path / "mine").read_bytes() == b"mine"
    assert {path.name for path in tmp_path.iterdir()} == {"cache", "mine"}
