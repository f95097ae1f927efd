"""What is found in the cache, planted, damaged or held by others, costs time and nothing else."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.readers import archive_to_fetch
from tests.readers.archive_to_fetch import (
    BODY,
    HALF,
    OTHER,
    PATH,
    PIN,
    SMALL,
    fetch,
    is_kept,
    objects,
    pin_of,
    sent,
)
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Served

from memoryfield_readers.cache import Cache
from memoryfield_readers.transfer import partial as partial_module
from memoryfield_readers.transfer.partial import JOURNAL_SUFFIX, PartialFile
from memoryfield_readers.transfer.ranged_file import TAIL_BYTES

server, cache = archive_to_fetch.server, archive_to_fetch.cache


def test_a_damaged_archive_in_the_cache_is_fetched_again(server: FaultyHttp, cache: Cache) -> None:
    assert fetch(server, cache)
    path = objects(cache)[0]
    path.chmod(0o600)
    path.write_bytes(BODY[:-1] + b"\0")
    assert fetch(server, cache)
    assert is_kept(cache, BODY)


def _plant(cache: Cache, content: bytes, journal: bytes) -> None:
    path = cache.partial(PIN.sha256)
    assert path is not None
    path.write_bytes(content)
    path.with_name(path.name + JOURNAL_SUFFIX).write_bytes(journal)


HEAD = b"memoryfield partial download 1\n%d\n"
SIZED = HEAD % len(BODY)
WHOLE = SIZED + b"0 %d\n" % len(BODY)


@pytest.mark.parametrize(
    ("content", "journal", "times"),
    [
        pytest.param(OTHER, WHOLE, 1, id="another-archive"),
        pytest.param(bytes(HALF) + BODY[HALF:], WHOLE, 2, id="a-hole-said-to-be-there"),
        pytest.param(BODY[:HALF], WHOLE, 1, id="shorter-than-said"),
        pytest.param(BODY[:HALF], SIZED + b"0 %d\n" % (HALF + 9), 1, id="a-bit-shorter"),
        pytest.param(BODY + b"more", WHOLE, 1, id="longer-than-the-archive"),
        pytest.param(b"", WHOLE, 1, id="nothing-said-to-be-all"),
        pytest.param(bytes(HALF), SIZED + b"0 %d\n" % HALF, 2, id="zeros"),
        pytest.param(BODY[:HALF], SIZED + b"0 %d" % HALF, 1, id="a-line-without-end"),
        pytest.param(bytes(HALF), SIZED + b"-1 5\n5 5\n9 3\n0 1e3\n\n\xff\n", 1, id="senseless"),
        pytest.param(bytes(HALF), HEAD % (len(BODY) + 1) + b"0 9\n", 1, id="of-another-size"),
        pytest.param(bytes(HALF), b"", 1, id="no-journal"),
        pytest.param(bytes(HALF), b"\0" * 4096, 1, id="no-such-journal"),
        pytest.param(bytes(HALF), SIZED + b"0 9\n" * 400_000, 1, id="an-endless-journal"),
    ],
)  # fmt: skip
def test_a_planted_download_costs_time_alone(
    server: FaultyHttp, cache: Cache, content: bytes, journal: bytes, times: int
) -> None:
    """The archive is the right one in the end; what makes no sense costs not even time."""
    _plant(cache, content, journal)
    assert fetch(server, cache)
    assert is_kept(cache, BODY)
    assert sent(server) <= times * (len(BODY) + TAIL_BYTES)


@pytest.mark.parametrize("body", [BODY, SMALL], ids=["no-ranges", "all-in-one-answer"])
def test_a_planted_download_is_of_no_use_where_all_comes_at_once(
    server: FaultyHttp, cache: Cache, body: bytes
) -> None:
    """Nothing of it is left behind the archive, however long it is."""
    server.files[PATH] = Served(body, ranges=body is SMALL)
    path = cache.partial(pin_of(body).sha256)
    assert path is not None
    path.write_bytes(bytes(2 * len(BODY)))
    path.with_name(path.name + JOURNAL_SUFFIX).write_bytes(WHOLE)
    assert fetch(server, cache, pin_of(body))
    assert is_kept(cache, body)


def test_what_a_planted_journal_says_rightly_is_used(server: FaultyHttp, cache: Cache) -> None:
    """As where the process ended between two lines: spans may touch, overlap, and repeat."""
    _plant(cache, BODY, SIZED + b"0 500000\n400000 700000\n700000 %d\n0 9\n" % HALF)
    assert fetch(server, cache)
    assert is_kept(cache, BODY)
    assert sent(server) <= len(BODY) - HALF + TAIL_BYTES


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs here")
@pytest.mark.parametrize("suffix", ["", JOURNAL_SUFFIX], ids=["file", "journal"])
@pytest.mark.parametrize("kind", ["link", "hard-link", "fifo"])
def test_nothing_is_written_through_what_was_planted(
    cache: Cache, tmp_path: Path, kind: str, suffix: str
) -> None:
    """A link to somebody's file in place of the download: that file stays what it is."""
    precious = tmp_path / "precious"
    precious.write_bytes(b"precious\n")
    path = cache.partial(PIN.sha256)
    assert path is not None
    planted = path.with_name(path.name + suffix)
    make: dict[str, Callable[[], None]] = {
        "link": lambda: planted.symlink_to(precious),
        "hard-link": lambda: planted.hardlink_to(precious),
        "fifo": lambda: os.mkfifo(planted),
    }
    make[kind]()
    partial = PartialFile.taken(path)
    assert partial is not None
    partial.write_at(0, BODY)
    partial.note((0, len(BODY)))
    partial.close()
    assert path.read_bytes() == BODY
    assert precious.read_bytes() == b"precious\n"


