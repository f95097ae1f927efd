"""A directory's entries: what is a file, what is a link inside, and what is irregular (MF105)."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.readers.kernel_watch import kernel_watch

from memoryfield_readers import EntryKind, Field, NotFound, PageError, open_field

SECRET = b"outside, and secret\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A field of one good page, with a secret beside its folder."""
    (tmp_path / "secret.md").write_bytes(SECRET)
    path = tmp_path / "field"
    path.mkdir()
    (path / "good.md").write_bytes(b"# Good\n")
    return path


def make_socket(path: Path) -> None:
    """Leave a socket at a path of any length."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as endpoint:
            endpoint.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)


def make_device(path: Path) -> None:
    """Leave a character device that reads as nothing (`/dev/null`)."""
    try:
        os.mknod(path, 0o020666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root can make a device, and not everywhere")


def make_block_device(path: Path) -> None:
    """Leave a block device."""
    try:
        os.mknod(path, 0o060600, os.makedev(7, 0))
    except PermissionError:
        pytest.skip("only root can make a device, and not everywhere")


def link(target: str) -> Callable[[Path], None]:
    """Make a link with just this text."""
    return lambda path: path.symlink_to(target)


def _link_to_fifo(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def _loop(path: Path) -> None:
    path.with_name("b.md").symlink_to("odd.md")
    path.symlink_to("b.md")


def _long_chain(path: Path) -> None:
    for number in range(45):
        path.with_name(f"{number}.txt").symlink_to(f"{number + 1}.txt")
    path.with_name("45.txt").write_bytes(b"end\n")
    path.symlink_to("0.txt")


def _link_to_folder(path: Path) -> None:
    path.with_name("sub").mkdir()
    path.symlink_to("sub")


def _link_into_git(path: Path) -> None:
    path.with_name(".git").mkdir()
    (path.parent / ".git" / "config").write_bytes(SECRET)
    path.symlink_to(".git/config")


def _absolute_inside(path: Path) -> None:
    path.symlink_to(path.with_name("good.md"))


IRREGULAR: dict[str, tuple[Callable[[Path], None], str]] = {
    "FIFO": (lambda path: os.mkfifo(path), "a FIFO (named pipe)"),
    "socket": (make_socket, "a socket"),
    "character device": (make_device, "a character device"),
    "block device": (make_block_device, "a block device"),
    "link out": (link("../secret.md"), "a link that leaves the field's folder"),
    "link out and back in": (link("../field/good.md"), "a link that leaves the field's folder"),
    "link up within, then out": (link("./.././secret.md"), "a link that leaves the field's folder"),
    "absolute link": (link("/etc/passwd"), "a link that leaves the field's folder"),
    "absolute link inside": (_absolute_inside, "a link that leaves the field's folder"),
    "link to the root's parent": (link(".."), "a link that leaves the field's folder"),
    "link to the root": (link("."), "a link to a folder"),
    "link to nowhere": (link("gone.md"), "a link to nowhere"),
    "link through a file": (link("good.md/x"), "a link to nowhere"),
    "link to a file with a slash": (link("good.md/"), "a link to nowhere"),
    "link to a file with a dot": (link("good.md/."), "a link to nowhere"),
    "link up from a file": (link("good.md/../good.md"), "a link to nowhere"),
    "link through nowhere": (link("gone/../good.md"), "a link to nowhere"),
    "link to itself": (link("odd.md"), "a link that leads in a circle"),
    "loop of two": (_loop, "a link that leads in a circle"),
    "chain of more than 40": (_long_chain, "a link that leads in a circle"),
    "link of more than 100 steps": (
        link("./" * 120 + "good.md"),
        "a link that takes more than 100 steps to follow",
    ),
    "link to a folder": (_link_to_folder, "a link to a folder"),
    "link to a FIFO": (_link_to_fifo, "a link to a FIFO (named pipe)"),
    "link into .git": (_link_into_git, "a link into .git, which is no part of the field"),
}


def _problem(field: Field, name: str) -> str:
    [entry] = [entry for entry in field.irregular if entry.path == name]
    assert entry.kind is EntryKind.IRREGULAR
    return entry.problem


@pytest.mark.parametrize(("make", "problem"), IRREGULAR.values(), ids=IRREGULAR)
def test_what_is_no_regular_file_is_told_and_not_read(
    make: Callable[[Path], None], problem: str, root: Path
) -> None:
    """It is no page, reading it is an error that says what it is, and nothing outside is opened."""
    make(root / "odd.md")
    with kernel_watch(root.parent / "secret.md") as watch, open_field(root) as field:
        assert "odd.md" not in field.pages
        assert _problem(field, "odd.md") == problem
        with pytest.raises(PageError) as caught:
            field.page("odd.md")
        assert (caught.value.entry, caught.value.exit_code) == ("odd.md", 4)
        assert problem in str(caught.value)
        assert not watch.was_touched()


@pytest.mark.parametrize(("make", "problem"), IRREGULAR.values(), ids=IRREGULAR)
def test_the_rest_of_the_field_is_still_read(
    make: Callable[[Path], None], problem: str, root: Path
) -> None:
    """An irregular entry hides no other page; but a field with one has no digest."""
    make(root / "odd.md")
    with open_field(root) as field:
        assert field.page("good.md").raw == b"# Good\n"
        with pytest.raises(PageError) as caught:
            field.digest()
        assert caught.value.entry in [entry.path for entry in field.irregular]
        assert problem in [entry.problem for entry in field.irregular]


def _nested(path: Path) -> None:
    path.with_name("sub").mkdir()
    (path.parent / "sub" / "page.md").write_bytes(b"# Linked\n")


def _linked_within(path: Path) -> None:
    _nested(path)
    path.symlink_to("sub/page.md")


def _linked_up_within(path: Path) -> None:
    _nested(path)
    path.symlink_to("sub/../sub/./page.md")


def _linked_through_a_link(path: Path) -> None:
    _nested(path)
    path.with_name("way").symlink_to("sub")
    path.symlink_to("way/page.md")


def _linked_in_a_chain(path: Path) -> None:
    _nested(path)
    path.with_name("one.txt").symlink_to("two.txt")
    path.with_name("two.txt").symlink_to("sub/page.md")
    path.symlink_to("one.txt")


def _linked_as_volumes_are(path: Path) -> None:
    """The layout of a Kubernetes ConfigMap: a page links through a hidden folder."""
    path.with_name("..2026").mkdir()
    (path.parent / "..2026" / "odd.md").write_bytes(b"# Linked\n")
    path.with_name("..data").symlink_to("..2026")
    path.symlink_to("..data/odd.md")


@pytest.mark.parametrize(
    "make",
    [
        _linked_within,
        _linked_up_within,
        _linked_through_a_link,
        _linked_in_a_chain,
        _linked_as_volumes_are,
    ],
)
def test_a_link_inside_is_the_file_it_leads_to(make: Callable[[Path], None], root: Path) -> None:
    """A link that stays inside and ends at a regular file is a page with that file's bytes."""
    make(root / "odd.md")
    with open_field(root) as field:
        assert field.page("odd.md").raw == b"# Linked\n"
        assert field.entries["odd.md"].size == len(b"# Linked\n")
        assert field.sha256("odd.md") == field.page("odd.md").sha256


