"""Batches in folders of which not everything may be written; tried as a user who is not root."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.readers.unprivileged import without_rights
from tests.writer.folder_batches import BEFORE, BY_NAME, apply_case, content_of, make_folder

from memoryfield_readers import AccessDenied


def _read_only_folder(folder: Path) -> None:
    os.chmod(folder, 0o555)


def _read_only_file(folder: Path) -> None:
    os.chmod(folder / "page-00.md", 0o444)


def _read_only_sub_folder(folder: Path) -> None:
    os.chmod(folder / "sub", 0o555)


@pytest.mark.parametrize("close", [_read_only_folder, _read_only_file, _read_only_sub_folder])
def test_what_may_not_be_written(close: Callable[[Path], None]) -> None:
    """It is refused before anything is written."""

    def work(place: Path) -> None:
        folder = place / "field"
        make_folder(folder)
        close(folder)
        before = os.stat(folder).st_mtime_ns
        try:
            with pytest.raises(AccessDenied, match="may not be written; nothing was changed"):
                apply_case(folder, BY_NAME["five"])
            assert os.stat(folder).st_mtime_ns == before
            assert content_of(folder) == BEFORE
        finally:
            os.chmod(folder, 0o755)
            os.chmod(folder / "sub", 0o755)

    without_rights(work)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_files_of_others_in_a_folder_for_everybody(tmp_path: Path) -> None:
    """In a folder like /tmp, only who owns a file may replace it: seen before it is written."""

    def work(folder: Path) -> None:
        with pytest.raises(AccessDenied, match="belongs to another user"):
            apply_case(folder / "field", BY_NAME["replace"])
        assert content_of(folder / "field") == BEFORE
        apply_case(folder / "field", BY_NAME["add"])

    make_folder(tmp_path / "field")
    os.chmod(tmp_path / "field", 0o1777)
    for name in BEFORE:
        if not (tmp_path / "field" / name).is_symlink():
            os.chmod(tmp_path / "field" / name, 0o666)

    _as_nobody_in(tmp_path, work)


def _as_nobody_in(place: Path, work: Callable[[Path], None]) -> None:
    """Work in a folder that root has prepared, below one that nobody may reach."""
    with tempfile.TemporaryDirectory(dir="/tmp") as reachable:
        os.chmod(reachable, 0o755)
        shutil.move(place / "field", Path(reachable, "field"))
        without_rights(lambda _: work(Path(reachable)))
