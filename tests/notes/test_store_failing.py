"""Disks that are full or broken, files and folders that may not be written: all or nothing."""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from tests.notes.sample_fields import FAMILY, KINDS, ONE, TWO, field_of, store_of
from tests.readers.unprivileged import without_rights
from tests.writer.stepping import Stepping, fail_at

from memoryfield_notes import Store, StoreError, StoreKind, convert, open_store
from memoryfield_readers import MemoryfieldError


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Let no file of this process become longer, as if the disk were full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO], ids=errno.errorcode.get)
@pytest.mark.parametrize("ever_after", [False, True], ids=["once", "from-then-on"])
def test_each_step_of_python_fails(code: int, ever_after: bool, tmp_path: Path) -> None:
    path = tmp_path / "x"
    store_of(path, "json").close()
    for nth in count(1):
        with open_store(path) as store:
            before = store.export()
            failed: MemoryfieldError | None = None
            with Stepping(fail_at(nth, code, ever_after=ever_after)) as stepping:
                try:
                    store.cas(TWO, store.get(TWO).rev, f"try {nth}")
                except MemoryfieldError as error:
                    failed = error
            after = store.export()
            if failed is None:
                assert after != before
            elif "may not be on the disk" in failed.message:
                assert after != before
                assert "fsync" in stepping.taken[nth - 1 :]
            else:
                assert after == before, failed
                assert failed.exit_code == 4
            assert store.cas(ONE, store.get(ONE).rev, "next").applied
        assert {each.name for each in tmp_path.iterdir()} == {"x", ".x.lock"}
        if nth > len(stepping.taken):
            break
    assert nth > 8


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk(kind: StoreKind, tmp_path: Path) -> None:
    path = tmp_path / "x"
    pages: dict[str, str | bytes] = {
        f"page-{number}": f"Text {number} " * 99 for number in range(30)
    }
    with store_of(path, kind, pages) as store, field_of({**pages, **FAMILY}) as more:
        store.cas("page-1.md", 1, "kept")
        before, size = store.export(), path.stat().st_size
        attempts: tuple[Callable[[], object], ...] = (
            lambda: store.cas("page-2.md", 1, "x" * 60_000),
            lambda: store.rebuild(more, force=True),
            lambda: store.restore(before),
            lambda: store.backup(tmp_path / "copy"),
            lambda: convert(path, "json" if kind == "sqlite" else "sqlite"),
            lambda: open_store(tmp_path / "new", kind="sqlite", create=True),
        )
        for attempt in attempts:
            with files_up_to(min(size, 16_384)), pytest.raises(StoreError):
                attempt()
            assert store.export() == before
        assert store.cas("page-2.md", 1, "x").applied
    assert {each.name for each in tmp_path.iterdir()} == {"x", ".x.lock", ".new.lock"}


@pytest.mark.parametrize("kind", KINDS)
def test_what_may_not_be_written_can_be_read(kind: StoreKind) -> None:
    def work(folder: Path) -> None:
        path = folder / "x"
        with store_of(path, kind) as store:
            whole = store.export()
        attempts: tuple[Callable[[Store], object], ...] = (
            lambda store: store.cas(TWO, 1, "x"),
            lambda store: store.restore(whole),
        )
        path.chmod(0o400)
        for closed in (False, True):  # the file alone, then its folder, too
            folder.chmod(0o500 if closed else 0o700)
            with open_store(path) as store:
                assert store.export() == whole
                assert store.search("The stem") != ()
                for attempt in attempts:
                    with pytest.raises(MemoryfieldError) as told:
                        attempt(store)
                    assert told.value.exit_code == 4
                    assert store.export() == whole
        folder.chmod(0o700)
        path.chmod(0o000)
        with pytest.raises(StoreError, match="permission"):
            open_store(path)
        assert {each.name for each in folder.iterdir()} == {"x", ".x.lock"}

    without_rights(work)


def test_a_lock_file_that_is_none(tmp_path: Path) -> None:
    """A link in its place leads a writer nowhere."""
    with store_of(tmp_path / "x", "json") as store:
        (tmp_path / "other").write_text("kept")
        lock = tmp_path / ".x.lock"
        lock.unlink()
        lock.symlink_to("other")
        with pytest.raises(MemoryfieldError, match="locked"):
            store.cas(TWO, 1, "x")
    assert (tmp_path / "other").read_text() == "kept"
    assert os.path.islink(lock)


def test_a_long_name_has_a_lock_file_too(tmp_path: Path) -> None:
    with store_of(tmp_path / ("x" * 230), "sqlite") as store:
        assert store.cas(TWO, 1, "x").applied
    assert len(list(tmp_path.iterdir())) == 2