def test_the_root_itself_may_be_a_link(root: Path, tmp_path: Path) -> None:
    """A location that is a link to a folder is that folder, under its own name."""
    (tmp_path / "alias").symlink_to("field")
    with open_field(tmp_path / "alias") as field:
        assert (field.name, field.pages) == ("field", ("good.md",))


def test_hard_links_are_files(root: Path) -> None:
    """Nothing tells a hard link from a file: it is one."""
    os.link(root / "good.md", root / "again.md")
    with open_field(root) as field:
        assert field.sha256("again.md") == field.sha256("good.md")


def test_sub_directories_are_listed_but_not_followed(root: Path) -> None:
    """What lies below is listed for review: files and what is irregular, no links to folders."""
    (root / "log" / "deep").mkdir(parents=True)
    (root / "log" / "deep" / "a.md").write_bytes(b"a\n")
    (root / "log" / "out").symlink_to("/etc")
    (root / "log" / "here").symlink_to("deep")
    os.mkfifo(root / "log" / "pipe")
    (root / "log" / ".git").mkdir()
    (root / "log" / ".git" / "config").write_bytes(b"")
    with open_field(root) as field:
        assert field.folders == ("log",)
        found = {entry.path: entry.kind for entry in field.nested()}
        with pytest.raises(NotFound):
            field.page("log/deep/a.md")
    assert found == {
        "log/.git": EntryKind.DIRECTORY,
        "log/deep/a.md": EntryKind.FILE,
        "log/here": EntryKind.IRREGULAR,
        "log/out": EntryKind.IRREGULAR,
        "log/pipe": EntryKind.IRREGULAR,
    }


@pytest.mark.parametrize("as_file", [False, True], ids=["folder", "file"])
def test_git_is_the_carriers_own(as_file: bool, root: Path) -> None:
    """`.git` at the root is neither debris nor a folder of the field, nor looked into."""
    git = root / ".git"
    if as_file:
        git.write_bytes(b"gitdir: ../elsewhere\n")
    else:
        git.mkdir()
        (git / "a.md").write_bytes(b"not a page\n")
    with open_field(root) as field:
        assert (field.debris, field.folders) == ((), ())
        assert list(field.nested()) == []
        with pytest.raises(NotFound):
            field.page(".git")
