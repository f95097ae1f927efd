"""How a directory is listed: names, order, limits, rights, and that nothing in it is changed."""

from __future__ import annotations

import os
import shutil
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.readers.audit import touched_paths

from memoryfield_readers import (
    EntryKind,
    LimitExceeded,
    Limits,
    NotFound,
    PageError,
    inspect_field,
    open_field,
)


def _fill(folder: Path, *names: str | bytes) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        with open(os.path.join(os.fsencode(folder), os.fsencode(name)), "wb") as file:
            file.write(b"# x\n")


def test_names_are_ordered_by_their_bytes(tmp_path: Path) -> None:
    """By the bytes of the UTF-8 form: not by case, language, or UTF-16; unreadable bytes last."""
    ordered = [b"A.md", b"a-b.md", b"a.md", b"ab.md", "é.md".encode(), "\uff41.md".encode(),
               "\U0001f600.md".encode(), b"\xff.md"]  # fmt: skip
    _fill(tmp_path / "f", *reversed(ordered))
    with open_field(tmp_path / "f") as field:
        assert [os.fsencode(name) for name in field.pages] == ordered


def test_names_that_are_not_utf8_are_pages(tmp_path: Path) -> None:
    """A name that is no UTF-8 is listed, read and hashed like any other, and shown escaped."""
    _fill(tmp_path / "f", b"caf\xe9.md", b"\xed\xa0\x80.md")
    with open_field(tmp_path / "f") as field:
        assert len(field.pages) == 2
        for name in field.pages:
            assert field.page(name).raw == b"# x\n"
        field.digest()
        with pytest.raises(NotFound) as caught:
            field.page("caf\udce8.md")
        assert str(caught.value).isprintable()
        assert caught.value.hint == r"did you mean `caf\xe9.md`?"


@pytest.mark.parametrize(
    "name", ["a\nb.md", "a\\b.md", "a\rb.md", "a b.md", "a\x1b[2J.md", "-a.md"]
)
def test_any_name_a_file_can_have_is_read(name: str, tmp_path: Path) -> None:
    """A reader takes any file whose name ends in `.md` for a page (MF901)."""
    _fill(tmp_path / "f", name)
    with open_field(tmp_path / "f") as field:
        assert field.pages == (name,)
        assert field.page(name).sha256 == field.sha256(name)


def test_every_name_has_its_role(tmp_path: Path) -> None:
    """Pages, attachments, indexes, debris and folders are told apart by name."""
    folder = tmp_path / "f"
    _fill(
        folder,
        *("a.md", "B.MD", "c.markdown", "index.md", "data.csv", "Makefile", "d.md.txt"),
        *("m.sqlite3", "m.sqlite3-wal", "m.sqlite3-shm", "m.sqlite3-journal", "m.sqlite"),
        *(".hidden.md", "._a.md", "a.md~", ".DS_Store", "desktop.ini", "Thumbs.db"),
        "a.sync-conflict-20260101-120000-ABCDEFG.md",
    )
    for name in ("log", ".cache", "__MACOSX", "sub.md"):
        (folder / name).mkdir()
    with open_field(folder) as field:
        assert field.pages == ("a.md", "index.md")
        assert field.attachments == ("B.MD", "Makefile", "c.markdown", "d.md.txt", "data.csv",
                                     "m.sqlite")  # fmt: skip
        assert field.indexes == ("m.sqlite3", "m.sqlite3-journal", "m.sqlite3-shm", "m.sqlite3-wal")
        assert field.debris == (
            ".DS_Store", "._a.md", ".cache/", ".hidden.md", "Thumbs.db", "__MACOSX/",
            "a.md~", "a.sync-conflict-20260101-120000-ABCDEFG.md", "desktop.ini",
        )  # fmt: skip
        assert field.folders == ("log", "sub.md")
        for name in ("data.csv", "m.sqlite3"):
            with pytest.raises(PageError):
                field.page(name)
            assert b"".join(field.chunks(name)) == b"# x\n"
        for name in (".hidden.md", "log", "sub.md", "../a.md", "./a.md", "a.md/", "", "a.md\x00"):
            with pytest.raises(NotFound):
                field.page(name)
            with pytest.raises(NotFound):
                field.chunks(name)


def test_an_unlisted_name_reaches_no_file(tmp_path: Path) -> None:
    """A page is looked up among the names that were listed, and nowhere else."""
    _fill(tmp_path / "f", "a.md")
    _fill(tmp_path, "b.md")
    with open_field(tmp_path / "f") as field, touched_paths() as paths:
        for name in ("../b.md", str(tmp_path / "b.md"), "..\\b.md", "%2e%2e/b.md", "b.md"):
            with pytest.raises(NotFound):
                field.page(name)
    assert paths == []


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("carbon-woks", "did you mean `carbon-woks.md`?"),
        ("carbon-wok.md", "did you mean `carbon-woks.md`?"),
        ("zzz.md", None),
    ],
)
def test_a_name_that_is_not_there_gets_a_hint(asked: str, hint: str | None, tmp_path: Path) -> None:
    """A missing ending or a slip of the pen is answered with the name that was meant."""
    _fill(tmp_path / "f", "carbon-woks.md")
    with open_field(tmp_path / "f") as field, pytest.raises(NotFound) as caught:
        field.page(asked)
    assert caught.value.hint == hint


