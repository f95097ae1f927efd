"""The cache stays within its limit: what was not used for longest goes, what is foreign stays."""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import platformdirs
import pytest
from tests.readers.cache_objects import KINDS, Kind, directory, place

from memoryfield_readers import MemoryfieldError, UnknownLimit
from memoryfield_readers.cache import (
    Cache,
    Pruned,
    parse_size,
    process,
    pruning,
    scanning,
    size_text,
)

DAY = 24 * 60 * 60


def sha256_of(number: int) -> str:
    return hashlib.sha256(blob(number)).hexdigest()


def blob(number: int) -> bytes:
    """One of the objects, of 100 bytes."""
    return b"%0100d" % number


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """Ten objects that other processes have put, the first of which was used longest ago."""
    cache = Cache(tmp_path / "cache")
    for number in range(10):
        cache.put([blob(number)])
        os.utime(place(cache, sha256_of(number)), (1_700_000_000 + number,) * 2)
    monkeypatch.setattr(process, "_known", {})
    return Cache(cache.path)


def numbers(cache: Cache) -> list[int]:
    """Which of the objects are there."""
    return [number for number in range(100) if cache.has(sha256_of(number))]


def other_process(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """The same cache, in a process that has used nothing."""
    monkeypatch.setattr(process, "_known", {})
    return Cache(cache.path, most=cache.most)


def test_longest_unused_goes_first(cache: Cache) -> None:
    """As few go as must."""
    assert cache.prune(1000) == Pruned(left=1000)
    assert cache.prune(750) == Pruned(objects=3, bytes=300, left=700)
    assert numbers(cache) == [3, 4, 5, 6, 7, 8, 9]


@pytest.mark.parametrize("call", ["read", "copy"])
def test_use_is_remembered(call: str, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read stays longer than what was not, for other processes, too."""
    answer = getattr(cache, call)(sha256_of(0), 1000)
    if call == "copy":
        answer.close()
    assert other_process(cache, monkeypatch).prune(100).objects == 9
    assert numbers(cache) == [0]


def test_what_this_process_uses_stays(cache: Cache) -> None:
    """Whatever the limit, nothing is taken away from who works with it."""
    cache.read(sha256_of(3), 1000)
    cache.put([blob(50)])
    partial = cache.partial(sha256_of(51))
    assert partial is not None
    partial.write_bytes(blob(51))
    cache.adopt(partial)
    for number in (3, 50, 51):
        os.utime(place(cache, sha256_of(number)), (0, 0))
    other = Cache(cache.path)
    assert other.prune(1) == Pruned(objects=9, bytes=900, left=300)
    assert numbers(cache) == [3, 50, 51]


def test_used_just_now_stays(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another process uses between the look and the deed is not the oldest any more."""
    seen: list[object] = []

    def looked(root: Path) -> object:
        found = list(scanning.objects(root))
        seen.append(found)
        if len(seen) == 2:
            os.utime(place(cache, sha256_of(0)))
        return found

    monkeypatch.setattr(pruning, "objects", looked)
    assert cache.prune(800).objects == 2
    assert numbers(cache) == [0, 3, 4, 5, 6, 7, 8, 9]


def test_limit_is_kept_as_objects_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many processes put things, there is never more than may be."""
    cache = Cache(tmp_path, most=1000)
    for number in range(40):
        cache = other_process(cache, monkeypatch)
        cache.put([blob(number)])
        os.utime(place(cache, sha256_of(number)), (1_700_000_000 + number,) * 2)
        assert cache.info().bytes <= 1000
        assert cache.notes == ()
    assert numbers(cache)[-9:] == list(range(31, 40))


def test_room_is_made_for_more_than_one(cache: Cache) -> None:
    """Once there is too much, a tenth of what may be is freed, lest the next one prunes again."""
    cache.most = 1000
    cache.put([blob(50)])
    assert numbers(cache) == [2, 3, 4, 5, 6, 7, 8, 9, 50]


def test_limit_that_is_near_is_kept(cache: Cache) -> None:
    """The less room there is, the sooner the cache is looked through again."""
    cache.most = 1150
    cache.put([blob(50)])
    assert cache.info().bytes == 1100
    cache.put([blob(51)])
    assert cache.info().bytes == 1000
    assert numbers(cache)[-2:] == [50, 51]


def test_one_thread_looks_through() -> None:
    """While one does, the others go on putting."""
    known = process.OfThisProcess()
    assert known.grow(1)
    assert not known.grow(10**9)
    known.leave_room(5)
    assert known.grow(0)


def test_limit_is_passed_for_what_is_in_use(tmp_path: Path) -> None:
    """One process that needs more than may be gets it, and is told."""
    cache = Cache(tmp_path, most=250)
    for number in range(5):
        assert cache.put([blob(number)]) == sha256_of(number)
    assert numbers(cache) == [0, 1, 2, 3, 4]
    assert cache.notes == ("cache holds more than its limit of 250 bytes: what is in use stays",)


def test_object_larger_than_all_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It serves who has put it, and goes when the next one puts something."""
    cache = Cache(tmp_path, most=10)
    assert cache.put([blob(1)]) == sha256_of(1)
    assert cache.read(sha256_of(1), 100) == blob(1)
    other = other_process(cache, monkeypatch)
    other.put([b"small"])
    assert numbers(other) == []


def test_cache_is_seldom_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once an object: at the first, and when much has come."""
    prune = Mock(wraps=pruning.prune)
    monkeypatch.setattr(pruning, "prune", prune)
    cache = Cache(tmp_path, most=100_000)
    for number in range(100):
        cache.put([blob(number)])
    assert prune.call_count == 1
    for number in range(200):
        cache.put([blob(number)])
    assert prune.call_count == 3


def test_what_was_left_unfinished_goes(cache: Cache) -> None:
    """Downloads of a week ago and blobs of a day ago go, with all that belongs to them."""
    folder = cache.path / "v1" / "partial"
    hashes = [f"{number:064x}" for number in range(4)]
    ages = {
        hashes[0]: 8,
        hashes[0] + ".spans": 9,
        hashes[1]: 8,
        hashes[1] + ".spans": 6,  # somebody goes on with this one
        hashes[2]: 6,
        "put-" + "0" * 32 + ".tmp": 2,
        "put-" + "1" * 32 + ".tmp": 0.5,
        "mine.tmp": 1000,
    }
    for name, age in ages.items():
        (folder / name).write_bytes(b"0123456789")
        moment = time.time() - age * DAY
        os.utime(folder / name, (moment, moment))
    gone = {hashes[0], hashes[0] + ".spans", "put-" + "0" * 32 + ".tmp"}
    assert cache.prune(1000) == Pruned(unfinished=3, bytes=30, left=1000)
    assert {path.name for path in folder.iterdir()} == ages.keys() - gone
    assert cache.info().unfinished == 4
    assert cache.clear() == Pruned(objects=10, unfinished=4, bytes=1040)
    assert [path.name for path in folder.iterdir()] == ["mine.tmp"]


def test_what_others_are_writing_stays(cache: Cache) -> None:
    """An old file that is held by who writes it is neither pruned nor cleared away."""
    partial = cache.partial(sha256_of(50))
    assert partial is not None

    def pieces() -> Iterator[bytes]:
        yield blob(51)[:50]
        (draft,) = partial.parent.glob("put-*")
        os.utime(draft, (0, 0))
        with open(partial, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            os.utime(partial, (0, 0))
            assert cache.prune(1000).unfinished == cache.clear().unfinished == 0
        assert cache.prune(1000).unfinished == 1
        yield blob(51)[50:]

    assert cache.put(pieces()) == sha256_of(51)
    assert numbers(cache) == [51]


def test_foreign_files_stay(cache: Cache) -> None:
    """Nothing is removed that has no name which the cache gives, wherever it stands."""
    objects = cache.path / "v1" / "objects"
    mine = [
        cache.path / "mine",
        cache.path / "v2" / "objects" / "ab" / ("0" * 62),
        cache.path / "v1" / "mine",
        objects / "mine",
        objects / "AB" / ("0" * 62),
        objects / "ab" / "mine",
        objects / "ab" / ("A" * 62),
        objects / "ab" / ("0" * 62 + "~"),
        cache.path / "v1" / "partial" / "mine",
        cache.path / "v1" / "partial" / ("0" * 63),
        cache.path / "v1" / "partial" / ("0" * 64) / "mine",
    ]
    for path in mine:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"mine")
        os.utime(path, (0, 0))
    os.utime(mine[-1].parent, (0, 0))
    with cache.exclusive(sha256_of(0)):
        pass
    assert cache.info().others == 8
    cache.prune(1)
    assert cache.clear().left == 0
    kept = {path for path in cache.path.rglob("*") if path.is_file()}
    locks = set((cache.path / "v1" / "locks").iterdir())
    assert len(locks) == 1
    assert kept == {*mine, *locks, cache.path / "CACHEDIR.TAG"}
    assert {path.name for path in objects.iterdir()} == {"mine", "AB", "ab"}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_planted_is_cleared_and_not_followed(
    kind: Kind, cache: Cache, tmp_path: Path
) -> None:
    """Of a link, the link goes; a folder stays, and what is in the way of it is told."""
    path = place(cache, "ab" * 32)
    path.parent.mkdir(exist_ok=True)
    kind(path, tmp_path)
    outside = {each.name for each in tmp_path.iterdir()}
    pruned = cache.clear()
    assert (pruned.problem is not None) is (kind is directory)
    assert os.path.lexists(path) is (kind is directory)
    assert {each.name for each in tmp_path.iterdir()} == outside


def test_damage_is_thrown_out(cache: Cache) -> None:
    """What was found to be damaged can be removed, by its name."""
    path = place(cache, sha256_of(1))
    path.unlink()
    path.write_bytes(b"damaged")
    steps: list[tuple[str, int, int]] = []
    (damaged,) = cache.verify(lambda *step: steps.append(step))
    assert steps == [("files", done, 10) for done in range(1, 11)]
    assert cache.discard(damaged)
    assert cache.discard(damaged)
    assert cache.notes == (f"{path} was thrown out: it was not what its name says",)
    assert numbers(cache) == [0, 2, 3, 4, 5, 6, 7, 8, 9]
    path.mkdir()
    (path / "mine").write_bytes(b"mine")
    (damaged,) = cache.verify(lambda *step: None)
    assert not cache.discard(damaged)
    assert "move it away" in cache.notes[-1]
    (path / "mine").unlink()
    assert cache.discard(damaged)
    assert not path.exists()


def test_absent_cache_is_empty(tmp_path: Path) -> None:
    """Looking after a cache that is not there makes none."""
    cache = Cache(tmp_path / "cache", most=7)
    info = cache.info()
    assert (info.path, info.most, info.objects, info.bytes) == (cache.path, 7, 0, 0)
    assert cache.prune(1) == cache.clear() == Pruned()
    assert list(cache.verify(lambda *step: None)) == []
    assert not cache.path.exists()


def test_cache_that_is_a_file(tmp_path: Path) -> None:
    """What cannot be listed is an error of ours."""
    (tmp_path / "file").write_bytes(b"")
    cache = Cache(tmp_path / "file")
    for call in (cache.info, cache.clear, lambda: cache.prune(1)):
        with pytest.raises(MemoryfieldError, match="not a directory"):
            call()
    with pytest.raises(MemoryfieldError, match="not a directory"):
        next(cache.verify(lambda *step: None))


def test_place_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment names the folder and the size."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "named"))
    monkeypatch.setenv("MEMORYFIELD_CACHE_SIZE", "5GB")
    cache = Cache.default()
    assert (cache.path, cache.most, cache.problem) == (tmp_path / "named", 5_000_000_000, None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", "here")
    assert Cache.default().path == tmp_path / "here"


@pytest.mark.parametrize("size", ["0", "-1", "5 apples", "1e9", "ib", "0.1B", "１GB", "9" * 40])
def test_size_that_is_none(size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit that means nothing is refused, by the name of its variable."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_SIZE", size)
    with pytest.raises(UnknownLimit, match="MEMORYFIELD_CACHE_SIZE must be a size"):
        Cache.default()


@pytest.mark.skipif(os.name == "nt", reason="homes are found otherwise there")
def test_place_of_this_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a word it is where caches are, below the home, and holds 2 GiB."""
    for name in ("MEMORYFIELD_CACHE_DIR", "MEMORYFIELD_CACHE_SIZE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    cache = Cache.default()
    assert tmp_path in cache.path.parents
    assert (cache.most, cache.problem) == (2 * 1024**3, None)
    assert cache.put([b"data"]) is not None


@pytest.mark.parametrize("home", ["not there", "not known"])
def test_no_home(home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no home nothing is made: no home either, and no folder called `~`."""
    for name in ("MEMORYFIELD_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "none"))
    if home == "not known":
        unknown = Path("~/.cache/memoryfield")  # of a user that the system does not know
        monkeypatch.setattr(platformdirs, "user_cache_path", lambda *name, **settings: unknown)
    cache = Cache.default()
    assert cache.problem is not None
    assert (cache.put([b"data"]), cache.partial(sha256_of(0))) == (None, None)
    with cache.exclusive(sha256_of(0)):
        assert cache.read(sha256_of(0), 1) is None
    assert len(cache.notes) == 1
    assert "MEMORYFIELD_CACHE_DIR can name a folder" in cache.notes[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("1_000", 1000), ("1.5k", 1500), ("2 MB", 2_000_000), ("3GiB", 3 * 1024**3),
     ("1Ti", 1024**4), ("7b", 7), (" 5gb ", 5 * 10**9)],
)  # fmt: skip
def test_sizes_are_read(text: str, size: int) -> None:
    assert parse_size(text, "it") == size


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1536, "1.5 KiB"),
     (1024**2 - 1, "1.0 MiB"), (2 * 1024**3, "2.0 GiB"), (5000 * 1024**4, "5000.0 TiB")],
)  # fmt: skip
def test_sizes_are_written(size: int, text: str) -> None:
    assert size_text(size) == text
