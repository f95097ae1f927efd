"""Whatever is planted in the cache, or stands in its way: nothing leaves it, and readers go on."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.readers.cache_objects import (
    DATA,
    KINDS,
    MOST,
    OTHER,
    SHA256,
    Kind,
    directory,
    link,
    place,
    plant,
)
from tests.readers.unprivileged import without_rights

from memoryfield_readers import SourceUnavailable
from memoryfield_readers.cache import Cache, DamagedObject, folders, objects
from memoryfield_readers.cache.folders import Folder
from memoryfield_readers.transfer.progress import unwatched


@pytest.fixture(params=["anchored", "by path"])
def cache(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """An empty cache, on a platform that opens relative to a folder, and on one that does not."""
    if request.param == "by path":
        monkeypatch.setattr(folders, "_ANCHORED", False)
        monkeypatch.setattr(folders, "_FILE_FLAGS", folders._FILE_FLAGS & ~os.O_NOFOLLOW)
    return Cache(tmp_path / "cache")


@pytest.fixture
def full(cache: Cache) -> Cache:
    """The same with an object in it."""
    assert cache.put([DATA]) == SHA256
    return cache


@pytest.mark.parametrize("kind", KINDS)
def test_no_file_is_no_object(kind: Kind, full: Cache, tmp_path: Path) -> None:
    """What is planted under an object's name is neither read nor followed, and does not hang."""
    path = place(full)
    path.unlink()
    kind(path, tmp_path)
    for call in (full.read, full.copy):
        with pytest.raises(DamagedObject) as caught:
            call(SHA256, MOST)
        assert caught.value.path == path
    assert [one.path for one in full.verify(unwatched)] == [path]
    before = (tmp_path / "secret").read_bytes() if kind is link else b""
    assert full.put([DATA]) == (None if kind is directory else SHA256)
    if kind is directory:
        assert "cannot be written" in full.notes[0]
        assert path.is_dir()
    else:
        assert path.is_file()
        assert not path.is_symlink()
        assert full.read(SHA256, MOST) == DATA
    assert before == ((tmp_path / "secret").read_bytes() if kind is link else b"")


@pytest.mark.parametrize("kind", ["link", "file", "fifo"])
@pytest.mark.parametrize("part", ["v1", "v1/objects", f"v1/objects/{SHA256[:2]}", "v1/partial"])
def test_folders_are_not_followed(part: str, kind: str, cache: Cache, tmp_path: Path) -> None:
    """Nothing is written or removed where a link in the cache leads; the reader goes on."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / SHA256).write_bytes(b"mine")
    (elsewhere / SHA256[2:]).write_bytes(b"mine")
    planted = cache.path / part
    planted.parent.mkdir(parents=True)
    if kind == "link":
        planted.symlink_to(elsewhere, target_is_directory=True)
    elif kind == "file":
        planted.write_bytes(b"")
    else:
        os.mkfifo(planted)
    assert cache.put([DATA]) is None
    assert cache.read(SHA256, MOST) is None
    assert [note for note in cache.notes if "written" in note] == [
        f"cache cannot be written: {planted}: not a directory; going on without"
    ]
    if "objects" not in part:
        assert cache.partial(SHA256) is None
    for tidy in (cache.clear, lambda: cache.prune(1)):
        with suppress(SourceUnavailable):  # it cannot be listed
            tidy()
    assert {path.name: path.read_bytes() for path in elsewhere.iterdir()} == {
        SHA256: b"mine",
        SHA256[2:]: b"mine",
    }


def test_cache_may_itself_be_a_link(tmp_path: Path) -> None:
    """A person may keep the cache on another disk."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "cache").symlink_to(tmp_path / "disk")
    assert Cache(tmp_path / "cache").put([DATA]) == SHA256
    assert Cache(tmp_path / "disk").read(SHA256, MOST) == DATA


