"""What becomes of a batch that was cut off, whether or not somebody changed a file since."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.writer.folder_batches import (
    BEFORE,
    BY_NAME,
    Case,
    apply_case,
    apply_next,
    content_of,
    is_clean,
    make_folder,
)

from memoryfield_readers import (
    AccessDenied,
    LocationError,
    LockTimeout,
    NotFound,
    SourceUnavailable,
    WriteConflict,
    open_field,
)
from memoryfield_readers.holding import held_field
from memoryfield_readers.journal import (
    FOLDER,
    JOURNAL,
    Before,
    Journal,
    JournalFile,
    journal_bytes,
)
from memoryfield_writer import Batch, ReplacePage, apply
from memoryfield_writer.folders import disk
from memoryfield_writer.folders.carrying_out import carry_out, in_order
from memoryfield_writer.folders.root import UNDO, Root, found_staging
from memoryfield_writer.folders.staging import commit, stage
from memoryfield_writer.recovering import recover

_FIVE = BY_NAME["five"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder before a batch."""
    make_folder(tmp_path / "field")
    return tmp_path / "field"


def _cut_off(folder: Path, done: int, case: Case = _FIVE, *, counts: bool = True) -> None:
    """Leave a batch of which so many files are done, or which does not count yet."""
    with Root(folder, None) as root, open_field(folder) as field:
        disk.make_folder(root.top, FOLDER, root.status())
        staging = found_staging(root, "here")
        assert staging is not None
        staged = stage(root, staging, case.plan(), field, "here")
        if counts:
            commit(staging)
        for file in in_order(staged.journal)[:done]:
            carry_out(root, staging, file, "here")


_FILES = len(_FIVE.puts) + len(_FIVE.removes)


@pytest.mark.parametrize("done", range(_FILES + 1))
def test_a_batch_that_counts_is_finished(done: int, folder: Path) -> None:
    """However much of it was done."""
    _cut_off(folder, done)
    recovered = recover(folder)
    assert (recovered.action, len(recovered.files)) == ("finished", _FILES - done)
    assert content_of(folder) == _FIVE.after
    assert is_clean(folder)
    assert recover(folder).action == "nothing"


def test_a_batch_that_does_not_count_leaves_no_trace(folder: Path) -> None:
    """What was staged is thrown away."""
    _cut_off(folder, 0, counts=False)
    assert recover(folder).action == "undone"
    assert content_of(folder) == BEFORE
    assert is_clean(folder)


@pytest.mark.parametrize("done", range(_FILES + 1))
def test_a_batch_that_was_being_taken_back(done: int, folder: Path) -> None:
    """It is taken back; links were put back before."""
    case = BY_NAME["twenty"]
    files = len(case.puts) + len(case.removes)
    _cut_off(folder, min(done * 4, files), case)
    if not (folder / "loose.md").is_symlink():
        (folder / "loose.md").symlink_to("kept-00.md")
    os.replace(folder / FOLDER / UNDO, folder / FOLDER / JOURNAL)
    assert recover(folder).action == "undone"
    assert content_of(folder) == BEFORE
    assert is_clean(folder)


def test_the_next_batch_finishes_it_first(folder: Path) -> None:
    """And says so."""
    _cut_off(folder, 2)
    add = Case("add", {})
    assert apply_case(folder, add) == ("a batch that was cut off was finished first",)
    assert content_of(folder) == _FIVE.after
    apply_next(folder)


def test_a_batch_without_effect_says_that_it_finished_one(folder: Path) -> None:
    """A field that was changed is told of, though not by the batch."""
    _cut_off(folder, 2)
    text = _FIVE.after["page-05.md"]
    assert isinstance(text, bytes)
    applied = apply(folder, Batch([ReplacePage("page-05.md", text)]))
    assert applied.changes == ()
    assert applied.notes == ("a batch that was cut off was finished first",)
    assert content_of(folder) == _FIVE.after


@pytest.mark.parametrize("done", range(_FILES + 1))
@pytest.mark.parametrize("name", ["page-00.md", "new.md", "sub/target.md"])
def test_a_file_that_was_changed_since(name: str, done: int, folder: Path) -> None:
    """Nothing is done unless it is given up, and then that file stays as it is."""
    _cut_off(folder, done)
    (folder / name).write_bytes(b"# mine\n")
    now = content_of(folder)
    for refused in (lambda: recover(folder), lambda: apply_case(folder, BY_NAME["add"])):
        with pytest.raises(WriteConflict, match="was changed after a batch had begun") as caught:
            refused()
        assert caught.value.entry == name
        assert "--discard" in str(caught.value.hint)
        assert content_of(folder) == now
    assert recover(folder, discard=True).action == "discarded"
    assert content_of(folder) == {**BEFORE, name: b"# mine\n"}
    assert is_clean(folder)
    apply_next(folder)


