"""A directory that changes under the reader: no byte from outside, no mixture, no hang."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.readers.kernel_watch import kernel_watch
from tests.readers.test_local_kinds import SECRET, link, make_socket

from memoryfield_readers import (
    EntryKind,
    Field,
    LimitExceeded,
    Limits,
    NotFound,
    PageError,
    SourceChanged,
    SourceUnavailable,
    open_field,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A field of two pages, one of them a link into a folder, with a secret outside."""
    (tmp_path / "secret.md").write_bytes(SECRET)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "b.md").write_bytes(SECRET)
    path = tmp_path / "field"
    (path / "sub").mkdir(parents=True)
    (path / "a.md").write_bytes(b"# A\n")
    (path / "sub" / "b.md").write_bytes(b"# B\n")
    (path / "b.md").symlink_to("sub/b.md")
    return path


def _make_folder(path: Path) -> None:
    path.mkdir()


SWAPS: dict[str, Callable[[Path], None]] = {
    "link out": link("../secret.md"),
    "absolute link": link("/etc/passwd"),
    "link inside": link("sub/b.md"),
    "link to nowhere": link("gone"),
    "link to itself": link("a.md"),
    "FIFO": lambda path: os.mkfifo(path),
    "socket": make_socket,
    "folder": _make_folder,
}


@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
def test_a_page_swapped_after_listing_is_not_followed(
    swap: Callable[[Path], None], root: Path
) -> None:
    """A page that became something else is a PageError, at once; nothing outside is opened."""
    with kernel_watch(root.parent / "secret.md") as watch, open_field(root) as field:
        (root / "a.md").unlink()
        swap(root / "a.md")
        for read in (field.page, field.sha256):
            with pytest.raises(PageError) as caught:
                read("a.md")
            assert (caught.value.entry, caught.value.exit_code) == ("a.md", 4)
        assert not watch.was_touched()


@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
def test_a_links_target_swapped_after_listing_is_not_followed(
    swap: Callable[[Path], None], root: Path
) -> None:
    """Nor is a page that a link led to."""
    with kernel_watch(root.parent / "secret.md") as watch, open_field(root) as field:
        (root / "sub" / "b.md").unlink()
        swap(root / "sub" / "b.md")
        with pytest.raises(PageError):
            field.page("b.md")
        assert not watch.was_touched()


@pytest.mark.parametrize("target", ["../outside", "/", "gone"])
def test_a_folder_swapped_for_a_link_is_not_entered(target: str, root: Path) -> None:
    """A folder on the way to a linked page that became a link is not walked through."""
    with kernel_watch(root.parent / "outside") as watch, open_field(root) as field:
        shutil.rmtree(root / "sub")
        (root / "sub").symlink_to(target)
        with pytest.raises(PageError):
            field.page("b.md")
        assert [(entry.path, entry.problem) for entry in field.nested()] == [
            ("sub", "not a directory")
        ]
        assert not watch.was_touched()


def test_a_link_that_is_led_elsewhere_is_read_as_it_was_listed(root: Path) -> None:
    """The target of a link is settled when the folder is listed."""
    with kernel_watch(root.parent / "secret.md") as watch, open_field(root) as field:
        (root / "b.md").unlink()
        (root / "b.md").symlink_to("../secret.md")
        assert field.page("b.md").raw == b"# B\n"
        assert not watch.was_touched()


def test_a_root_swapped_for_another_is_the_one_that_was_opened(root: Path) -> None:
    """The directory that was listed is the one that is read, wherever its name leads now."""
    with open_field(root) as field:
        root.rename(root.with_name("moved"))
        root.symlink_to("outside")
        (root / "a.md").write_bytes(SECRET)
        assert field.page("a.md").raw == b"# A\n"
        assert field.page("b.md").raw == b"# B\n"


def test_a_page_that_is_gone_is_absent(root: Path) -> None:
    """Only a page that is not there is NotFound."""
    with open_field(root) as field:
        (root / "a.md").unlink()
        with pytest.raises(NotFound) as caught:
            field.page("a.md")
        assert (caught.value.entry, caught.value.location) == ("a.md", str(root))