@pytest.mark.parametrize("kind", ["a file", "below a file", "a dangling link", "too long"])
def test_place_that_cannot_be(kind: str, tmp_path: Path) -> None:
    """Where there can be no cache, that is noted once, and the reader goes on."""
    (tmp_path / "file").write_bytes(b"mine")
    (tmp_path / "link").symlink_to(tmp_path / "none")
    place = {"a file": "file", "below a file": "file/cache", "a dangling link": "link"}
    cache = Cache(tmp_path / place.get(kind, "x" * 300))
    for _ in range(2):
        assert (cache.put([DATA]), cache.partial(SHA256)) == (None, None)
        assert not cache.has(SHA256)
    with cache.exclusive(SHA256):
        assert cache.put([DATA]) is None
    assert sum("cache cannot be written" in note for note in cache.notes) == 1
    assert (tmp_path / "file").read_bytes() == b"mine"


def test_folder_without_rights() -> None:
    """A cache that may be read alone is read; one that may not be made is done without."""

    def work(folder: Path) -> None:
        cache = Cache(folder / "cache")
        cache.put([DATA])
        for path, *_ in os.walk(cache.path, topdown=False):
            os.chmod(path, 0o500)
        fresh = Cache(cache.path)
        assert fresh.read(SHA256, MOST) == DATA
        assert fresh.notes == ()
        fresh = Cache(cache.path)
        assert (fresh.put([b"more"]), fresh.partial(SHA256)) == (None, None)
        assert all("permission denied; going on without" in note for note in fresh.notes)
        assert all("cannot be written" in note for note in fresh.notes)
        with fresh.exclusive(OTHER):
            assert fresh.read(SHA256, MOST) == DATA
        os.chmod(folder, 0o500)
        absent = Cache(folder / "other" / "cache")
        assert absent.put([DATA]) is None
        assert "permission denied" in absent.notes[0]
        os.chmod(cache.path / "v1" / "objects", 0)
        closed = Cache(cache.path)
        assert closed.read(SHA256, MOST) is None
        assert "cache cannot be read" in closed.notes[0]

    without_rights(work)


def test_object_without_rights() -> None:
    """An object that may not be read is not absent: it is damaged, and can be replaced."""

    def work(folder: Path) -> None:
        cache = Cache(folder / "cache")
        cache.put([DATA])
        os.chmod(place(cache), 0)
        with pytest.raises(DamagedObject, match="permission denied"):
            cache.read(SHA256, MOST)
        assert cache.put([DATA]) == SHA256
        assert cache.read(SHA256, MOST) == DATA

    without_rights(work)