def test_more_entries_than_the_limit(tmp_path: Path) -> None:
    """A directory of more entries than the limit is refused (exit code 3), reviewed as MF607."""
    _fill(tmp_path / "f", "a.md", "b.md", "c.txt")
    with open_field(tmp_path / "f", limits=Limits(entries=3)) as field:
        assert field.pages == ("a.md", "b.md")
    with pytest.raises(LimitExceeded) as caught:
        open_field(tmp_path / "f", limits=Limits(entries=2))
    assert caught.value.exit_code == 3
    assert "--limit entries=" in (caught.value.hint or "")
    with inspect_field(tmp_path / "f", limits=Limits(entries=2)) as field:
        assert [fault.rule for fault in field.faults] == ["MF607"]


def test_entries_in_sub_directories_count(tmp_path: Path) -> None:
    """What lies below counts towards the limit when it is listed."""
    _fill(tmp_path / "f", "a.md")
    _fill(tmp_path / "f" / "log", "1", "2", "3")
    with (
        open_field(tmp_path / "f", limits=Limits(entries=4)) as field,
        pytest.raises(LimitExceeded),
    ):
        list(field.nested())


@pytest.mark.parametrize(("depth", "looked_into"), [(64, True), (65, False), (300, False)])
def test_folders_are_looked_into_to_a_depth(depth: int, looked_into: bool, tmp_path: Path) -> None:
    """Folders within folders are listed 64 levels deep; the next one is told, and not entered."""
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d" * 20, dir_fd=folder)
        deeper = os.open("d" * 20, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = deeper
    os.close(os.open("a.md", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    os.close(folder)
    with open_field(tmp_path) as field:
        [entry] = field.nested()
    assert (entry.kind is EntryKind.FILE) == looked_into
    assert entry.path.count("/") == 64
    shutil.rmtree(tmp_path / ("d" * 20))


@pytest.mark.parametrize("read", ["page", "sha256"])
def test_files_over_the_limits(read: str, tmp_path: Path) -> None:
    """A page or file larger than its limit is not read; as large as the limit, it is."""
    _fill(tmp_path / "f", "a.md")
    for most, fits in ((4, True), (3, False)):
        limits = Limits(page_bytes=most, file_bytes=most)
        with open_field(tmp_path / "f", limits=limits) as field:
            if fits:
                getattr(field, read)("a.md")
                continue
            with pytest.raises(LimitExceeded) as caught:
                getattr(field, read)("a.md")
            assert (caught.value.entry, caught.value.exit_code) == ("a.md", 3)
            assert "4 bytes, over the limit of 3" in str(caught.value)


def test_all_files_together_over_the_limit(tmp_path: Path) -> None:
    """Pages, attachments and indexes over the limit in all are refused before any is read."""
    _fill(tmp_path / "f", "a.md", "b.txt", "index.sqlite3", ".debris")
    open_field(tmp_path / "f", limits=Limits(total_bytes=12)).close()
    with pytest.raises(LimitExceeded) as caught:
        open_field(tmp_path / "f", limits=Limits(total_bytes=11))
    assert "12 bytes in all, over the limit of 11" in str(caught.value)


@pytest.mark.parametrize("stamp", [-(2**40), -1, 0, 10**9, 2**33])
def test_times_are_those_of_the_files(stamp: int, tmp_path: Path) -> None:
    """A page was modified when its file says so, in UTC, also before 1970."""
    _fill(tmp_path / "f", "a.md")
    os.utime(tmp_path / "f" / "a.md", (stamp, stamp))
    kept = int((tmp_path / "f" / "a.md").stat().st_mtime)  # not all file systems have all times
    with open_field(tmp_path / "f") as field:
        modified = field.page("a.md").modified
    assert modified is not None
    assert modified.tzinfo is UTC
    assert modified == max(datetime.fromtimestamp(max(kept, -62135596800), UTC), modified)


def _snapshot(folder: Path) -> list[tuple[str, int, int, int]]:
    found = []
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        found.append((str(path), status.st_mode, status.st_size, status.st_mtime_ns))
        found.append((str(path), status.st_ino, status.st_ctime_ns, status.st_nlink))
    return found


def test_reading_leaves_the_directory_as_it_was(tmp_path: Path) -> None:
    """No file appears, none changes, not even a time, when a field is read in every way."""
    folder = tmp_path / "f"
    _fill(folder, "a.md", "b.txt", "m.sqlite3", ".debris")
    _fill(folder / "log", "x")
    (folder / "c.md").symlink_to("a.md")
    before = _snapshot(folder)
    with open_field(folder) as field:
        field.read(field.pages)
        field.digest()
        list(field.nested())
        list(field.damaged())
        assert field.archive_digest() is None
    assert _snapshot(folder) == before


def test_files_are_opened_without_following_links(tmp_path: Path) -> None:
    """Each file is opened in the folder that was listed, by its bare name."""
    _fill(tmp_path / "f", "a.md")
    with open_field(tmp_path / "f") as field, touched_paths() as paths:
        field.page("a.md")
    assert paths == ["a.md"]
    assert stat.S_ISREG((tmp_path / "f" / "a.md").stat().st_mode)