def test_a_page_that_grew_since_it_was_listed_is_read_whole(root: Path) -> None:
    """The size in the listing cuts nothing off: the bytes are those of now."""
    with open_field(root) as field:
        (root / "a.md").write_bytes(b"# A, and more\n")
        page = field.page("a.md")
        assert (page.raw, page.entry.size) == (b"# A, and more\n", 4)


def test_a_page_that_shrank_since_it_was_listed_is_read_whole(root: Path) -> None:
    """Nor is anything added."""
    with open_field(root) as field:
        (root / "a.md").write_bytes(b"A")
        assert field.page("a.md").raw == b"A"


def _page(field: Field) -> object:
    return field.page("a.md").raw


def _several(field: Field) -> object:
    return field.read(["b.md", "a.md"])


def _hash(field: Field) -> object:
    return field.sha256("a.md")


def _digest(field: Field) -> object:
    return field.digest()


@pytest.mark.parametrize("first", [_page, _several, _hash, _digest])
@pytest.mark.parametrize("again", [_page, _several])
def test_a_page_that_changed_between_two_reads_is_an_error(
    first: Callable[[Field], object], again: Callable[[Field], object], root: Path
) -> None:
    """A page that is read a second time, or after it was hashed, and is another: SourceChanged."""
    with open_field(root) as field:
        first(field)
        again(field)
        (root / "a.md").write_bytes(b"# a\n")
        with pytest.raises(SourceChanged) as caught:
            again(field)
        assert (caught.value.entry, caught.value.exit_code) == ("a.md", 4)
        assert isinstance(caught.value, SourceUnavailable)


@pytest.mark.parametrize("first", [_page, _hash, _digest])
@pytest.mark.parametrize("again", [_hash, _digest])
def test_a_hash_is_that_of_what_was_read_first(
    first: Callable[[Field], object], again: Callable[[Field], object], root: Path
) -> None:
    """What was hashed once is not read again: page and digest stay of one piece."""
    with open_field(root) as field:
        digest = field.digest()
    with open_field(root) as field:
        first(field)
        (root / "a.md").write_bytes(b"# a\n")
        again(field)
        assert field.digest() == digest


@pytest.mark.parametrize("read", [_page, _hash])
def test_a_read_that_fails_is_no_absence(
    read: Callable[[Field], object], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of the device is SourceUnavailable, told in the system's words."""

    def broken(descriptor: int, count: int) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with open_field(root) as field:
        monkeypatch.setattr(os, "read", broken)
        with pytest.raises(SourceUnavailable) as caught:
            read(field)
    assert not isinstance(caught.value, NotFound)
    assert "input/output error" in str(caught.value)


@pytest.mark.parametrize("read", ["page", "sha256"])
def test_a_file_that_grows_without_end_is_given_up(
    read: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that grows faster than it is read ends at the limit, not in memory."""
    grown = 0

    def read_and_grow(descriptor: int, count: int) -> bytes:
        nonlocal grown
        with (root / "a.md").open("ab") as file:
            file.write(bytes(count))
        grown += count
        return real_read(descriptor, count)

    real_read = os.read
    monkeypatch.setattr(os, "read", read_and_grow)
    limits = Limits(page_bytes=1_000_000, file_bytes=1_000_000)
    with open_field(root, limits=limits) as field, pytest.raises(LimitExceeded) as caught:
        getattr(field, read)("a.md")
    assert (caught.value.entry, caught.value.exit_code) == ("a.md", 3)
    assert grown < 3_000_000


def test_a_closed_field_reads_nothing(root: Path) -> None:
    """After `close`, a directory is not opened anew by its name, where another may stand."""
    with open_field(root) as field:
        pass
    root.rename(root.with_name("moved"))
    root.symlink_to("outside")
    (root / "a.md").write_bytes(SECRET)
    for name in ("a.md", "b.md"):
        with pytest.raises(SourceUnavailable):
            field.page(name)
        with pytest.raises(SourceUnavailable):
            field.sha256(name)
    assert [entry.kind for entry in field.nested()] == [EntryKind.UNREADABLE]
    field.close()  # and a second time does no harm
