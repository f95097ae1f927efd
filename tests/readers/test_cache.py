"""The cache hands out what has the hash that was asked for, and nothing else, whatever it holds."""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.readers.cache_objects import (
    DATA,
    MOST,
    OTHER,
    SHA256,
    content,
    place,
    plant,
)

from memoryfield_readers import LimitExceeded
from memoryfield_readers.cache import Cache, DamagedObject, folders
from memoryfield_readers.pins import private_copy
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


def test_what_is_put_is_there(cache: Cache) -> None:
    """An object is found by the hash that it has, however it comes in pieces."""
    assert not cache.has(SHA256)
    for call in (cache.read, cache.copy):
        assert call(SHA256, MOST) is None
    assert cache.size(SHA256) is None
    assert not cache.path.exists()
    assert cache.put(bytes([each]) for each in DATA) == SHA256
    assert cache.has(SHA256)
    assert cache.size(SHA256) == len(DATA)
    assert cache.read(SHA256, MOST) == content(cache) == DATA
    assert cache.notes == ()


def test_sizes_of_many(cache: Cache) -> None:
    """Those that are there are told, in one folder or several; those that are not, are left out."""
    assert cache.sizes([SHA256, OTHER]) == {}
    put = {cache.put([b"x" * size]): size for size in range(600)}  # some share a folder
    assert None not in put
    assert cache.sizes([SHA256, *filter(None, put), OTHER]) == put


def test_nothing_is_an_object_too(cache: Cache) -> None:
    """The empty file has a hash like all others."""
    assert cache.put([]) == OTHER
    assert cache.read(OTHER, 0) == content(cache, OTHER) == b""


def test_large_objects_are_copied_to_a_file(full: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """What memory should not hold is proved as it is copied, too."""
    monkeypatch.setattr(private_copy, "MEMORY_BYTES", 10)
    assert content(full) == DATA
    plant(full, DATA[:-1] + b"?")
    with pytest.raises(DamagedObject):
        full.copy(SHA256, MOST)


def test_files_are_read_only_and_folders_private(full: Cache) -> None:
    """Nobody changes an object by mistake, and nobody else sees which there are."""
    assert stat.S_IMODE(place(full).stat().st_mode) == 0o444
    for folder in (full.path, *place(full).relative_to(full.path).parents[:-1]):
        assert stat.S_IMODE((full.path / folder).stat().st_mode) == 0o700
    assert list((full.path / "v1" / "partial").iterdir()) == []


@pytest.mark.parametrize(
    "name", ["", "..", SHA256.upper(), SHA256 + "\n", SHA256[:-1], "a/../" * 13]
)
def test_names_are_hashes(full: Cache, name: str) -> None:
    """What is no hash is asked for by mistake, and would be a path."""
    calls: list[Callable[[str], object]] = [full.has, full.size, full.partial, full.exclusive]
    calls += [lambda name: full.read(name, MOST), lambda name: full.copy(name, MOST)]
    for call in calls:
        with pytest.raises(ValueError, match="no SHA-256"):
            call(name)


def test_tag_tells_backups(full: Cache) -> None:
    """A folder of our own is marked as a cache."""
    tag = (full.path / "CACHEDIR.TAG").read_bytes()
    assert tag.startswith(b"Signature: 8a477f597d28d172789f06886806bc55\n")


def test_tag_hides_nobodys_files(cache: Cache) -> None:
    """In a folder that holds other things, only our own part is left out of backups."""
    cache.path.mkdir()
    (cache.path / "thesis.md").write_bytes(b"")
    cache.put([DATA])
    assert not (cache.path / "CACHEDIR.TAG").exists()
    assert (cache.path / "v1" / "CACHEDIR.TAG").is_file()


def test_any_flipped_byte_is_noticed(full: Cache) -> None:
    """No byte of an object can change without the object being refused, by name."""
    path = place(full)
    for at in range(len(DATA)):
        for bit in (1, 0x20, 0x80):
            changed = DATA[:at] + bytes([DATA[at] ^ bit]) + DATA[at + 1 :]
            plant(full, changed)
            with pytest.raises(DamagedObject) as caught:
                full.read(SHA256, MOST)
            assert (caught.value.path, caught.value.exit_code) == (path, 3)
            assert caught.value.actual == f"sha256:{hashlib.sha256(changed).hexdigest()}"
            with pytest.raises(DamagedObject):
                full.copy(SHA256, MOST)


@pytest.mark.parametrize("data", [b"", DATA[:-1], DATA + b"\0", DATA * 2, DATA[::-1]], ids=len)
def test_other_lengths_are_noticed(full: Cache, data: bytes) -> None:
    """What is cut or longer is refused, stays where it is, and says what it is."""
    path = plant(full, data)
    for call in (full.read, full.copy):
        with pytest.raises(
            DamagedObject, match="is empty" if not data else "has other bytes"
        ) as at:
            call(SHA256, MOST)
    assert at.value.size == len(data)
    assert at.value.expected == f"sha256:{SHA256}"
    assert path.read_bytes() == data
    (found,) = full.verify(unwatched)
    assert (found.path, found.sha256) == (path, SHA256)


def test_damage_crosses_processes(full: Cache) -> None:
    """The error is the same on the other side of a pipe."""
    path = plant(full, b"")
    with pytest.raises(DamagedObject) as caught:
        full.read(SHA256, MOST)
    there = pickle.loads(pickle.dumps(caught.value))
    assert (there.path, str(there)) == (path, str(caught.value))


def test_damaged_object_is_replaced(full: Cache) -> None:
    """Putting what should be there mends it."""
    plant(full, b"something else")
    assert full.put([DATA]) == SHA256
    assert full.read(SHA256, MOST) == DATA
    assert list(full.verify(unwatched)) == []


def test_larger_than_wanted(full: Cache) -> None:
    """What is larger than the reader takes is not read."""
    for call in (full.read, full.copy):
        with pytest.raises(LimitExceeded) as caught:
            call(SHA256, len(DATA) - 1)
        assert caught.value.location == str(place(full))
        assert call(SHA256, len(DATA)) is not None


def test_download_is_adopted(full: Cache) -> None:
    """A finished download becomes an object by its name alone, and is read-only then."""
    more = b"a whole archive"
    sha256 = hashlib.sha256(more).hexdigest()
    path = full.partial(sha256)
    assert path is not None
    assert (path.parent.is_dir(), path.exists()) == (True, False)
    path.write_bytes(more)
    inode = path.stat().st_ino
    assert full.adopt(path) == sha256
    assert not path.exists()
    assert full.read(sha256, MOST) == more
    status = place(full, sha256).stat()
    assert (status.st_ino, stat.S_IMODE(status.st_mode)) == (inode, 0o444)


def test_download_of_something_else_has_its_own_name(full: Cache) -> None:
    """Whoever brings something else gets it under the hash that it has."""
    path = full.partial(OTHER)
    assert path is not None
    path.write_bytes(b"something else")
    assert full.adopt(path) == hashlib.sha256(b"something else").hexdigest()
    assert not full.has(OTHER)
