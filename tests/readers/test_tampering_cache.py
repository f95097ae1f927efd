"""What stands in the cache is proved each time it is used; offline, nobody is asked."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from tests.readers.cache_objects import place as object_at
from tests.readers.cache_objects import plant
from tests.readers.locked_fields import AT, NAME, attempt, contents, lock_place
from tests.readers.places import PLACES, Place, packed, place

from memoryfield_readers import (
    DEFAULT_LIMITS,
    Field,
    InvalidPin,
    LimitExceeded,
    PinMismatch,
    SourceUnavailable,
    open_field,
)
from memoryfield_readers.cache import Cache
from memoryfield_readers.lock import read_lock
from memoryfield_readers.locked import locked_source
from memoryfield_readers.pins.whole_archive import FETCHED_AGAIN
from memoryfield_readers.transfer.progress import unwatched

FILES: dict[str, bytes] = {
    "a.md": b"a\n",
    "b.md": b"bb\n" * 4,
    "pan.png": bytes(range(200, 206)),
    "v.sqlite3": b"vectors",
}
ARCHIVE = packed(FILES)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _flips(data: bytes) -> Iterator[bytes]:
    for at in range(len(data)):
        yield data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]


def _ask_nobody(patch: pytest.MonkeyPatch) -> None:
    """Let every try to ask anybody fail the test."""

    def ask(*args: object, **named: object) -> NoReturn:
        raise AssertionError(f"somebody was asked: {args} {named}")

    patch.setattr(socket.socket, "connect", ask)
    patch.setattr(socket.socket, "connect_ex", ask)
    patch.setattr(socket, "getaddrinfo", ask)
    patch.setattr(subprocess, "Popen", ask)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """A cache that holds nothing yet."""
    return Cache(tmp_path / "cache")


def _filled(cache: Cache, at: Place, root: Path) -> Cache:
    """The cache, after all files of the locked field were put into it."""
    lock = read_lock(root / "memoryfields.lock")
    source = locked_source(
        lock,
        lock.field(NAME),
        limits=DEFAULT_LIMITS,
        storage_options=at.options,
        cache=cache,
        offline=False,
        watch=unwatched,
        whole=True,
        keep=True,
    )
    with Field(source, DEFAULT_LIMITS) as field:
        field.prepare_all()
        assert contents(field) == FILES
    return cache


class Kept:
    """A field that a server has, locked and fetched.

    Attributes:
        at: where it is.
        cache: what holds it.
    """

    def __init__(self, at: Place, cache: Cache) -> None:
        self.at = at
        self.cache = cache

    def open(self, *, offline: bool) -> Field:
        """The locked field."""
        options = self.at.options
        return open_field(AT, cache=self.cache, offline=offline, storage_options=options)


@pytest.fixture(scope="module", params=PLACES)
def fetched(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Kept]:
    """A place whose field is locked and in the cache."""
    root = tmp_path_factory.mktemp("fetched")
    (root / "place").mkdir()
    with (
        place(request.param, root / "place", FILES) as at,
        pytest.MonkeyPatch.context() as patch,
    ):
        lock_place(at, root, patch)
        yield Kept(at, _filled(Cache(root / "cache"), at, root))


def test_offline_after_it_was_fetched(fetched: Kept) -> None:
    """From every place: all of the field is there, and nobody is asked for anything."""
    with pytest.MonkeyPatch.context() as patch:
        _ask_nobody(patch)
        with fetched.open(offline=True) as field:
            assert contents(field) == FILES
            assert field.digest() == field.manifest().digest
            assert (field.archive_name is not None) is fetched.at.is_archive


def test_offline_without_a_cache(fetched: Kept) -> None:
    """What is elsewhere cannot be had, whether it is locked, pinned or neither; nobody is asked."""
    at = fetched.at
    is_here = "://" not in at.location
    with pytest.MonkeyPatch.context() as patch:
        _ask_nobody(patch)
        for location in (AT, at.location):
            found = attempt(
                lambda location=location: open_field(  # type: ignore[misc]
                    location, cache=None, offline=True, storage_options=at.options
                )
            )
            if is_here:
                assert found == FILES
            else:
                assert isinstance(found, SourceUnavailable), found
                assert "nothing may be fetched" in found.message
        if at.is_archive and not is_here:
            with pytest.raises(SourceUnavailable):
                at.open(pin=f"sha256:{_sha256(ARCHIVE)}", offline=True)
        elif not at.is_archive:
            with pytest.raises(InvalidPin):
                at.open(pin=f"sha256:{_sha256(ARCHIVE)}", offline=True)


@pytest.fixture
def kept(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cache: Cache,
) -> Iterator[Kept]:
    """A field at the place that a test names."""
    (tmp_path / "place").mkdir()
    with place(request.param, tmp_path / "place", FILES) as at:
        lock_place(at, tmp_path, monkeypatch)
        yield Kept(at, _filled(cache, at, tmp_path))


@pytest.mark.parametrize("kept", ["served", "memory"], indirect=True)
def test_each_byte_of_each_cached_file(kept: Kept) -> None:
    """Offline it is a mismatch that names it; online the right bytes come, and take its place."""
    for name, data in FILES.items():
        for bad in _flips(data):
            path = plant(kept.cache, bad, _sha256(data))
            error = attempt(lambda: kept.open(offline=True))
            assert isinstance(error, PinMismatch)
            assert (error.exit_code, error.entry) == (3, name)
            assert error.location == kept.at.location
            assert path.read_bytes() == bad
        with kept.open(offline=False) as field:
            assert contents(field) == FILES
            assert [note for note in field.notes if name in note and "damaged" in note]
        assert path.read_bytes() == data


@pytest.mark.parametrize("kept", ["archive-by-http", "memory-archive"], indirect=True)
def test_each_byte_of_a_cached_archive(kept: Kept) -> None:
    """Offline it is a mismatch, named by entry where that can be told; online it is healed."""
    named = set()
    for number, bad in enumerate(_flips(ARCHIVE)):
        path = plant(kept.cache, bad, _sha256(ARCHIVE))
        error = attempt(lambda: kept.open(offline=True))
        assert isinstance(error, PinMismatch)
        assert error.exit_code == 3
        assert error.location == kept.at.location
        named.add(error.entry)
        assert path.read_bytes() == bad
        if number % 40 == 0:
            with kept.open(offline=False) as field:
                assert contents(field) == FILES
                assert FETCHED_AGAIN in field.notes
            assert path.read_bytes() == ARCHIVE
    assert named >= {*FILES, None}


@pytest.mark.parametrize("kept", ["archive-by-http"], indirect=True)
def test_a_cached_archive_by_its_pin(kept: Kept) -> None:
    """Without a lock file the same holds: healed online, a mismatch offline."""
    pin = f"sha256:{_sha256(ARCHIVE)}"
    bad = bytes([*ARCHIVE[:-1], 1])
    path = plant(kept.cache, bad, _sha256(ARCHIVE))
    with pytest.raises(PinMismatch) as caught:
        kept.at.open(pin=pin, cache=kept.cache, offline=True)
    assert caught.value.location == kept.at.location
    with kept.at.open(pin=pin, cache=kept.cache) as field:
        assert contents(field) == FILES
        assert FETCHED_AGAIN in field.notes
    assert path.read_bytes() == ARCHIVE
    with pytest.MonkeyPatch.context() as patch:
        _ask_nobody(patch)
        with kept.at.open(pin=pin, cache=kept.cache, offline=True) as field:
            assert contents(field) == FILES


@pytest.mark.parametrize("kept", ["archive"], indirect=True)
def test_a_cached_archive_that_is_on_this_machine(kept: Kept) -> None:
    """It is read where it is, and what is damaged is thrown out of the cache."""
    assert kept.cache.put((ARCHIVE,)) == _sha256(ARCHIVE)
    path = plant(kept.cache, ARCHIVE[:-1], _sha256(ARCHIVE))
    for offline in (True, False):
        with kept.open(offline=offline) as field:
            assert contents(field) == FILES
        assert not path.exists()


@pytest.mark.parametrize("kept", ["archive-by-http", "served"], indirect=True)
def test_what_is_no_file_in_the_cache(kept: Kept) -> None:
    """A FIFO or a folder in its place holds nobody up, and is a mismatch."""
    data = ARCHIVE if kept.at.is_archive else FILES["a.md"]
    path = object_at(kept.cache, _sha256(data))
    for put in (os.mkfifo, os.mkdir):
        path.unlink(missing_ok=True)
        put(path)
        assert isinstance(attempt(lambda: kept.open(offline=True)), PinMismatch)
        assert attempt(lambda: kept.open(offline=False)) == FILES
        if path.is_dir():
            path.rmdir()


@pytest.mark.parametrize("kept", ["archive-by-http", "served"], indirect=True)
def test_a_wrong_byte_never_gets_into_the_cache(kept: Kept) -> None:
    """What came and is another is refused, and no object has a name that is not its hash."""
    kept.cache.clear()
    kept.at.put({**FILES, "a.md": b"Z\n"})
    ways = [lambda: kept.open(offline=False)]
    if kept.at.is_archive:
        ways.append(lambda: kept.at.open(pin=f"sha256:{_sha256(ARCHIVE)}", cache=kept.cache))
    for opened in ways:
        assert isinstance(attempt(opened), PinMismatch)
    objects = [p for p in (kept.cache.path / "v1" / "objects").rglob("*") if p.is_file()]
    for path in objects:
        assert _sha256(path.read_bytes()) == path.parent.name + path.name
    assert _sha256(b"Z\n") not in {path.parent.name + path.name for path in objects}


@pytest.mark.parametrize("kept", ["served"], indirect=True)
def test_a_cached_page_that_has_grown(kept: Kept) -> None:
    """Beyond all limits, even: it is fetched again, and its place is taken by the right one."""
    path = plant(kept.cache, bytes(DEFAULT_LIMITS.page_bytes + 1), _sha256(FILES["a.md"]))
    error = attempt(lambda: kept.open(offline=True))
    assert isinstance(error, LimitExceeded)
    assert (error.exit_code, error.entry) == (3, "a.md")
    with kept.open(offline=False) as field:
        assert field.page("a.md").raw == FILES["a.md"]
    assert path.read_bytes() == FILES["a.md"]
