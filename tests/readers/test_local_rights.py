"""A directory of which not everything may be read; tried as a user who is not root."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.readers.unprivileged import without_rights

from memoryfield_readers import AccessDenied, EntryKind, inspect_field, open_field


def _fill(folder: Path, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_bytes(b"# x\n")


def _read_only(folder: Path) -> None:
    _fill(folder, "a.md")
    os.chmod(folder / "a.md", 0o400)
    os.chmod(folder, 0o500)
    with open_field(folder) as field:
        assert field.page("a.md").raw == b"# x\n"
        field.digest()


def _unreadable_page(folder: Path) -> None:
    _fill(folder, "a.md", "b.md")
    os.chmod(folder / "b.md", 0)
    with open_field(folder) as field:
        assert field.page("a.md").raw == b"# x\n"
        for read in (field.page, field.sha256):
            with pytest.raises(AccessDenied) as caught:
                read("b.md")
            assert (caught.value.entry, caught.value.exit_code) == ("b.md", 4)
        with pytest.raises(AccessDenied):
            field.digest()


def _unlistable_root(folder: Path) -> None:
    _fill(folder, "a.md")
    os.chmod(folder, 0o300)
    with pytest.raises(AccessDenied) as caught:
        open_field(folder)
    assert caught.value.exit_code == 4


def _unsearchable_root(folder: Path) -> None:
    """Names can be listed, but nothing is known of the files."""
    _fill(folder, "a.md")
    os.chmod(folder, 0o400)
    with open_field(folder) as field:
        assert field.pages == ("a.md",)
        with pytest.raises(AccessDenied):
            field.page("a.md")
        with pytest.raises(AccessDenied):
            field.digest()


def _unlistable_sub_directory(folder: Path) -> None:
    _fill(folder, "a.md")
    (folder / "log").mkdir(mode=0)
    with open_field(folder) as field:
        [entry] = field.nested()
        assert (entry.path, entry.kind) == ("log", EntryKind.UNREADABLE)
        assert entry.problem == "permission denied"
        assert field.page("a.md").raw == b"# x\n"


def _out_of_reach(folder: Path) -> None:
    (folder / "closed").mkdir()
    _fill(folder / "closed" / "f", "a.md")
    os.chmod(folder / "closed", 0)
    with pytest.raises(AccessDenied):
        open_field(folder / "closed" / "f")


def _unreadable_archive(folder: Path) -> None:
    (folder / "f.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    os.chmod(folder / "f.zip", 0)
    with pytest.raises(AccessDenied) as caught:
        open_field(folder / "f.zip")
    assert caught.value.location == str(folder / "f.zip")


@pytest.mark.parametrize(
    "work",
    [
        _read_only,
        _unreadable_page,
        _unlistable_root,
        _unsearchable_root,
        _unlistable_sub_directory,
        _out_of_reach,
        _unreadable_archive,
    ],
)
def test_rights_that_are_missing(work: Callable[[Path], None], tmp_path: Path) -> None:
    """What may not be read is AccessDenied, never "absent"; what may be read is read."""
    for location in (b"", tmp_path):  # nobody may not even be able to import what this imports
        inspect_field(location).close()
    without_rights(work)
