"""An archive comes into the cache whole and proved, whatever breaks off or changes."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import BinaryIO

import pytest
from tests.readers import archive_to_fetch
from tests.readers.archive_to_fetch import (
    BODY,
    HALF,
    LOCATION,
    LOST_BYTES,
    OTHER,
    PATH,
    PIN,
    SMALL,
    fetch,
    is_kept,
    objects,
    pin_of,
    sent,
    unfinished,
)
from tests.readers.servers.faults import breaks_off_halfway, cut, login_page, with_headers
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import ETAG_OF_BYTES, Reply, Request, Served, answer

from memoryfield_readers import LimitExceeded, Limits, NotFound, PinMismatch, SourceUnavailable
from memoryfield_readers.cache import Cache
from memoryfield_readers.transfer import partial as partial_module
from memoryfield_readers.transfer.partial import JOURNAL_SUFFIX
from memoryfield_readers.transfer.ranged_file import NOTED_BYTES, TAIL_BYTES

server, cache = archive_to_fetch.server, archive_to_fetch.cache


def _break_off(server: FaultyHttp, cache: Cache, after: int = HALF) -> int:
    """Fetch until the connection breaks; how many requests that took."""
    server.fail(PATH, cut(after), after=1)  # the first one is for the end
    with pytest.raises(SourceUnavailable):
        fetch(server, cache)
    assert not cache.has(PIN.sha256)
    return len(server.asked())


@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "no-ranges"])
@pytest.mark.parametrize("body", [BODY, SMALL], ids=["large", "small"])
def test_an_archive_comes_once(server: FaultyHttp, cache: Cache, body: bytes, ranges: bool) -> None:
    """It is read-only, under the name of what it is, and nobody is asked for it again."""
    server.files[PATH] = Served(body, ranges=ranges)
    assert fetch(server, cache, pin_of(body))
    assert is_kept(cache, body)
    assert objects(cache)[0].stat().st_mode & 0o777 == 0o444
    asked, so_far = len(server.asked()), sent(server)
    assert so_far <= len(body) + TAIL_BYTES
    assert fetch(server, cache, pin_of(body))
    assert len(server.asked()) == asked


def test_what_broke_off_goes_on_where_it_was(server: FaultyHttp, cache: Cache) -> None:
    """The next time, only what is missing is asked for, and the end once more."""
    asked = _break_off(server, cache)
    assert unfinished(cache) == [PIN.sha256, PIN.sha256 + JOURNAL_SUFFIX]
    assert fetch(server, cache)
    assert is_kept(cache, BODY)
    assert sent(server, asked) <= len(BODY) - HALF + LOST_BYTES


def test_it_may_break_off_again_and_again(server: FaultyHttp, cache: Cache) -> None:
    """Each time brings it further, so that a bad line is no reason never to get it."""
    step = 2 * LOST_BYTES
    tries = 0
    while not cache.has(PIN.sha256):
        tries += 1
        server.mend()
        server.fail(PATH, cut(step), after=1)
        try:
            fetch(server, cache)
        except SourceUnavailable:
            assert tries <= len(BODY) // LOST_BYTES
    assert tries > 2
    assert is_kept(cache, BODY)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits between two tries."""
    monkeypatch.setattr("memoryfield_readers.http.client.time.sleep", lambda seconds: None)


@pytest.mark.usefixtures("hurried")
def test_within_a_run_it_goes_on_where_it_broke_off(server: FaultyHttp, cache: Cache) -> None:
    """A line that breaks in the middle of every answer costs no byte twice, and brings it all."""
    server.fail(PATH, breaks_off_halfway(2 * TAIL_BYTES), times=None)
    assert fetch(server, cache, retries=1)
    assert is_kept(cache, BODY)
    assert sent(server) <= len(BODY) + TAIL_BYTES
    starts = [request.headers["range"] for request in server.asked()]
    assert len(set(starts)) == len(starts) > 4


@pytest.mark.usefixtures("hurried")
def test_a_line_that_brings_next_to_nothing_is_given_up(server: FaultyHttp, cache: Cache) -> None:
    """A few bytes at a time are no progress: there would be no end of that."""
    server.fail(PATH, cut(1000), times=None, after=1)
    with pytest.raises(SourceUnavailable) as caught:
        fetch(server, cache, retries=3)
    assert len(server.asked()) == 1 + 1 + 3
    assert caught.value.hint is not None
    assert "`memoryfield fetch`, and it goes on" in caught.value.hint


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("versions", [True, False], ids=["versions", "no-versions"])
def test_what_changes_within_a_run_is_not_put_together(
    server: FaultyHttp, cache: Cache, versions: bool
) -> None:
    """The second half is of another archive of the same size: nothing of both is kept."""

    def changing(request: Request) -> Reply:
        body = BODY if len(server.asked()) < 3 else OTHER[: len(BODY)].ljust(len(BODY), b".")
        tag = ETAG_OF_BYTES if versions else None
        return answer(request, Served(body, etag=tag, modified=None))

    server.answers[PATH] = changing
    server.files.clear()
    server.fail(PATH, cut(HALF), after=1)
    with pytest.raises((SourceUnavailable, PinMismatch)):
        fetch(server, cache, retries=2)
    assert not objects(cache)