@pytest.mark.parametrize("done", [0, 4, _FILES])
@pytest.mark.parametrize("linked", [False, True], ids=["gone", "link"])
def test_a_sub_folder_that_is_not_there_any_more(
    linked: bool, done: int, folder: Path, tmp_path: Path
) -> None:
    """What was to come to it cannot; nothing outside is written, and the rest can be given up."""
    _cut_off(folder, done)
    (folder / "sub").rename(tmp_path / "moved")
    if linked:
        (folder / "sub").symlink_to(tmp_path / "moved")
    moved = content_of(tmp_path / "moved")
    with pytest.raises(WriteConflict) as caught:
        recover(folder)
    assert caught.value.entry == "sub/target.md"
    assert recover(folder, discard=True).action == "discarded"
    left = {path: content for path, content in BEFORE.items() if "/" not in path}
    assert content_of(folder) == ({**left, "sub": str(tmp_path / "moved")} if linked else left)
    assert content_of(tmp_path / "moved") == moved


def test_what_can_be_finished_is_not_given_up(folder: Path) -> None:
    """Readers have seen it."""
    _cut_off(folder, 2)
    assert recover(folder, discard=True).action == "finished"
    assert content_of(folder) == _FIVE.after


@pytest.mark.parametrize("done", [0, 3, _FILES])
def test_a_copy_of_the_folder(done: int, folder: Path, tmp_path: Path) -> None:
    """A journal counts where it was written alone; given up, it puts back what was at the root."""
    _cut_off(folder, done)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy, symlinks=True)
    now = content_of(copy)
    with pytest.raises(WriteConflict, match="of another folder"):
        recover(copy)
    assert content_of(copy) == now
    assert recover(copy, discard=True).action == "discarded"
    target = _FIVE.after if done == _FILES else BEFORE
    assert content_of(copy) == {**BEFORE, "sub/target.md": target["sub/target.md"]}
    assert is_clean(copy)


def _torn(folder: Path) -> None:
    journal = folder / FOLDER / JOURNAL
    journal.write_bytes(journal.read_bytes()[:-9])


def _no_journal(folder: Path) -> None:
    (folder / FOLDER / JOURNAL).write_bytes(b"{}")


def _endless(folder: Path) -> None:
    with open(folder / FOLDER / JOURNAL, "wb") as file:
        file.truncate(2**40)


@pytest.mark.parametrize("damage", [_torn, _no_journal, _endless])
def test_a_journal_that_is_none(damage: Callable[[Path], None], folder: Path) -> None:
    """Nothing is done by it; given up, the files stay as they are."""
    _cut_off(folder, 1)
    damage(folder)
    with pytest.raises(WriteConflict, match="cannot be finished: the journal") as caught:
        recover(folder)
    assert caught.value.entry == FOLDER
    shutil.copytree(folder, folder.parent / "same", ignore=lambda *_: [FOLDER], symlinks=True)
    assert recover(folder, discard=True).action == "discarded"
    assert content_of(folder) == content_of(folder.parent / "same")
    assert is_clean(folder)


def test_a_journal_that_is_a_link(folder: Path, tmp_path: Path) -> None:
    """It is not followed, and goes itself when the batch is given up."""
    _cut_off(folder, 0)
    (tmp_path / "journal").write_bytes((folder / FOLDER / JOURNAL).read_bytes())
    (folder / FOLDER / JOURNAL).unlink()
    (folder / FOLDER / JOURNAL).symlink_to(tmp_path / "journal")
    with pytest.raises(WriteConflict, match="the journal is no file") as found:
        recover(folder)
    assert "--discard" in (found.value.hint or "")
    assert (folder / "page-00.md").read_bytes() == BEFORE["page-00.md"]
    assert recover(folder, discard=True).action == "discarded"
    assert (folder / "page-00.md").read_bytes() == BEFORE["page-00.md"]
    assert (tmp_path / "journal").exists()
    assert is_clean(folder)


@pytest.mark.parametrize("kind", ["damaged", "link", "gone"])
def test_what_was_staged_is_not_what_it_was(kind: str, folder: Path, tmp_path: Path) -> None:
    """No page is replaced by it."""
    _cut_off(folder, 0)
    journal = next(file for file in _journal_of(folder).files if file.path == "page-00.md")
    assert journal.new is not None
    staged = folder / FOLDER / journal.new
    whole = staged.read_bytes()
    staged.unlink()
    if kind == "damaged":
        staged.write_bytes(whole[:-1] + b"?")
    elif kind == "link":
        (tmp_path / "elsewhere").write_bytes(whole)
        staged.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WriteConflict):
        recover(folder)
    assert content_of(folder)["page-00.md"] == BEFORE["page-00.md"]
    assert recover(folder, discard=True).action == "discarded"
    assert content_of(folder) == BEFORE


def _journal_of(folder: Path) -> Journal:
    from memoryfield_readers.journal import parse_journal

    return parse_journal((folder / FOLDER / JOURNAL).read_bytes())