@pytest.fixture
def small_disk(full: Cache, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No file can become larger than 100 bytes from now on: writing more fails in the middle."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it would be cut, too
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("small_disk")
def test_disk_that_is_full(full: Cache) -> None:
    """Where the rest of an object cannot be written, nothing of it stays."""
    before = sorted(full.path.rglob("*"))
    assert full.put([b"x" * 60] * 3) is None
    assert full.notes == ("cache cannot be written: file too large; going on without",)
    assert sorted(full.path.rglob("*")) == before
    assert full.read(SHA256, MOST) == DATA


@pytest.mark.parametrize(
    "error", [OSError(5, "of the source"), KeyboardInterrupt(), RuntimeError()]
)
def test_source_that_breaks_off(error: BaseException, full: Cache) -> None:
    """What stops the pieces is the source's own error, and leaves nothing behind."""

    def pieces() -> Iterator[bytes]:
        yield b"the beginning"
        raise error

    before = sorted(full.path.rglob("*"))
    with pytest.raises(type(error)) as caught:
        full.put(pieces())
    assert caught.value is error
    assert sorted(full.path.rglob("*")) == before
    assert full.notes == ()


@pytest.mark.parametrize(
    "kind", [*KINDS, None], ids=lambda kind: "nothing" if kind is None else kind.__name__
)
def test_what_cannot_be_adopted(kind: Kind | None, full: Cache, tmp_path: Path) -> None:
    """What is no file of its own, or not there, does not become an object."""
    path = full.partial(OTHER)
    assert path is not None
    if kind is not None:
        kind(path, tmp_path)
    before = sorted(full.path.rglob("*"))
    assert full.adopt(path) is None
    assert "cache cannot be written" in full.notes[0]
    assert sorted(full.path.rglob("*")) == before


def test_file_with_two_names_is_not_adopted(full: Cache, tmp_path: Path) -> None:
    """By the other name, it could still be changed."""
    path = full.partial(OTHER)
    assert path is not None
    (tmp_path / "mine").write_bytes(b"data")
    os.link(tmp_path / "mine", path)
    assert full.adopt(path) is None
    assert (tmp_path / "mine").stat().st_mode & 0o200


@pytest.mark.parametrize("name", ["mine", "cache/v1/objects/mine", "cache/v1/partial/below/mine"])
def test_only_downloads_are_adopted(name: str, full: Cache, tmp_path: Path) -> None:
    """Nothing else is moved into the cache."""
    with pytest.raises(ValueError, match="no download"):
        full.adopt(tmp_path / name)
    assert full.adopt(full.path / "v1" / "partial" / "..") is None


def test_file_that_changes_while_it_is_adopted(
    full: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever still writes to a download keeps it from becoming an object."""
    path = full.partial(OTHER)
    assert path is not None
    path.write_bytes(b"so far")

    def hashed(descriptor: int) -> tuple[str, int]:
        answer = objects.hash_of(descriptor)
        path.write_bytes(b"and more")
        return answer

    monkeypatch.setattr("memoryfield_readers.cache.writing.hash_of", hashed)
    assert full.adopt(path) is None
    assert "changed while it was read" in full.notes[0]
    assert path.read_bytes() == b"and more"


def test_folder_that_is_cleared_away(full: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where another process clears the cache in the last moment, the object comes all the same."""
    full.clear()
    move = folders.Folder.move
    removed: list[Path] = []

    def late(source: Folder, name: str, target: Folder, new_name: str) -> None:
        if not removed:
            removed.append(target.path)
            target.path.rmdir()
        move(source, name, target, new_name)

    monkeypatch.setattr(folders.Folder, "move", late)
    assert full.put([DATA]) == SHA256
    assert removed == [place(full).parent]
    assert full.read(SHA256, MOST) == DATA


def test_read_only_files_that_stay(full: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a read-only file is in the way, it is made writable to be replaced or removed."""
    replace, unlink = os.replace, os.unlink

    def refuse(path: str | Path, folder: int | None) -> None:
        status = os.stat(path, dir_fd=folder, follow_symlinks=False)
        if not status.st_mode & 0o200:
            raise PermissionError(13, "Access is denied")

    def replaced(
        source: str | Path,
        target: str | Path,
        *,
        src_dir_fd: int | None = None,
        dst_dir_fd: int | None = None,
    ) -> None:
        with suppress(FileNotFoundError):
            refuse(target, dst_dir_fd)
        replace(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    def unlinked(path: str | Path, *, dir_fd: int | None = None) -> None:
        refuse(path, dir_fd)
        unlink(path, dir_fd=dir_fd)

    os.chmod(plant(full, b"damaged"), 0o444)
    monkeypatch.setattr(os, "replace", replaced)
    monkeypatch.setattr(os, "unlink", unlinked)
    monkeypatch.setattr(folders, "_READ_ONLY_STAYS", True)
    assert full.put([DATA]) == SHA256
    assert full.read(SHA256, MOST) == DATA
    assert full.clear().objects == 1
    assert not full.has(SHA256)


def test_object_that_others_read(full: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an open file is in the way, what is there serves, if it is the same."""

    def refused(*paths: object, **folders: object) -> None:
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(os, "replace", refused)
    assert full.put([DATA]) == SHA256
    assert full.put([b"not there"]) is None
    plant(full, b"damaged")
    fresh = Cache(full.path)
    assert fresh.put([DATA]) is None
    assert list((full.path / "v1" / "partial").iterdir()) == []