def test_a_full_disk_takes_nothing_with_it(
    server: FaultyHttp, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came until then is let go of, and whoever wants the archive gets it in another way."""

    def full(file: BinaryIO, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(partial_module, "_write_all", full)
    assert not fetch(server, cache)
    assert not unfinished(cache)
    assert any("cannot be written: no space left" in note.lower() for note in cache.notes)


def test_a_folder_in_its_place_is_told_before_anything_comes(
    server: FaultyHttp, cache: Cache
) -> None:
    folder = cache.path / "v1/objects" / PIN.sha256[:2] / PIN.sha256[2:]
    folder.mkdir(parents=True)
    assert not cache.has(PIN.sha256)
    assert not fetch(server, cache)
    assert not server.asked()
    (note,) = cache.notes
    assert str(folder) in note
    assert "cache verify --remove" in note


def test_without_ranges_it_begins_again(server: FaultyHttp, cache: Cache) -> None:
    """What is here of it is of no use then, and does no harm."""
    asked = _break_off(server, cache)
    server.files[PATH] = Served(BODY, ranges=False)
    assert fetch(server, cache)
    assert is_kept(cache, BODY)
    assert sent(server, asked) == len(BODY)


def test_what_never_had_ranges_leaves_nothing_to_go_on_from(
    server: FaultyHttp, cache: Cache
) -> None:
    server.files[PATH] = Served(BODY, ranges=False)
    server.fail(PATH, cut(HALF))
    with pytest.raises(SourceUnavailable):
        fetch(server, cache)
    server.files[PATH] = BODY
    asked = len(server.asked())
    assert fetch(server, cache)
    assert is_kept(cache, BODY)
    assert sent(server, asked) >= len(BODY)


# --- what changes, or is another one


def test_another_archive_is_refused(server: FaultyHttp, cache: Cache) -> None:
    """The error says what was expected and what came, and the cache stays as it was."""
    server.files[PATH] = OTHER
    with pytest.raises(PinMismatch) as caught:
        fetch(server, cache)
    assert caught.value.location == LOCATION
    assert caught.value.expected == str(PIN)
    assert caught.value.actual == str(pin_of(OTHER))
    assert caught.value.size == len(OTHER)
    assert caught.value.diagnosis
    assert not objects(cache)
    assert not unfinished(cache)


def test_what_changed_between_two_runs_is_noticed_and_asked_for_again(
    server: FaultyHttp, cache: Cache
) -> None:
    """Of a bad first half and a good second one comes the good archive, once it is there."""
    server.files[PATH] = OTHER
    server.fail(PATH, cut(HALF), after=1)
    with pytest.raises(SourceUnavailable):
        fetch(server, cache)
    server.files[PATH] = BODY
    assert fetch(server, cache)
    assert is_kept(cache, BODY)


def test_a_bad_second_half_is_refused_whatever_came_first(server: FaultyHttp, cache: Cache) -> None:
    _break_off(server, cache)
    server.files[PATH] = OTHER
    with pytest.raises(PinMismatch) as caught:
        fetch(server, cache)
    assert caught.value.actual == str(pin_of(OTHER))
    assert not objects(cache)
    assert not unfinished(cache)


@pytest.mark.parametrize("at", [0, HALF, len(BODY) - 1], ids=["first", "middle", "last"])
def test_one_byte_is_enough(server: FaultyHttp, cache: Cache, at: int) -> None:
    body = bytearray(BODY)
    body[at] ^= 1
    server.files[PATH] = bytes(body)
    with pytest.raises(PinMismatch):
        fetch(server, cache)
    assert not objects(cache)


def test_a_login_page_is_a_mismatch(server: FaultyHttp, cache: Cache) -> None:
    server.fail(PATH, login_page, times=None)
    with pytest.raises(PinMismatch, match="HTML"):
        fetch(server, cache)
    assert not objects(cache)


def test_nothing_is_a_mismatch(server: FaultyHttp, cache: Cache) -> None:
    """Its hash is well known, and tells nobody anything; the words do."""
    server.files[PATH] = b""
    with pytest.raises(PinMismatch, match="empty"):
        fetch(server, cache)


def test_what_is_not_there_leaves_nothing(server: FaultyHttp, cache: Cache) -> None:
    server.files.clear()
    with pytest.raises(NotFound):
        fetch(server, cache)
    assert not unfinished(cache)


def test_what_is_too_large_is_not_fetched(server: FaultyHttp, cache: Cache) -> None:
    limits = Limits(total_bytes=1000, directory_bytes=1000, entries=1)
    with pytest.raises(LimitExceeded):
        fetch(server, cache, limits=limits)
    assert sent(server) <= TAIL_BYTES
    assert not objects(cache)


# --- what else


def test_a_cache_that_cannot_be_written_is_said(server: FaultyHttp, tmp_path: Path) -> None:
    """Nobody is asked for anything: who wants the archive gets it in another way."""
    in_the_way = tmp_path / "file"
    in_the_way.write_bytes(b"")
    cache = Cache(in_the_way / "cache")
    assert not fetch(server, cache)
    assert any("cannot be written" in note for note in cache.notes)
    assert not server.asked()


@pytest.mark.parametrize("body", [BODY, SMALL], ids=["large", "small"])
def test_who_watches_is_told_that_it_came(server: FaultyHttp, cache: Cache, body: bytes) -> None:
    server.files[PATH] = body
    told: list[tuple[str, int, int]] = []
    fetch(server, cache, pin_of(body), watch=lambda *each: told.append(each))
    assert told[-1] == ("bytes", len(body), len(body))
    assert all(0 <= done <= total <= len(body) for _, done, total in told)
    assert len(told) >= len(body) // (2 * NOTED_BYTES)
    del told[:]
    fetch(server, cache, pin_of(body), watch=lambda *each: told.append(each))
    assert not told


def test_a_server_without_versions_is_proved_as_well(server: FaultyHttp, cache: Cache) -> None:
    server.fail(PATH, with_headers(ETag=None, Last_Modified=None), times=None)
    assert fetch(server, cache)
    assert is_kept(cache, BODY)
