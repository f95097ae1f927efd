"""A folder in which a batch was left off, and that is not what the batch made of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.readers.journal_fields import BEFORE, LINKS, PUTS, REMOVES, fill, seen
from tests.readers.journal_writer import Batch

from memoryfield_readers import (
    SourceChanged,
    SourceUnavailable,
    open_field,
)
from memoryfield_readers.sources import rooted


@pytest.fixture(params=["anchored", "by path"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The field, on systems that can open files relative to a folder, and on others."""
    if request.param == "by path":
        monkeypatch.setattr(rooted, "_ANCHORED", False)
    return fill(tmp_path / "f", BEFORE, LINKS)


def committed(root: Path) -> Batch:
    """A batch that counts, none of which is done."""
    batch = Batch(root, PUTS, REMOVES, kept=True)
    batch.commit()
    return batch


def _journal(batch: Batch) -> Path:
    return batch.staging / "journal"


def _cut(batch: Batch) -> None:
    data = _journal(batch).read_bytes()
    _journal(batch).write_bytes(data[:-40])


def _emptied(batch: Batch) -> None:
    _journal(batch).write_bytes(b"")


def _huge(batch: Batch) -> None:
    with _journal(batch).open("ab") as file:
        file.truncate(2**40)


def _in_place_of_journal(make: Callable[[Path], object]) -> Callable[[Batch], None]:
    def change(batch: Batch) -> None:
        _journal(batch).rename(batch.staging / "old-99")
        make(_journal(batch))

    return change


def _copied(batch: Batch) -> None:
    copy = batch.root.with_name("copy")
    shutil.copytree(batch.root, copy, symlinks=True)
    batch.root.rename(batch.root.with_name("original"))
    copy.rename(batch.root)


def _target_changed(batch: Batch) -> None:
    (batch.root / "a.md").write_bytes(b"by another program\n")


def _target_taken(batch: Batch) -> None:
    (batch.root / "added.md").write_bytes(b"by another program\n")


def _target_a_folder(batch: Batch) -> None:
    (batch.root / "a.md").unlink()
    (batch.root / "a.md").mkdir()


def _removed_changed(batch: Batch) -> None:
    (batch.root / "c.md").write_bytes(b"by another program\n")


def _done_and_gone(batch: Batch) -> None:
    for step in batch.steps():
        step()
    (batch.root / "a.md").unlink()


def _staged_a_fifo(batch: Batch) -> None:
    (batch.staging / "new-3").unlink()
    os.mkfifo(batch.staging / "new-3")


def _staged_a_link(batch: Batch) -> None:
    (batch.staging / "new-3").rename(batch.root.with_name("outside"))
    (batch.staging / "new-3").symlink_to("../../outside")


def _folder_a_link(batch: Batch) -> None:
    (batch.root / "sub").rename(batch.root.with_name("outside"))
    (batch.root / "sub").symlink_to("../outside")


REFUSED: dict[str, Callable[[Batch], None]] = {
    "cut": _cut,
    "huge": _huge,
    "empty": _emptied,
    "a link": _in_place_of_journal(lambda path: path.symlink_to("old-99")),
    "a FIFO": _in_place_of_journal(os.mkfifo),
    "a folder": _in_place_of_journal(Path.mkdir),
    "of another folder": _copied,
    "a page changed since": _target_changed,
    "a name taken since": _target_taken,
    "a page that became a folder": _target_a_folder,
    "a page that goes changed since": _removed_changed,
    "a page that was put there gone": _done_and_gone,
    "a staged file that is a FIFO": _staged_a_fifo,
    "a staged file that is a link": _staged_a_link,
    "a folder that became a link": _folder_a_link,
}


@pytest.mark.parametrize("spoil", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_told_is_refused(spoil: Callable[[Batch], None], root: Path) -> None:
    """Neither the old nor the new field is shown, and it is said what to do."""
    spoil(committed(root))
    if spoil is _folder_a_link and not rooted._ANCHORED:
        pytest.skip("paths are used as they are here")
    with pytest.raises(SourceUnavailable, match="a batch was under way here") as caught:
        open_field(root)
    assert type(caught.value) is SourceUnavailable
    assert "memoryfield recover" in (caught.value.hint or "")


def test_a_done_page_that_was_changed_since_is_not_read(root: Path) -> None:
    """It is neither old nor new; the others are read."""
    for step in committed(root).steps():
        step()
    (root / "a.md").write_bytes(b"by another program\n")
    with open_field(root) as field:
        assert field.page("added.md").raw == b"added\n"
        for read in (field.page, field.sha256, lambda name: list(field.chunks(name))):
            with pytest.raises(SourceChanged):
                read("a.md")


@pytest.mark.parametrize("as_link", [False, True], ids=["other bytes", "link"])
def test_a_staged_file_is_what_the_journal_says(as_link: bool, root: Path) -> None:
    """Other bytes are not shown, nor what a link leads to that came since."""
    batch = committed(root)
    staged = batch.staging / "new-3"
    with open_field(root) as field:
        if as_link:
            staged.rename(root.with_name("outside"))
            staged.symlink_to("../../outside")
        else:
            staged.write_bytes(b"A, and more\n")
        with pytest.raises(SourceChanged):
            field.page("a.md")


def _link(root: Path) -> None:
    (root / ".memoryfield").rename(root.with_name("staging"))
    (root / ".memoryfield").symlink_to("../staging")


def _file(root: Path) -> None:
    shutil.rmtree(root / ".memoryfield")
    (root / ".memoryfield").write_bytes(b"")


@pytest.mark.parametrize("change", [_link, _file])
def test_what_is_no_folder_of_ours_is_debris(change: Callable[[Path], None], root: Path) -> None:
    """No writer of ours leaves a link or a file of that name."""
    before = seen(root)
    committed(root)
    change(root)
    assert seen(root) == before | {"odd": seen(root)["odd"]}


def test_the_journal_of_a_copy_adds_nothing_to_it(root: Path) -> None:
    """Also where nothing that the journal names is there yet."""
    Batch(root, {"added.md": b"added\n"}, kept=True).commit()
    copy = root.with_name("copy")
    shutil.copytree(root, copy, symlinks=True)
    with open_field(root) as field:
        assert "added.md" in field.pages
    with pytest.raises(SourceUnavailable, match="another folder: this one is a copy"):
        open_field(copy)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files to others"
)
def test_a_journal_that_anybody_could_plant(tmp_path: Path) -> None:
    """Where everybody may put something, it counts for what its owner may change alone."""
    root = fill(tmp_path / "f", BEFORE, {})
    batch = Batch(root, {"a.md": b"planted\n", "new.md": b"new\n"}, (), kept=True)
    batch.commit()
    os.chmod(root, 0o1777)
    os.chown(batch.staging, 65534, 65534)
    with pytest.raises(SourceUnavailable, match=r"another user's, who may not change `a\.md`"):
        open_field(root)
    os.chown(root / "a.md", 65534, 65534)
    with open_field(root) as field:
        assert field.page("a.md").raw == b"planted\n"
    os.chown(root / "a.md", 0, 0)
    os.chmod(root, 0o777)
    with open_field(root) as field:
        assert field.page("a.md").raw == b"planted\n"
