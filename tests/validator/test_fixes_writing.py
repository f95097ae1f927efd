"""A proposal is written whole, page by page, and never over what it does not know."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path

import pytest
from tests.readers.unprivileged import without_rights
from tests.validator.fields import BODY, Files, archive, as_bytes, page, write_files
from tests.validator.fixes_fields import changed, contents, fixable, proposal_of, refused

from memoryfield_readers import (
    AccessDenied,
    LocationError,
    NotFound,
    PageError,
    SourceChanged,
    inspect_field,
)
from memoryfield_validator import validate
from memoryfield_validator.fixes import Proposal, Rename, Rewrite, apply

BROKEN: Files = {
    "a.md": page(title="no"),
    "B.md": page("[a](a.md)\n" + BODY, number=1, updated=None),
    "c.md": page("[b](B.md#x) [b](<./B.md>)\n\n[r]: B.md\n\n" + BODY, number=2),
    "pan.png": b"\x89PNG",
}


def test_all_changes_are_made_and_nothing_else(tmp_path: Path) -> None:
    """The folder then holds what was proposed, the links lead to the new name, and it is clean."""
    folder = write_files(tmp_path / "field", BROKEN)
    proposal = proposal_of(folder)
    apply(proposal, folder)
    assert contents(folder) == changed(BROKEN, proposal)
    assert set(contents(folder)) == {"a.md", "b.md", "c.md", "pan.png"}
    assert b"[b](b.md#x) [b](<./b.md>)\n\n[r]: b.md\n" in contents(folder)["c.md"]
    with inspect_field(folder) as field:
        assert fixable(validate(field)) == []
    assert proposal_of(folder) == Proposal()


@pytest.mark.parametrize("form", ["path", "text", "bytes", "url", "slash"])
def test_any_way_to_name_a_folder(form: str, tmp_path: Path) -> None:
    """A folder is written however its location names it."""
    folder = write_files(tmp_path / "a field", {"a.md": page(title="no")})
    location: object = {
        "path": folder,
        "text": str(folder),
        "bytes": os.fsencode(folder),
        "url": folder.as_uri(),
        "slash": f"{folder}{os.sep}",
    }[form]
    if form == "bytes":  # bytes are an archive to a reader
        with pytest.raises(LocationError):
            apply(Proposal(), location)
        return
    apply(proposal_of(folder), location)
    assert b"title: 'no'\n" in (folder / "a.md").read_bytes()


def test_archives_are_never_written(tmp_path: Path) -> None:
    """An archive, its bytes and a file object are refused in words, also with nothing to do."""
    path = tmp_path / "x.memoryfield.zip"
    path.write_bytes(archive(BROKEN))
    for location in (path, str(path), path.read_bytes(), io.BytesIO(path.read_bytes())):
        with pytest.raises(LocationError) as caught:
            apply(Proposal(), location)
        assert caught.value.hint == "unpack an archive, mend the folder, and pack it again"
    assert path.read_bytes() == archive(BROKEN)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """A folder that does not exist is another error than one that may not be written."""
    with pytest.raises(NotFound):
        apply(Proposal(), tmp_path / "nowhere")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o664])
@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_mode_is_kept(mode: int, tmp_path: Path) -> None:
    """A page has the mode it had."""
    folder = write_files(tmp_path / "field", {"a.md": page(title="no")})
    (folder / "a.md").chmod(mode)
    apply(proposal_of(folder), folder)
    assert stat.S_IMODE((folder / "a.md").stat().st_mode) == mode


def test_a_page_that_changed_is_left_alone(tmp_path: Path) -> None:
    """What was written meanwhile stays, the page is named, and no other file is left behind."""
    folder = write_files(tmp_path / "field", {"a.md": page(title="no")})
    proposal = proposal_of(folder)
    (folder / "a.md").write_text("Mine.\n")
    assert refused(proposal, folder, SourceChanged).entry == "a.md"
    assert contents(folder) == {"a.md": b"Mine.\n"}


def test_a_page_that_changes_while_it_is_written_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is compared just before it is replaced, after the new one is on the disk."""
    folder = write_files(tmp_path / "field", {"a.md": page(title="no")})
    proposal = proposal_of(folder)
    sync = os.fsync

    def sync_and_interfere(descriptor: int) -> None:
        sync(descriptor)
        (folder / "a.md").write_text("Mine.\n")

    monkeypatch.setattr(os, "fsync", sync_and_interfere)
    refused(proposal, folder, SourceChanged)
    assert contents(folder) == {"a.md": b"Mine.\n"}


def test_a_page_that_is_gone(tmp_path: Path) -> None:
    """A page that was removed meanwhile is not made again."""
    folder = write_files(tmp_path / "field", {"a.md": page(title="no")})
    proposal = proposal_of(folder)
    (folder / "a.md").unlink()
    refused(proposal, folder, SourceChanged)
    assert contents(folder) == {}


def test_a_name_that_is_taken_by_now(tmp_path: Path) -> None:
    """No file is overwritten, and no link is made to lead to a page that keeps its name."""
    folder = write_files(tmp_path / "field", BROKEN)
    proposal = proposal_of(folder)
    (folder / "b.md").write_text("Mine.\n")
    error = refused(proposal, folder, SourceChanged)
    assert (error.entry, error.message) == (
        "B.md", "cannot be renamed: the name `b.md` is taken by now",
    )  # fmt: skip
    after = changed(BROKEN, proposal)
    assert contents(folder) == {
        "a.md": after["a.md"],
        "B.md": after["b.md"],
        "b.md": b"Mine.\n",
        "c.md": as_bytes(BROKEN["c.md"]),
        "pan.png": after["pan.png"],
    }


