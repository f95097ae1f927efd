"""Fields that would be written to one place are refused before anything is asked for or written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.readers import fields_to_fetch
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_readers import LocationError
from memoryfield_readers.fetching import Fetching, fetch_fields
from memoryfield_readers.fetching.targets import check_targets
from memoryfield_readers.lock import LockedField, LockFile

state, server, here = fields_to_fetch.state, fields_to_fetch.server, fields_to_fetch.here
lock, how = fields_to_fetch.lock, fields_to_fetch.how


def test_an_archive_and_a_folder_of_one_name(
    server: FaultyHttp, lock: LockFile, how: Fetching, tmp_path: Path
) -> None:
    """One of them would have taken the place of the other."""
    clash = "small.memoryfield.zip"
    lock = lock.with_field(replace(lock.field("plain"), name=clash))
    out = tmp_path / "out"
    with pytest.raises(LocationError) as caught:
        list(fetch_fields(lock, ["small", clash], replace(how, out=out)))
    assert caught.value.exit_code == 2
    assert "small and small.memoryfield.zip" in caught.value.message.replace("`", "")
    assert not server.requests
    assert not out.exists()
    assert [each.error for each in fetch_fields(lock, ["small", clash], how)] == [None, None]


def _named(lock: LockFile, *names: str) -> list[LockedField]:
    return [replace(lock.field("plain"), name=name) for name in names]


def test_names_that_differ_in_case_alone(lock: LockFile, tmp_path: Path) -> None:
    fields = _named(lock, "notes", "Notes")
    check_targets(fields, tmp_path, ignores_case=False)
    with pytest.raises(LocationError, match=r"notes.*Notes"):
        check_targets(fields, tmp_path, ignores_case=True)


def test_whether_case_counts_is_found_out(lock: LockFile, tmp_path: Path) -> None:
    """By the folder itself, or the nearest one that is there."""
    folder = tmp_path / "folder"
    folder.mkdir()
    fields = _named(lock, "notes", "Notes")
    for out in (folder, folder / "9" / "8"):
        check_targets(fields, out)
    (tmp_path / "FOLDER").symlink_to(folder)
    for out in (folder, folder / "9" / "8"):
        with pytest.raises(LocationError):
            check_targets(fields, out)


@pytest.mark.parametrize("name", ["nul", "CON", "com1", "Aux.notes", "notes."])
def test_what_windows_has_no_file_of(lock: LockFile, tmp_path: Path, name: str) -> None:
    fields = _named(lock, "conference", name)
    check_targets(fields, tmp_path, on_windows=False)
    with pytest.raises(LocationError, match=name):
        check_targets(fields, tmp_path, on_windows=True)
    check_targets(_named(lock, "conference", "nullable"), tmp_path, on_windows=True)
