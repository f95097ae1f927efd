"""Folders that a program changes which asks for no lock, while a batch is applied."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.writer.folder_batches import (
    BEFORE,
    BY_NAME,
    apply_case,
    content_of,
    is_clean,
    make_folder,
)
from tests.writer.stepping import Stepping

from memoryfield_readers import DEFAULT_LIMITS, MemoryfieldError, SourceUnavailable, WriteConflict
from memoryfield_writer.targets.folder import FolderTarget


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder before a batch."""
    make_folder(tmp_path / "field")
    return tmp_path / "field"


def _target(path: Path) -> FolderTarget:
    return FolderTarget(path, str(path), DEFAULT_LIMITS)


def _appended(folder: Path) -> None:
    (folder / "page-00.md").write_bytes(b"# mine\n")


def _same_size_and_time(folder: Path) -> None:
    before = os.stat(folder / "page-00.md")
    (folder / "page-00.md").write_bytes(b"X" * before.st_size)
    os.utime(folder / "page-00.md", ns=(before.st_atime_ns, before.st_mtime_ns))


def _through_link(folder: Path) -> None:
    (folder / "sub" / "target.md").write_bytes(b"# mine\n")


def _link_elsewhere(folder: Path) -> None:
    (folder / "linked.md").unlink()
    (folder / "linked.md").symlink_to("kept-00.md")


_BEHIND: dict[str, Callable[[Path], object]] = {
    "a target changed": _appended,
    "a target changed without a trace": _same_size_and_time,
    "a target gone": lambda folder: (folder / "page-00.md").unlink(),
    "a target that is a link": lambda folder: _linked(folder / "page-00.md", "kept-00.md"),
    "a target behind a link changed": _through_link,
    "another file changed": lambda folder: (folder / "kept-00.md").write_bytes(b"mine"),
    "another file gone": lambda folder: (folder / "kept-01.md").unlink(),
    "a file more": lambda folder: (folder / "more.md").write_bytes(b"# mine\n"),
    "the new name taken": lambda folder: (folder / "new.md").write_bytes(b"# mine\n"),
    "a link that leads elsewhere": _link_elsewhere,
    "a folder more": lambda folder: (folder / "more").mkdir(),
    "a sub-folder gone": lambda folder: shutil.rmtree(folder / "sub"),
}


def _linked(path: Path, to: str) -> None:
    path.unlink()
    path.symlink_to(to)


@pytest.mark.parametrize("change", _BEHIND)
def test_what_changes_behind_our_back(change: str, folder: Path) -> None:
    """It is seen, and stays as it is."""
    with _target(folder).held(0, None) as held:
        held.field.digest()
        _BEHIND[change](folder)
        now = content_of(folder)
        with pytest.raises(MemoryfieldError) as caught:
            held.persist(BY_NAME["five"].plan())
    assert isinstance(caught.value, WriteConflict | SourceUnavailable)
    if change != "a sub-folder gone":
        assert isinstance(caught.value, WriteConflict)
        assert "changed by another program" in str(caught.value)
    assert content_of(folder) == now
    assert is_clean(folder)


@pytest.mark.parametrize("change", ["edited", "made"])
def test_what_changes_at_the_last_moment(change: str, folder: Path) -> None:
    """A file changed after the batch counts is kept, and the batch is taken back."""
    name = {"edited": "page-00.md", "made": "new.md"}[change]

    def at(number: int, call: str) -> None:
        if call == "fsync" and (folder / ".memoryfield" / "journal").exists():
            (folder / name).write_bytes(b"# mine\n")

    with Stepping(at), pytest.raises(WriteConflict, match="while the batch was applied") as caught:
        apply_case(folder, BY_NAME["two"])
    assert caught.value.entry == name
    assert content_of(folder) == {**BEFORE, name: b"# mine\n"}
    assert is_clean(folder)


def test_another_folder_takes_its_name(folder: Path, tmp_path: Path) -> None:
    """Neither is written."""
    with _target(folder).held(0, None) as held:
        held.field.digest()
        folder.rename(tmp_path / "moved")
        make_folder(folder)
        with pytest.raises(WriteConflict):
            held.persist(BY_NAME["two"].plan())
    assert content_of(folder) == content_of(tmp_path / "moved") == BEFORE


def test_a_sub_folder_that_became_a_link(folder: Path, tmp_path: Path) -> None:
    """Nothing outside is written."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "target.md").write_bytes(b"# Target\n")
    with _target(folder).held(0, None) as held:
        held.field.digest()
        shutil.rmtree(folder / "sub")
        (folder / "sub").symlink_to(outside)
        with pytest.raises(SourceUnavailable, match="nothing was changed"):
            held.persist(BY_NAME["through-a-link"].plan())
    assert content_of(outside) == {"target.md": b"# Target\n"}
    assert is_clean(folder)
