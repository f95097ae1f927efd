"""Batches carried out in folders: what changes, what is kept, and what is refused."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.readers.unprivileged import NOBODY
from tests.writer.folder_batches import (
    BEFORE,
    BY_NAME,
    CASES,
    Case,
    apply_case,
    content_of,
    digest_of,
    is_clean,
    make_folder,
    read_digest,
)
from tests.writer.stepping import Stepping, fail_at

from memoryfield_readers import (
    DEFAULT_LIMITS,
    LocationError,
    LockTimeout,
    NotFound,
    SourceUnavailable,
    atomic,
    holding,
)
from memoryfield_readers.sources import rooted
from memoryfield_writer.folders import root
from memoryfield_writer.plan import Put
from memoryfield_writer.targets.folder import FolderTarget


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder before a batch."""
    make_folder(tmp_path / "field")
    return tmp_path / "field"


def _target(path: Path) -> FolderTarget:
    return FolderTarget(path, str(path), DEFAULT_LIMITS)


def _is_applied(folder: Path, case: Case) -> bool:
    assert is_clean(folder)
    assert read_digest(folder) == digest_of(case.after)
    return content_of(folder) == case.after


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_kind(case: Case, folder: Path) -> None:
    """The folder holds what it should, and nothing of ours."""
    assert apply_case(folder, case) == ()
    assert _is_applied(folder, case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_where_files_cannot_be_named_relative_to_a_folder(
    case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows."""
    for module, name in ((root, "ANCHORED"), (holding, "ANCHORED"), (rooted, "_ANCHORED")):
        monkeypatch.setattr(module, name, False)
    assert apply_case(folder, case) == ()
    assert _is_applied(folder, case)


@pytest.mark.parametrize("code", [errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP])
def test_where_files_have_one_name_alone(
    code: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there is copied, and comes back with its mode and its time."""
    monkeypatch.setattr(os, "link", _failing(code))
    os.utime(folder / "page-00.md", ns=(5, 10**18))
    os.chmod(folder / "page-00.md", 0o640)
    with Stepping(_failing_at_last_replace) as stepping, pytest.raises(SourceUnavailable):
        apply_case(folder, BY_NAME["two"])
    assert stepping.taken.count("replace") > 3
    assert content_of(folder) == BEFORE
    status = os.stat(folder / "page-00.md")
    assert (status.st_mtime_ns, stat.S_IMODE(status.st_mode)) == (10**18, 0o640)
    assert apply_case(folder, BY_NAME["twenty"]) == ()
    assert _is_applied(folder, BY_NAME["twenty"])


def _failing(code: int) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    return fail


def _failing_at_last_replace(number: int, name: str, seen: list[int] = []) -> None:  # noqa: B006
    """Fail at the third file that is moved since the first step: the journal is the first."""
    if number == 1:
        seen.clear()
    if name == "replace":
        seen.append(number)
        if len(seen) == 3:
            raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_where_letters_of_either_case_are_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page gets its name in other letters, though the system shows the old one under it, too."""

    def status(directory: atomic.Directory, name: str) -> os.stat_result:
        names = {each.casefold(): each for each in directory.names()}
        real = name if name == "." else names.get(name.casefold(), name)
        return os.stat(directory.at(real), dir_fd=directory.descriptor, follow_symlinks=False)

    monkeypatch.setattr(atomic.Directory, "status", status)
    monkeypatch.setattr(os, "access", lambda *_, **__: True)
    content = BEFORE["page-00.md"]
    assert isinstance(content, bytes)
    case = Case("case", {"Page-00.md": Put(content, "page-00.md", moved=True)}, ("page-00.md",))
    for number in range(1, 40):  # and also where it is put back
        with Stepping(fail_at(number, errno.EIO)), suppress(SourceUnavailable):
            apply_case(folder, case)
        if "Page-00.md" in content_of(folder):
            break
        assert content_of(folder) == BEFORE
    assert content_of(folder) == case.after


def test_nothing_to_do(folder: Path) -> None:
    """Nothing is written."""
    before = os.stat(folder)
    assert apply_case(folder, Case("nothing", {})) == ()
    assert os.stat(folder).st_mtime_ns == before.st_mtime_ns


def test_seen(folder: Path) -> None:
    """What is only tried is read without a lock."""
    with _target(folder).held(0, None), _target(folder).seen() as field:
        assert field.digest() == digest_of(BEFORE)


def test_modes_times_and_owners(folder: Path) -> None:
    """A replaced file keeps its mode and owner, a renamed one its time, too; a new one is new."""
    replaced, renamed = folder / "page-00.md", folder / "page-02.md"
    os.chmod(replaced, 0o604)
    os.chmod(renamed, 0o600)
    os.utime(renamed, ns=(3, 10**18))
    if os.geteuid() == 0:
        os.chown(replaced, NOBODY, NOBODY)
    umask = os.umask(0o027)
    try:
        apply_case(folder, BY_NAME["five"])
    finally:
        os.umask(umask)
    modes = [
        stat.S_IMODE(os.stat(folder / name).st_mode)
        for name in ("page-00.md", "renamed.md", "new.md")
    ]
    assert modes == [0o604, 0o600, 0o640]
    assert os.stat(folder / "renamed.md").st_mtime_ns == 10**18
    if os.geteuid() == 0:
        status = os.stat(replaced)
        assert (status.st_uid, status.st_gid) == (NOBODY, NOBODY)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="there are no extended attributes here")
def test_extended_attributes(folder: Path) -> None:
    """They are kept."""
    for name in ("page-00.md", "page-02.md"):
        try:
            os.setxattr(folder / name, "user.source", b"a person")
        except OSError:
            pytest.skip("there are no extended attributes on this file system")
    apply_case(folder, BY_NAME["five"])
    for name in ("page-00.md", "renamed.md"):
        assert os.getxattr(folder / name, "user.source") == b"a person"


@pytest.mark.parametrize("kind", ["link", "file"])
def test_what_has_the_name_of_the_staging_folder(kind: str, folder: Path, tmp_path: Path) -> None:
    """It is neither followed nor removed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "new-0").write_bytes(b"mine")
    if kind == "link":
        (folder / ".memoryfield").symlink_to(outside)
    else:
        (folder / ".memoryfield").write_bytes(b"mine")
    with pytest.raises(SourceUnavailable) as caught:
        apply_case(folder, BY_NAME["two"])
    assert caught.value.entry == ".memoryfield"
    assert content_of(outside) == {"new-0": b"mine"}
    assert (folder / "page-00.md").read_bytes() == BEFORE["page-00.md"]


def test_what_somebody_keeps_in_the_staging_folder(folder: Path) -> None:
    """It stays there, and what is ours goes."""
    (folder / ".memoryfield").mkdir()
    (folder / ".memoryfield" / "settings.toml").write_bytes(b"mine")
    (folder / ".memoryfield" / "new-7").write_bytes(b"left")
    apply_case(folder, BY_NAME["five"])
    left = {".memoryfield/settings.toml": b"mine"}
    assert content_of(folder) == {**BY_NAME["five"].after, **left}


def test_one_writer_at_a_time(folder: Path) -> None:
    """The second one is told, and nothing is done."""
    with _target(folder).held(0, None), pytest.raises(LockTimeout):
        apply_case_now(folder)
    assert apply_case(folder, BY_NAME["two"]) == ()


def apply_case_now(folder: Path) -> None:
    """Ask for the lock once."""
    with _target(folder).held(0, None):
        raise AssertionError("it was held twice")


def test_what_is_no_folder(tmp_path: Path) -> None:
    """It is told apart from what is not there."""
    with pytest.raises(NotFound):
        apply_case_now(tmp_path / "none")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(LocationError):
        apply_case_now(tmp_path / "file")


def test_a_link_to_the_folder(folder: Path, tmp_path: Path) -> None:
    """It is the folder that is written."""
    (tmp_path / "link").symlink_to(folder)
    apply_case(tmp_path / "link", BY_NAME["two"])
    assert _is_applied(folder, BY_NAME["two"])
    assert (tmp_path / "link").is_symlink()


def test_a_file_with_two_names(folder: Path) -> None:
    """Only the one in the field gets the new content."""
    os.link(folder / "page-00.md", folder.parent / "elsewhere.md")
    apply_case(folder, BY_NAME["replace"])
    assert (folder.parent / "elsewhere.md").read_bytes() == BEFORE["page-00.md"]
    assert _is_applied(folder, BY_NAME["replace"])


def test_put_is_written_for_what_it_is(folder: Path) -> None:
    """A page may come from nothing where one of that name had gone before."""
    case = Case("again", {"page-00.md": Put(b"# Again\n")})
    apply_case(folder, case)
    assert _is_applied(folder, case)
