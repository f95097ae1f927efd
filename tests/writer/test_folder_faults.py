"""Batches in folders that meet an error, or an interrupt, at each of their steps."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.writer.folder_batches import (
    BEFORE,
    BEFORE_DIGEST,
    BY_NAME,
    Case,
    apply_case,
    apply_next,
    content_of,
    digest_of,
    is_clean,
    make_folder,
    read_digest,
)
from tests.writer.stepping import At, Stepping, fail_at, raise_at

from memoryfield_readers import AccessDenied, MemoryfieldError, SourceUnavailable
from memoryfield_writer.recovering import recover

_CODES = {"full": errno.ENOSPC, "broken": errno.EIO, "forbidden": errno.EACCES}

ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
"""Whether to do all that `test_faults` does by way of `apply`, too."""


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in memory, if there is one, as some hundred batches are written to it."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="memoryfield-test-", dir=parent) as folder:
        yield Path(folder)


def _every_step(place: Path, case: Case, at: Callable[[int], At]) -> Iterator[tuple[Path, object]]:
    """The batch with something the matter at each step: the folder, and what was raised or noted.

    Ends when a batch comes through in which no step was left to go wrong.
    """
    for nth in count(1):
        folder = place / str(nth)
        make_folder(folder)
        outcome: object
        with Stepping(at(nth)) as stepping:
            try:
                outcome = apply_case(folder, case)
            except BaseException as error:
                outcome = error
        if len(stepping.taken) < nth:
            assert outcome == ()
            print(f"{case.name}: {nth - 1} steps")
            return
        yield folder, outcome
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("name", "code"),
    [("few", "broken")]
    + [("few", "forbidden")] * ALL
    + [(name, "full") for name in ("replace", "two", "five", "twenty") if ALL or name == "two"],
)
def test_an_error_at_any_step(name: str, code: str, place: Path) -> None:
    """What raises leaves the field as it was; what does not has written all of it."""
    case = BY_NAME[name]
    failed = 0
    for folder, outcome in _every_step(place, case, lambda nth: fail_at(nth, _CODES[code])):
        if isinstance(outcome, BaseException):
            assert isinstance(outcome, SourceUnavailable), outcome
            assert isinstance(outcome, AccessDenied) == (code == "forbidden")
            assert outcome.location == str(folder)
            assert os.strerror(_CODES[code]).lower() in str(outcome)
            assert "nothing was changed" in str(outcome) or "put back as it was" in str(outcome)
            assert outcome.hint is None
            assert content_of(folder) == BEFORE
            assert is_clean(folder)
            failed += 1
        else:
            assert read_digest(folder) == digest_of(case.after)
            assert is_clean(folder) or outcome
        apply_next(folder)
        assert is_clean(folder)
    assert failed > 10


@pytest.mark.parametrize("name", ["remove-a-link", "few"])
def test_a_disk_that_is_gone_for_good(name: str, place: Path) -> None:
    """Where nothing can be put back either, readers see all or nothing, and it can be recovered."""
    case = BY_NAME[name]
    after = digest_of(case.after)
    pending = 0
    for folder, outcome in _every_step(
        place, case, lambda nth: fail_at(nth, errno.EIO, ever_after=True)
    ):
        seen = read_digest(folder)
        assert seen in (BEFORE_DIGEST, after)
        if isinstance(outcome, BaseException):
            assert isinstance(outcome, SourceUnavailable), outcome
            if "could not be put back" in str(outcome):
                assert outcome.hint == f"run `memoryfield recover {folder}`"
                pending += 1
            else:
                assert seen == BEFORE_DIGEST
        else:
            assert seen == after
        recover(folder)
        assert recover(folder).action == "nothing"
        assert content_of(folder) == (case.after if seen == after else BEFORE)
        assert is_clean(folder)
    assert pending > 0


def test_a_full_disk_on_which_files_can_still_be_renamed(place: Path) -> None:
    """It stays full: what was staged is removed, and what was renamed is put back."""
    case = BY_NAME["few"]
    full = frozenset({"open", "write", "mkdir", "link", "fsync", "setxattr"})
    for folder, outcome in _every_step(
        place, case, lambda nth: fail_at(nth, errno.ENOSPC, ever_after=True, only=full)
    ):
        if isinstance(outcome, BaseException) and "could not be put back" not in str(outcome):
            assert content_of(folder) == BEFORE
            assert is_clean(folder)
        seen = read_digest(folder)
        assert seen in (BEFORE_DIGEST, digest_of(case.after))
        recover(folder)
        assert content_of(folder) == (BEFORE if seen == BEFORE_DIGEST else case.after)
        assert is_clean(folder)


@pytest.mark.parametrize(
    "interrupt",
    [KeyboardInterrupt, lambda: SystemExit(143)][: 1 + ALL],
    ids=["ctrl-c", "sigterm"][: 1 + ALL],
)
def test_an_interrupt_at_any_step(interrupt: Callable[[], BaseException], place: Path) -> None:
    """Before the batch counts it leaves no trace, and from then on it is brought to its end."""
    case = BY_NAME["few"]
    states = []
    for folder, outcome in _every_step(place, case, lambda nth: raise_at(nth, interrupt)):
        assert isinstance(outcome, KeyboardInterrupt | SystemExit)
        held = content_of(folder)
        assert held in (BEFORE, case.after)
        states.append(held == case.after)
        assert is_clean(folder)
    assert states == sorted(states)
    assert {*states} == {True, False}


def test_each_name_is_given_to_what_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What gets its name was synced before, and the folder that has it now is synced afterwards."""
    make_folder(tmp_path / "field")
    synced: set[int] = set()
    unsynced: set[int] = set()  # folders in which a name was given that may not be on the disk
    renamed = []
    fsync, replace, unlink = os.fsync, os.replace, os.unlink

    def syncing(descriptor: int) -> None:
        fsync(descriptor)
        inode = os.fstat(descriptor).st_ino
        synced.add(inode)
        unsynced.discard(inode)

    def replacing(name: str, to: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        status = os.stat(name, dir_fd=src_dir_fd, follow_symlinks=False)
        if not to.startswith("old-"):
            assert status.st_ino in synced, f"{name} -> {to}"
        if (name, to) == ("journal.tmp", "journal"):
            assert not unsynced, "what is staged has its name before it counts"
        renamed.append(to)
        replace(name, to, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        unsynced.update((os.fstat(src_dir_fd).st_ino, os.fstat(dst_dir_fd).st_ino))

    def unlinking(name: str, *, dir_fd: int) -> None:
        if name == "journal":
            here = os.fstat(dir_fd).st_ino
            assert unsynced <= {here}, "all files have their names before the journal goes"
            unsynced.add(here)
        elif renamed and renamed[-1] == "journal":
            raise AssertionError(f"{name} goes too early")
        unlink(name, dir_fd=dir_fd)

    def making(name: str, mode: int, *, dir_fd: int) -> None:
        mkdir(name, mode, dir_fd=dir_fd)
        unsynced.add(os.fstat(dir_fd).st_ino)

    mkdir = os.mkdir
    with monkeypatch.context() as patch:
        for call, made in (("fsync", syncing), ("replace", replacing), ("unlink", unlinking),
                           ("mkdir", making)):  # fmt: skip
            patch.setattr(os, call, made)
        apply_case(tmp_path / "field", BY_NAME["twenty"])
    assert renamed.count("journal") == 1
    assert len(renamed) == 1 + len(BY_NAME["twenty"].puts) + len(BY_NAME["twenty"].removes)
    assert not unsynced
    assert content_of(tmp_path / "field") == BY_NAME["twenty"].after


def test_a_small_disk_that_is_really_full(tmp_path: Path) -> None:
    """Nothing is left of a batch for which there is no room."""
    resource = pytest.importorskip("resource")
    folder = tmp_path / "field"
    make_folder(folder)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(MemoryfieldError, match="file too large; nothing was changed"):
            apply_case(folder, BY_NAME["twenty"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert content_of(folder) == BEFORE
    assert is_clean(folder)
    assert stat.S_ISDIR(os.stat(folder).st_mode)