def test_a_name_that_is_taken_at_the_last_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Renaming itself never overwrites, also where it was free when it was looked at."""
    from memoryfield_validator.fixes import folder as folder_module

    folder = write_files(tmp_path / "field", {"B.md": page(), "b.md": "Mine.\n"})
    monkeypatch.setattr(folder_module.WritableFolder, "check_rename", lambda *_: None)
    error = refused(Proposal((Rename("B.md", "b.md"),)), folder, SourceChanged)
    assert "`b.md` is taken" in error.message
    assert contents(folder) == {"B.md": page().encode(), "b.md": b"Mine.\n"}


def without_exclusive_rename(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a system that has no rename which never overwrites."""
    from memoryfield_readers import atomic

    monkeypatch.setattr(atomic, "_exclusive_rename", lambda: None)


def without_hard_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a file system that has no hard links either."""
    without_exclusive_rename(monkeypatch)

    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)


OTHER_SYSTEMS = pytest.mark.parametrize("system", [without_exclusive_rename, without_hard_links])


@OTHER_SYSTEMS
def test_renaming_on_other_systems(system: object, tmp_path: Path) -> None:
    """Without a rename that never overwrites, a page gets its name all the same, and no other."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert callable(system)
        system(monkeypatch)
        folder = write_files(tmp_path / "field", {"B.md": page()})
        apply(Proposal((Rename("B.md", "b.md"),)), folder)
        assert contents(folder) == {"b.md": page().encode()}
        from memoryfield_validator.fixes import folder as folder_module

        write_files(folder, {"B.md": "Mine.\n"})
        monkeypatch.setattr(folder_module.WritableFolder, "check_rename", lambda *_: None)
        refused(Proposal((Rename("B.md", "b.md"),)), folder, SourceChanged)
        assert contents(folder) == {"b.md": page().encode(), "B.md": b"Mine.\n"}


def test_renaming_where_case_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system takes the new name for the old one, the page is renamed nevertheless."""
    from memoryfield_readers import atomic

    folder = write_files(tmp_path / "field", {"B.md": page(title="no")})
    real = atomic.Directory.status

    def status(directory: atomic.Directory, name: str) -> os.stat_result:
        return real(directory, name if name in directory.names() else name.replace("b.", "B."))

    monkeypatch.setattr(atomic.Directory, "status", status)
    monkeypatch.setattr(atomic, "_exclusive_rename", lambda: lambda *_: 17)  # the name exists
    proposal = proposal_of(folder)
    apply(proposal, folder)
    assert [path.name for path in folder.iterdir()] == ["b.md"]
    assert b"title: 'no'" in (folder / "b.md").read_bytes()


@pytest.mark.parametrize(
    "name", ["../a.md", "x/../../a.md", "/etc/passwd", "", ".", "..", "a\0.md"]
)
def test_names_that_lead_elsewhere(name: str, tmp_path: Path) -> None:
    """Whoever made the proposal: a name that is no plain name is never used."""
    folder = write_files(tmp_path / "field", {"b.md": page()})
    (tmp_path / "a.md").write_bytes(b"old")
    for change in (Rewrite(name, b"old", b"new"), Rename(name, "c.md"), Rename("b.md", name)):
        refused(Proposal((change,)), folder, PageError)
    assert (tmp_path / "a.md").read_bytes() == b"old"
    assert contents(folder) == {"b.md": page().encode()}


def mended_by_nobody(folder: Path, *, folder_mode: int, page_mode: int) -> None:
    """Mend a page where the folder or the page may not be written, which must be refused."""
    write_files(folder, {"a.md": page(title="no")})
    (folder / "a.md").chmod(page_mode)
    proposal = proposal_of(folder)
    folder.chmod(folder_mode)
    assert refused(proposal, folder, AccessDenied).entry == "a.md"
    assert contents(folder) == {"a.md": page(title="no").encode()}


NEEDS_USERS = pytest.mark.skipif(os.name == "nt", reason="there are no such users and modes")


@NEEDS_USERS
def test_a_folder_that_may_not_be_written() -> None:
    """The page is named, and nothing of it is changed or left behind."""
    without_rights(lambda folder: mended_by_nobody(folder, folder_mode=0o555, page_mode=0o644))


@NEEDS_USERS
def test_a_page_that_may_not_be_written() -> None:
    """A page that is read-only stays as it is, though its folder could be written."""
    without_rights(lambda folder: mended_by_nobody(folder, folder_mode=0o755, page_mode=0o444))


@NEEDS_USERS
@pytest.mark.parametrize("refusal", [set(), {"pair"}, {"pair", "group"}], ids=len)
def test_owner_and_group_are_kept_as_far_as_that_is_allowed(
    refusal: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pair is tried, then the group alone; a page is mended where neither is allowed."""
    folder = write_files(tmp_path / "field", {"a.md": page(title="no")})
    proposal = proposal_of(folder)
    real = os.fstat
    status = (folder / "a.md").stat()
    group = status.st_gid + 1
    given: list[tuple[int, int]] = []

    def fstat(descriptor: int) -> os.stat_result:
        found = real(descriptor)
        if found.st_ino != status.st_ino:
            return found
        return os.stat_result((*found[:5], group, *found[6:10]))

    def fchown(descriptor: int, owner: int, to: int) -> None:
        given.append((owner, to))
        if ("group" if owner == -1 else "pair") in refusal:
            raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fstat", fstat)
    monkeypatch.setattr(os, "fchown", fchown)
    assert apply(proposal, folder).errors == ()
    assert given == [(status.st_uid, group), (-1, group)][: 1 + ("pair" in refusal)]
    assert b"title: 'no'" in (folder / "a.md").read_bytes()