@pytest.mark.parametrize("discard", [False, True], ids=["recover", "discard"])
@pytest.mark.parametrize("path", ["sub/hooks/run", ".git/config", ".env", "link/x.md"])
def test_a_folder_that_brings_a_journal_along(
    path: str, discard: bool, folder: Path, tmp_path: Path
) -> None:
    """One from elsewhere touches neither what is hidden nor what is in sub-folders."""
    (folder / FOLDER).mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / "link").symlink_to(outside)
    for name in ("new-0", "old-0"):
        (folder / FOLDER / name).write_bytes(b"evil")
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(b"good")
    before = Before.of(os.stat(folder / path))
    sha256 = hashlib.sha256(b"good").hexdigest()
    file = JournalFile(path, "new-0", "old-0", sha256, before)
    try:
        data = journal_bytes(Journal(1, (file,)))
    except ValueError:  # nor is there such a journal
        data = b"{}\n"
    (folder / FOLDER / JOURNAL).write_bytes(data)
    if discard:
        recover(folder, discard=True)
    else:
        with pytest.raises(WriteConflict):
            recover(folder)
    assert (folder / path).read_bytes() == b"good"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_a_journal_that_anybody_could_plant(folder: Path) -> None:
    """In a folder where everybody may put something, another user's does not count."""
    _cut_off(folder, 0)
    os.chmod(folder, 0o1777)
    os.chown(folder / FOLDER, 65534, 65534)
    with pytest.raises(SourceUnavailable, match="belongs to another user"):
        recover(folder)
    os.chmod(folder, 0o777)
    assert recover(folder).action == "finished"


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_who_may_look_into_the_field_may_see_what_is_pending(folder: Path) -> None:
    """Whatever the umask of the writer; or readers could not tell what the folder is."""
    umask = os.umask(0o077)
    try:
        os.chmod(folder, 0o750)
        _cut_off(folder, 2)
    finally:
        os.umask(umask)
    modes = {
        name: os.stat(folder / FOLDER / name).st_mode & 0o7777 for name in (".", JOURNAL, UNDO)
    }
    assert modes == {".": 0o750, JOURNAL: 0o640, UNDO: 0o640}


def test_what_is_not_here(tmp_path: Path) -> None:
    """What is elsewhere is never half-written."""
    with pytest.raises(NotFound):
        recover(tmp_path / "none")
    for location in ("https://example.org/x.memoryfield.zip", "s3://bucket/x.memoryfield.zip"):
        with pytest.raises(LocationError):
            recover(location)


def test_a_field_at_rest(folder: Path) -> None:
    """Nothing is done, and nothing is written."""
    before = os.stat(folder).st_mtime_ns
    assert recover(str(folder)).to_json() == json.loads(
        json.dumps({"version": 1, "location": str(folder), "action": "nothing", "files": []})
    )
    assert os.stat(folder).st_mtime_ns == before


def test_a_field_that_is_being_written(folder: Path) -> None:
    """Who recovers waits for the writer."""
    with held_field(folder, wait=0, location="here"), pytest.raises(LockTimeout):
        recover(folder, wait=0)


def test_a_pending_batch_that_may_not_be_finished(folder: Path) -> None:
    """It stays pending, and the error says what to do."""
    from tests.readers.unprivileged import without_rights

    def work(place: Path) -> None:
        made = place / "field"
        make_folder(made)
        _cut_off(made, 1)
        now = content_of(made)
        os.chmod(made, 0o555)
        try:
            with pytest.raises(AccessDenied) as caught:
                recover(made)
            assert str(caught.value.hint) == f"run `memoryfield recover {made}`"
            assert content_of(made) == now
        finally:
            os.chmod(made, 0o755)
        recover(made)
        assert content_of(made) == _FIVE.after

    without_rights(work)


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
@pytest.mark.parametrize(("mode", "expected"), [(0o1777, 0o755), (0o777, 0o777)])
def test_who_may_take_away_nothing_else_may_not_take_what_is_pending(
    folder: Path, mode: int, expected: int
) -> None:
    """Or they could put their own in the place of what is staged; nobody may write the journal."""
    os.chmod(folder, mode)
    _cut_off(folder, 2)
    modes = [os.stat(folder / FOLDER / name).st_mode & 0o7777 for name in (".", JOURNAL, UNDO)]
    assert modes == [expected, 0o644, 0o644]


def test_a_folder_is_not_listed_for_each_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch of thousands of files would take minutes, and the lock as long."""
    case = BY_NAME["twenty"]
    _cut_off(folder, len(case.puts) + len(case.removes), case)
    listed: list[object] = []
    real = os.listdir

    def listing(*place: Any) -> list[str]:
        listed.append(place)
        return real(*place)

    monkeypatch.setattr(os, "listdir", listing)
    assert recover(folder).action == "finished"
    assert content_of(folder) == case.after
    assert len(listed) < 5
