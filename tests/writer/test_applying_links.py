"""Symbolic links in a folder: second names of a file, which an edit neither breaks nor forks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.writer.edits import page

from memoryfield_readers import (
    BatchRejected,
    open_field,
)
from memoryfield_writer import (
    AddPage,
    Operation,
    RemovePage,
    RenamePage,
    ReplaceText,
)
from memoryfield_writer.applying import apply

A, B = page("A"), page("B")


def state(folder: Path) -> dict[str, bytes]:
    """All that stands in a folder, hidden files too."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    field = tmp_path / "woks"
    field.mkdir()
    (field / "a.md").write_bytes(A.encode())
    (field / "b.md").write_bytes(B.encode())
    return field


def opened(path: Path) -> dict[str, bytes]:
    with open_field(path) as field:
        return {name: field.content(name) for name in field.entries}


class Linked:
    """A folder with symbolic links: `l.md` and `m.md` lead to `a.md`, `d.md` into `.drafts`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "l.md").symlink_to("a.md")
        (folder / ".drafts").mkdir()
        (folder / ".drafts" / "d.md").write_text(page("D"))
        (folder / "d.md").symlink_to(".drafts/d.md")


@pytest.fixture
def linked(folder: Path) -> Linked:
    return Linked(folder)


def test_what_a_link_leads_to_is_edited(linked: Linked) -> None:
    """An edit through a link changes the file, under all of its names, and the link stays."""
    applied = apply(linked.folder, [ReplaceText("# A\n", "# AA\n"), ReplaceText("# D\n", "# DD\n")])
    assert [change.name for change in applied.changes] == ["a.md", "d.md", "l.md"]
    assert (linked.folder / "l.md").is_symlink()
    assert (linked.folder / "d.md").is_symlink()
    assert not (linked.folder / "a.md").is_symlink()
    assert (linked.folder / "a.md").read_text() == A.replace("# A", "# AA")
    assert (linked.folder / ".drafts" / "d.md").read_text() == page("D").replace("# D", "# DD")
    with open_field(linked.folder) as field:
        assert field.digest() == applied.digest


def test_a_link_can_be_removed(linked: Linked) -> None:
    """What goes is the link; what it led to stays."""
    applied = apply(linked.folder, [RemovePage("l.md"), RemovePage("d.md")])
    assert sorted(os.listdir(linked.folder)) == [".drafts", "a.md", "b.md"]
    assert (linked.folder / ".drafts" / "d.md").exists()
    with open_field(linked.folder) as field:
        assert field.digest() == applied.digest


def test_no_file_takes_the_place_of_a_link(linked: Linked) -> None:
    """The name of a link is free only when the batch that removes it is done."""
    add = AddPage("l.md", page("L"))
    with pytest.raises(BatchRejected):
        apply(linked.folder, [RemovePage("l.md"), add])
    with pytest.raises(BatchRejected):
        apply(linked.folder, [RemovePage("l.md"), RenamePage("b.md", "l.md")])
    apply(linked.folder, [RemovePage("l.md")])
    apply(linked.folder, [add])
    assert opened(linked.folder)["l.md"] == page("L").encode()


@pytest.mark.parametrize(
    "operation",
    [RenamePage("l.md", "n.md"), RemovePage("a.md"), RenamePage("a.md", "n.md")],
    ids=repr,
)
def test_no_link_is_left_that_leads_to_nothing(linked: Linked, operation: Operation) -> None:
    """What would break a link is rejected; it passes where the link goes first."""
    before = state(linked.folder)
    with pytest.raises(BatchRejected) as found:
        apply(linked.folder, [operation])
    assert "emove" in (found.value.hint or "")
    assert state(linked.folder) == before
    if operation.name == "a.md":
        apply(linked.folder, [RemovePage("l.md"), operation])


def test_links_that_may_lead_through_each_other(linked: Linked) -> None:
    """Of two links to one file none goes alone: the other one may lead through it."""
    (linked.folder / "m.md").symlink_to("l.md")
    with pytest.raises(BatchRejected):
        apply(linked.folder, [RemovePage("l.md")])
    apply(linked.folder, [RemovePage("l.md"), RemovePage("m.md"), RemovePage("a.md")])
    assert sorted(opened(linked.folder)) == ["b.md", "d.md"]
