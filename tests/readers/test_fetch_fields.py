"""Fields of a lock file come here side by side, each proved whole, or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest
from tests.readers import fields_to_fetch
from tests.readers.fetching_fields import damage, noise, objects, packed, pages, wrong_objects
from tests.readers.fields_to_fetch import (
    ALL,
    EXPECTED,
    LARGE,
    PACKED,
    changed,
    error_of,
    fetch,
    tree,
)
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_readers import (
    LocationError,
    PinMismatch,
    SourceUnavailable,
    UnsafeArchive,
    open_field,
)
from memoryfield_readers.cache import Cache
from memoryfield_readers.cache.writing import Draft
from memoryfield_readers.fetching import Fetching, fetch_fields, keep
from memoryfield_readers.lock import LockedField, LockFile, parse_lock, render_lock
from memoryfield_readers.pins.pin import Pin, PinKind
from memoryfield_readers.transfer import partial
from memoryfield_readers.transfer.progress import unwatched
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

state, server, here = fields_to_fetch.state, fields_to_fetch.server, fields_to_fetch.here
lock, how = fields_to_fetch.lock, fields_to_fetch.how


def test_all_fields_come_and_are_there_from_then_on(
    server: FaultyHttp, lock: LockFile, how: Fetching
) -> None:
    found = fetch(lock, how)
    assert {name: each.error for name, each in found.items()} == dict.fromkeys(ALL)
    assert {each.how for each in found.values()} == {"fetched"}
    assert found["folder"].pages == len(pages("folder"))
    assert found["folder"].bytes == sum(map(len, pages("folder").values()))
    assert found["large"].bytes == len(LARGE)
    assert found["packed"].bytes == len(PACKED)
    assert not wrong_objects(how.cache)
    server.requests.clear()
    assert {each.how for each in fetch(lock, how).values()} == {"cached"}
    assert not server.requests


def test_pages_are_asked_for_once_each(server: FaultyHttp, lock: LockFile, how: Fetching) -> None:
    fetch(lock, how, "folder")
    paths = [request.path for request in server.asked() if request.path.endswith(".md")]
    assert sorted(paths) == sorted(f"/folder/{name}" for name in pages("folder"))


def _lose(here: Path) -> None:
    """Let the fields of this machine be gone."""
    (here / "plain").rename(here / "lost")
    (here / "packed.memoryfield.zip").rename(here / "lost.zip")


@pytest.mark.parametrize("name", ["plain", "packed"])
def test_offline_what_is_on_this_machine_is_taken(lock: LockFile, how: Fetching, name: str) -> None:
    """Nobody else has to be asked for that; and it is in the cache from then on."""
    found = fetch(lock, replace(how, offline=True), name)[name]
    assert (found.how, found.error) == ("fetched", None)
    assert fetch(lock, how, name)[name].how == "cached"


@pytest.mark.parametrize("name", ALL)
def test_after_that_nobody_is_needed(
    server: FaultyHttp, lock: LockFile, how: Fetching, here: Path, name: str
) -> None:
    """The source may be gone: the cache has it all."""
    fetch(lock, how, name)
    server.files.clear()
    _lose(here)
    server.requests.clear()
    for offline in (True, False):
        found = fetch(lock, replace(how, offline=offline), name)[name]
        assert (found.how, found.error) == ("cached", None)
    assert not server.requests


@pytest.mark.parametrize("name", ALL)
def test_offline_what_is_missing_is_named(
    server: FaultyHttp, lock: LockFile, how: Fetching, here: Path, name: str
) -> None:
    _lose(here)
    error = error_of(lock, replace(how, offline=True), name)
    assert isinstance(error, SourceUnavailable)
    assert error.exit_code == 4
    assert error.location == lock.field(name).location
    assert not server.requests


def _objects_of(lock: LockFile, how: Fetching, name: str) -> list[Path]:
    locked = lock.field(name)
    hashes = set(locked.manifest.hashes.values())
    if locked.archive_pin is not None:
        hashes = {locked.archive_pin.sha256}
    found = objects(how.cache.path)
    return [path for path in found if path.parent.name + path.name in hashes]


@pytest.mark.parametrize("name", ["small", "large", "folder"])
def test_a_damaged_file_of_the_cache_is_brought_again(
    lock: LockFile, how: Fetching, name: str
) -> None:
    """Offline it is refused, by name, and stays; online a good one takes its place."""
    fetch(lock, how, name)
    for path in _objects_of(lock, how, name):
        damage(path)
    error = error_of(lock, replace(how, offline=True), name)
    assert isinstance(error, PinMismatch)
    assert error.location == lock.field(name).location
    assert error.entry is not None
    assert wrong_objects(how.cache)
    found = fetch(lock, how, name)[name]
    assert (found.how, found.error) == ("fetched", None)
    assert any("damaged" in note for note in found.notes)
    assert sum("archive" in note or "its file" in note for note in found.notes) <= 1
    assert not wrong_objects(how.cache)


@pytest.mark.parametrize("offline", [True, False], ids=["offline", "online"])
@pytest.mark.parametrize("name", ["plain", "packed"])
def test_a_damaged_file_is_brought_again_from_this_machine(
    lock: LockFile, how: Fetching, name: str, offline: bool
) -> None:
    fetch(lock, how, name)
    for path in _objects_of(lock, how, name):
        damage(path)
    found = fetch(lock, replace(how, offline=offline), name)[name]
    assert (found.how, found.error) == ("fetched", None)
    assert not wrong_objects(how.cache)


@pytest.mark.parametrize("name", ["plain", "packed"])
def test_a_damaged_file_that_nobody_else_has_is_a_mismatch(
    lock: LockFile, how: Fetching, here: Path, name: str
) -> None:
    fetch(lock, how, name)
    for path in _objects_of(lock, how, name):
        damage(path)
    _lose(here)
    error = error_of(lock, replace(how, offline=True), name)
    assert error.exit_code in (3, 4)  # type: ignore[attr-defined]
    assert wrong_objects(how.cache)


def test_what_changed_at_its_source_is_refused(
    server: FaultyHttp, lock: LockFile, how: Fetching, here: Path
) -> None:
    """The others come as if nothing had happened; of the changed ones, nothing is kept."""
    server.files["/small.memoryfield.zip"] = noise(5)
    server.files["/folder/page-7.md"] = b"# Page 8\n"
    (here / "plain" / "page-3.md").write_bytes(b"# Other\n")
    found = fetch(lock, how)
    assert {name for name, each in found.items() if each.how == "failed"} == {
        "small",
        "folder",
        "plain",
    }
    for name, entry in {"folder": "page-7.md", "plain": "page-3.md"}.items():
        error = found[name].error
        assert isinstance(error, PinMismatch)
        assert error.entry == entry
        assert error.exit_code == 3
    assert isinstance(found["small"].error, PinMismatch)
    assert not wrong_objects(how.cache)


def test_a_source_that_is_gone_is_told(server: FaultyHttp, lock: LockFile, how: Fetching) -> None:
    server.files.clear()
    for name in ("small", "folder"):
        error = error_of(lock, how, name)
        assert isinstance(error, SourceUnavailable)
        assert error.location == lock.field(name).location


def test_a_name_that_is_not_there_is_told_before_anybody_is_asked(
    server: FaultyHttp, lock: LockFile, how: Fetching
) -> None:
    with pytest.raises(LocationError, match="smal"):
        fetch(lock, how, "large", "smal")
    assert not server.requests


def test_a_field_that_is_named_twice_is_fetched_once(lock: LockFile, how: Fetching) -> None:
    assert [each.how for each in fetch_fields(lock, ["small", "small"], how)] == ["fetched"]


def test_what_no_pin_covers_is_told_and_makes_no_difference(
    server: FaultyHttp, lock: LockFile, how: Fetching
) -> None:
    """An archive with a vector index that the lock file does not have is cached all the same."""
    more = packed({**pages("small"), "some-model-v1.sqlite3": b"index"})
    lock = _archive_at(server, lock, more)
    for expected in ("fetched", "cached"):
        found = fetch(lock, how, "small")["small"]
        assert (found.how, found.error) == (expected, None)
        assert any("some-model-v1.sqlite3" in note for note in found.notes)


# --- hostile lock files


def _archive_at(server: FaultyHttp, lock: LockFile, data: bytes) -> LockFile:
    """The lock file, whose archive is another one now, pinned as it is; the manifest stays."""
    server.files["/small.memoryfield.zip"] = data
    pin = Pin(PinKind.ARCHIVE, hashlib.sha256(data).hexdigest())
    return changed(lock, "small", archive_pin=pin, archive_size=len(data))


def test_two_pins_that_contradict_each_other_are_a_mismatch(
    server: FaultyHttp, lock: LockFile, how: Fetching
) -> None:
    """The archive is the one that is pinned, and its pages are not those of the manifest."""
    other = packed({**pages("small"), "page-5.md": b"# Other\n"})
    error = error_of(_archive_at(server, lock, other), replace(how, out=how.cache.path), "small")
    assert isinstance(error, PinMismatch)
    assert error.entry == "page-5.md"
    assert error.hint is not None
    assert "contradicts itself" in error.hint
    assert not (how.cache.path / "small.memoryfield.zip").exists()


def test_an_archive_with_another_page_than_the_manifest_is_a_mismatch(
    server: FaultyHttp, lock: LockFile, how: Fetching
) -> None:
    more = packed({**pages("small"), "more.md": b"# More\n"})
    error = error_of(_archive_at(server, lock, more), how, "small")
    assert isinstance(error, PinMismatch)
    assert error.entry == "more.md"


def test_an_archive_that_is_not_safe_is_refused_although_it_is_the_pinned_one(
    server: FaultyHttp, lock: LockFile, how: Fetching, tmp_path: Path
) -> None:
    entries = (ZipEntry(name, data) for name, data in pages("small").items())
    unsafe = zip_bytes(*entries, ZipEntry("../evil.md", b"evil\n"))
    out = tmp_path / "out"
    error = error_of(_archive_at(server, lock, unsafe), replace(how, out=out), "small")
    assert isinstance(error, UnsafeArchive)
    assert error.exit_code == 3
    assert not out.exists()


def test_a_lock_file_of_someone_else_names_no_place_of_this_network(
    server: FaultyHttp, lock: LockFile, how: Fetching, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    """Nobody typed its locations here: what is on this machine and near it is not asked for."""
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path / "of-another-person"))
    outside = changed(lock, "plain", location=str(tmp_path / "work" / "plain"))
    for name in ("small", "folder", "plain"):
        assert isinstance(error_of(outside, how, name), LocationError)
    assert not server.requests


# --- a cache that cannot be written


@pytest.fixture
def nowhere(how: Fetching, tmp_path: Path) -> Fetching:
    """As on a machine without a home."""
    (tmp_path / "file").write_bytes(b"")
    return replace(how, cache=Cache(tmp_path / "file" / "cache"))


def test_without_a_cache_there_is_no_place_to_keep_a_field(
    lock: LockFile, nowhere: Fetching
) -> None:
    for name in ALL:
        error = error_of(lock, nowhere, name)
        assert isinstance(error, SourceUnavailable)
        assert "cannot be written" in error.message
        assert error.hint is not None
        assert "MEMORYFIELD_CACHE_DIR" in error.hint


def _place(how: Fetching, sha256: str) -> Path:
    return how.cache.path / "v1/objects" / sha256[:2] / sha256[2:]


@pytest.mark.parametrize("name", ["small", "folder", "packed"])
def test_a_folder_in_the_place_of_an_object_is_told(
    server: FaultyHttp, lock: LockFile, how: Fetching, name: str
) -> None:
    """What was not kept was not fetched, and it comes once it is out of the way."""
    locked = lock.field(name)
    in_the_way = _place(how, _hash_of_one(locked))
    in_the_way.mkdir(parents=True)
    (in_the_way / "mine").write_bytes(b"mine")
    for _ in range(2):
        error = error_of(lock, how, name)
        assert isinstance(error, SourceUnavailable)
        assert str(in_the_way) in error.message
        assert "cache verify --remove" in error.message
    (in_the_way / "mine").unlink()
    (damaged,) = how.cache.verify(unwatched)
    assert how.cache.discard(damaged)
    assert fetch(lock, how, name)[name].error is None


def _hash_of_one(locked: LockedField) -> str:
    if locked.archive_pin is not None:
        return locked.archive_pin.sha256
    return next(iter(locked.manifest.hashes.values()))


def test_a_full_disk_of_the_cache_is_none_of_the_folder(
    lock: LockFile, how: Fetching, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All goes to the folder, by way of temporary files, and the cache is left as it was."""

    def full(file: BinaryIO, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def no_room(draft: Draft, piece: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(partial, "_write_all", full)
    monkeypatch.setattr(Draft, "write", no_room)
    out = tmp_path / "out"
    found = fetch(lock, replace(how, out=out))
    assert {name: each.error for name, each in found.items()} == dict.fromkeys(ALL)
    assert tree(out) == EXPECTED
    assert not list((how.cache.path / "v1/partial").iterdir())
    assert any("cannot be written" in note for note in how.cache.notes)


def test_without_a_cache_fields_can_be_written_to_a_folder(
    lock: LockFile, nowhere: Fetching, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    found = fetch(lock, replace(nowhere, out=out))
    assert {name: each.error for name, each in found.items()} == dict.fromkeys(ALL)
    assert tree(out) == EXPECTED


def test_a_lock_file_survives_what_it_is_read_from(lock: LockFile) -> None:
    """What these tests change of a lock file is all that they change."""
    assert parse_lock(render_lock(lock).encode(), lock.path) == lock


def test_what_cannot_be_kept_is_not_tried_file_by_file(tmp_path: Path) -> None:
    """A cache that cannot be written is told of once, and takes no further time."""
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).write_bytes(name.encode())

    class Full(Cache):
        tried = 0

        def put(self, pieces: Iterable[bytes]) -> None:
            self.tried += 1

    cache = Full(tmp_path / "cache")
    with open_field(tmp_path) as field:
        keep(field, cache)
    assert cache.tried == 1