def test_a_folder_in_place_of_a_download_is_let_be(tmp_path: Path) -> None:
    assert PartialFile.taken(tmp_path) is None


# --- several at once


def test_who_cannot_have_the_download_makes_one_of_its_own(
    server: FaultyHttp, cache: Cache
) -> None:
    """Where another process holds it, and nobody waits any more: it is left alone."""
    path = cache.partial(PIN.sha256)
    assert path is not None
    held = PartialFile.taken(path)
    assert held is not None
    assert PartialFile.taken(path) is None
    held.write_at(0, b"in the making")
    assert fetch(server, cache)
    assert cache.read(PIN.sha256, len(BODY)) == BODY
    assert path.read_bytes() == b"in the making"
    held.close()


def test_who_held_a_download_cannot_change_what_it_became(cache: Cache) -> None:
    """A file that was moved away is not taken: it may be an object of the cache by now."""
    path = cache.partial(PIN.sha256)
    assert path is not None
    first = PartialFile.taken(path)
    assert first is not None
    first.write_at(0, BODY)
    assert cache.adopt(path) == PIN.sha256
    first.remove()
    first.close()
    assert cache.read(PIN.sha256, len(BODY)) == BODY
    second = PartialFile.taken(path)
    assert second is not None
    second.write_at(0, b"something else")
    second.close()
    assert cache.read(PIN.sha256, len(BODY)) == BODY


def test_a_download_that_is_moved_away_meanwhile_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening and holding it: what was opened is an object of the cache by now."""
    path = tmp_path / "download"
    path.write_bytes(BODY)
    held = partial_module._hold

    def moved_before(descriptor: int) -> None:
        if not (tmp_path / "object").exists():
            path.rename(tmp_path / "object")
        held(descriptor)

    monkeypatch.setattr(partial_module, "_hold", moved_before)
    taken = PartialFile.taken(path)
    assert taken is not None
    taken.write_at(0, b"something else")
    taken.close()
    assert (tmp_path / "object").read_bytes() == BODY
    assert path.read_bytes() == b"something else"


def test_threads_fetch_it_once(server: FaultyHttp, cache: Cache) -> None:
    done: list[bool] = []
    threads = [threading.Thread(target=lambda: done.append(fetch(server, cache))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [True] * 8
    assert sent(server) <= len(BODY) + TAIL_BYTES
    assert is_kept(cache, BODY)
