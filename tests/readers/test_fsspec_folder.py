"""Whatever fsspec reaches, as a folder: one listing, then whole files."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem  # type: ignore[import-untyped]
from tests.readers.servers.odd_fsspec import (
    OddFileSystem,
    contents,
    failure,
    folder,
    memory_filesystem,
    odd_filesystem,
)

from memoryfield_readers import (
    LimitExceeded,
    NotFound,
    SourceChanged,
    SourceUnavailable,
)
from memoryfield_readers.entry import Entry, EntryKind
from memoryfield_readers.limits import Limits
from memoryfield_readers.transfer.sink import MemorySink


@pytest.fixture
def odd() -> Iterator[type[OddFileSystem]]:
    with odd_filesystem() as kind:
        yield kind


@pytest.fixture
def memory() -> Iterator[MemoryFileSystem]:
    with memory_filesystem() as filesystem:
        yield filesystem


def test_a_folder_in_memory(memory: MemoryFileSystem) -> None:
    """What is there comes with its size and time; listings are fresh."""
    memory.pipe({"/f/a.md": b"# A", "/f/sub/b c.md": b"", "/fg/x.md": b"other"})
    store = folder("memory://f")
    assert contents(store) == {"a.md": b"# A", "sub/b c.md": b""}
    assert all(entry.modified is not None for entry in store.listing())
    memory.pipe({"/f/new.md": b"new"})
    memory.rm_file("/f/a.md")
    assert set(contents(store)) == {"sub/b c.md", "new.md"}
    assert set(contents(folder("memory://f/"))) == {"sub/b c.md", "new.md"}
    assert "fg/x.md" in contents(folder("memory://"))
    assert store.dated(store.listing()[0]) == store.listing()[0]
    assert list(store.save_many(store.listing(), lambda _: MemorySink(1))) == []


def test_a_folder_within_an_archive(tmp_path: Path) -> None:
    """Chains work in each of their spellings; nothing stays open, and the checks are not made."""
    archive = tmp_path / "x.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("a.md", "# A")
        made.writestr("sub/b.md", "# B")
        made.writestr("c.txt", "c")
    whole = {"a.md": b"# A", "sub/b.md": b"# B", "c.txt": b"c"}
    cases = {
        f"zip://::file://{archive}": whole,
        f"zip://*::file://{archive}": whole,
        f"dir::zip://*::file://{archive}": whole,
        f"dir::zip://::{archive}": whole,
        f"zip://*.md::file://{archive}": {"a.md": b"# A"},
        f"zip://sub::file://{archive}": {"b.md": b"# B"},
    }
    before = len(os.listdir("/proc/self/fd"))
    for url, expected in cases.items():
        store = folder(url)
        assert contents(store) == expected, url
        assert "MF601" in store.notes[0]
        store.close()
        store.close()
        assert type(failure(store.listing)) is SourceUnavailable
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_is_no_regular_file_is_not_followed(tmp_path: Path) -> None:
    """Links, links to folders and FIFOs are irregular, and are never opened."""
    (tmp_path / "outside.md").write_text("outside")
    field = tmp_path / "field"
    (field / "real").mkdir(parents=True)
    (field / "real" / "a.md").write_text("# A")
    (field / "link.md").symlink_to(tmp_path / "outside.md")
    (field / "folder").symlink_to(field / "real")
    os.mkfifo(field / "fifo.md")
    store = folder(f"dir::file://{field}")
    entries = {entry.path: entry for entry in store.listing()}
    assert {path: entry.problem for path, entry in entries.items()} == {
        "real/a.md": "",
        "link.md": "a symbolic link",
        "folder": "a symbolic link",
        "fifo.md": "no regular file",
    }
    assert {e.path for e in entries.values() if e.kind is EntryKind.FILE} == {"real/a.md"}
    for path in ("link.md", "fifo.md", "nothing.md"):
        asked_for = entries.get(path, Entry(path, EntryKind.FILE))
        assert type(failure(partial(store.save, asked_for, MemorySink(9)))) is NotFound


def test_nothing_is_there(memory: MemoryFileSystem, tmp_path: Path) -> None:
    """What is absent is not found; a file is no folder; an empty folder is one."""
    memory.pipe({"/f/a.md": b"# A"})
    assert type(failure(folder("memory://nowhere/at/all").listing)) is NotFound
    assert type(failure(folder(f"dir::file://{tmp_path}/no").listing)) is NotFound
    no_archive = failure(lambda: folder(f"zip://::file://{tmp_path}/no.zip"))
    assert type(no_archive) is NotFound
    error = failure(folder("memory://f/a.md").listing)
    assert type(error) is SourceUnavailable
    assert "not a folder" in error.message
    assert folder(f"dir::file://{tmp_path}").listing() == []


def test_a_file_replaced_after_the_listing_is_never_cut(memory: MemoryFileSystem) -> None:
    """Longer or shorter than listed is an error; deleted is not found."""
    memory.pipe({"/f/a.md": b"1234", "/f/b.md": b""})
    store = folder("memory://f")
    first, second = store.listing()
    for content in (b"12345", b"123", b"1" * 5000):
        memory.pipe({"/f/a.md": content})
        assert type(failure(lambda: store.save(first, MemorySink(1 << 20)))) is SourceChanged
    memory.pipe({"/f/b.md": b"no longer empty"})
    assert type(failure(lambda: store.save(second, MemorySink(1 << 20)))) is SourceChanged
    memory.rm_file("/f/a.md")
    assert type(failure(lambda: store.save(first, MemorySink(9)))) is NotFound


def test_limits(memory: MemoryFileSystem, odd: type[OddFileSystem]) -> None:
    """Too many files, and files larger than what is taken, also where no size is told."""
    memory.pipe({"/f/a.md": b"1234", "/f/b.md": b"5"})
    assert type(failure(folder("memory://f", limits=Limits(entries=1)).listing)) is LimitExceeded
    small = folder("memory://f", limits=Limits(file_bytes=3))
    with pytest.raises(LimitExceeded):
        small.save(small.listing()[0], MemorySink(3))
    odd.files = {"field/unknown.md": b"what?" * 100}
    assert contents(folder("odd://field")) == {"unknown.md": b"what?" * 100}
    store = folder("odd://field", limits=Limits(file_bytes=10))
    (entry,) = store.listing()
    sink = MemorySink(10)
    with pytest.raises(LimitExceeded):
        store.save(entry, sink)
    assert sink.taken == 11  # no more than one byte too many was asked for


def test_folders_that_are_not_entered(odd: type[OddFileSystem], tmp_path: Path) -> None:
    """Debris, and what lies too deep; what is beyond the limits is not even listed."""
    odd.files = {"field/a.md": b"x", "field/.git/config": b"x", "field/sub/__MACOSX/x": b"x"}
    kinds = {entry.path: entry.kind for entry in folder("odd://field").listing()}
    assert kinds == {
        "a.md": EntryKind.FILE,
        ".git": EntryKind.DIRECTORY,
        "sub/__MACOSX": EntryKind.DIRECTORY,
    }
    odd.files = {"field/" + "d/" * 70 + "x.md": b"x"}
    (deep,) = folder("odd://field").listing()
    assert (deep.kind, deep.path.count("/")) == (EntryKind.UNREADABLE, 64)
    odd.files = {f"field/{number}.md": b"x" for number in range(5)}
    assert type(failure(folder("odd://field", limits=Limits(entries=4)).listing)) is LimitExceeded
    assert len(folder("odd://field", limits=Limits(entries=5)).listing()) == 5


def test_names_that_are_no_paths(odd: type[OddFileSystem]) -> None:
    """They are left out, and said so."""
    names = ("ok.md", "../up.md", "a//b.md", "w\\x.md", "./c.md")
    odd.files = {f"field/{name}": b"x" for name in names}
    odd.find = lambda self, path, **_: {
        name: {"name": name, "size": 1, "type": "file"} for name in [*self.files, "etc/passwd"]
    }
    try:
        store = folder("odd://field")
        assert [entry.path for entry in store.listing()] == ["ok.md"]
    finally:
        del odd.find
    (note,) = store.notes
    assert note.startswith("5 left out")


def test_folders_that_lead_out_are_not_entered(
    odd: type[OddFileSystem], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is asked outside of the folder, whatever is listed in it."""
    folders = ("field/sub", "elsewhere", "field/../up", "fieldx", "field/sub/../..", "field")
    asked: list[str] = []

    def listed(_: object, path: str, **__: object) -> list[dict[str, object]]:
        asked.append(path)
        found = folders if path == "field" else ()
        return [{"name": name, "size": 0, "type": "directory"} for name in found]

    monkeypatch.setattr(odd, "ls", listed)
    store = folder("odd://field")
    assert list(store.listing()) == []
    assert asked == ["field", "field/sub"]
    assert store.notes[0].startswith("4 left out whose name is no path, such as `/elsewhere`")


def test_instances_are_not_shared(memory: MemoryFileSystem, tmp_path: Path) -> None:
    """Neither the file system nor one within the chain comes from fsspec's cache, or goes there."""
    from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]

    with zipfile.ZipFile(tmp_path / "x.zip", "w") as made:
        made.writestr("a.md", "# A")
    LocalFileSystem.clear_instance_cache()
    store = folder(f"zip://::file://{tmp_path}/x.zip")
    assert contents(store) == {"a.md": b"# A"}
    assert len(LocalFileSystem._cache) == 0
    store.close()
