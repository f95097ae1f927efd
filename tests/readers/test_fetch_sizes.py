"""What is locked has a size: nothing is fetched far beyond it, and one that is wrong is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.readers import archive_to_fetch, fields_to_fetch
from tests.readers.archive_to_fetch import (
    BODY,
    HALF,
    OTHER,
    PATH,
    PIN,
    SMALL,
    archive_of,
    fetch,
    is_kept,
    objects,
    pin_of,
    unfinished,
)
from tests.readers.fetching_fields import pages, serve
from tests.readers.fields_to_fetch import changed, error_of
from tests.readers.servers.faults import (
    LOGIN_PAGE,
    chunked,
    cut,
    cut_without_length,
    endless,
    silence_after,
)
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Served

from memoryfield_readers import DEFAULT_LIMITS, PinMismatch, SourceUnavailable, open_field
from memoryfield_readers.cache import Cache
from memoryfield_readers.fetching import Fetching
from memoryfield_readers.lock import LockFile, render_lock
from memoryfield_readers.lock.checking import check_fields
from memoryfield_readers.transfer.ranged_file import TAIL_BYTES

cache = archive_to_fetch.cache
lock, here, how = fields_to_fetch.lock, fields_to_fetch.here, fields_to_fetch.how
state = fields_to_fetch.state

_NO_END = 64 * 1024 * 1024
_ON_THE_WAY = 24 * 1024 * 1024
"""More than sockets hold of what nobody reads."""


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server with the archive, and with the fields of a lock file."""
    with FaultyHttp({PATH: BODY}) as running:
        kinds = {"small": fields_to_fetch.SMALL, "large": fields_to_fetch.LARGE}
        serve(running, kinds, "folder")
        yield running


def _refused(server: FaultyHttp, cache: Cache, body: bytes = BODY) -> PinMismatch:
    with pytest.raises(PinMismatch) as caught:
        fetch(server, cache, pin_of(body), size=len(body))
    assert not objects(cache)
    assert not unfinished(cache)
    return caught.value


@pytest.mark.parametrize("body", [BODY, SMALL], ids=["large", "small"])
def test_what_has_no_end_is_not_fetched_to_the_limit(
    server: FaultyHttp, cache: Cache, body: bytes
) -> None:
    """The archive, and then bytes without end: none of it is kept, and no limit is to be raised."""
    sent: list[int] = []
    server.files[PATH] = Served(body, ranges=False)
    server.fail(PATH, endless(_NO_END, sent), times=None)
    error = _refused(server, cache, body)
    assert f"longer than the archive that was locked ({len(body)} bytes)" in error.diagnosis
    assert "--limit" not in (error.hint or "")
    assert sum(sent) < _ON_THE_WAY


@pytest.mark.parametrize("other", [BODY + OTHER, BODY[:-1]], ids=["longer", "shorter"])
def test_another_size_that_is_announced_is_refused_before_the_body(
    server: FaultyHttp, cache: Cache, other: bytes
) -> None:
    """Who would wait for the body here would wait in vain."""
    server.files[PATH] = Served(other, ranges=False)
    server.fail(PATH, silence_after(0), times=None)
    error = _refused(server, cache)
    assert ("longer" in error.diagnosis) is (len(other) > len(BODY))
    assert str(len(BODY)) in error.diagnosis
    assert error.size == len(other)


def test_another_size_that_the_end_tells_is_refused_before_the_rest(
    server: FaultyHttp, cache: Cache
) -> None:
    server.files[PATH] = archive_of(4, kibibytes=4000)
    error = _refused(server, cache)
    assert "longer than the archive that was locked" in error.diagnosis
    assert [request.sent for request in server.asked()] == [TAIL_BYTES]


def test_what_of_it_was_here_stays_for_the_right_one(server: FaultyHttp, cache: Cache) -> None:
    """A server that has another one for a while costs nothing of what came before."""
    server.fail(PATH, cut(HALF), after=1)
    with pytest.raises(SourceUnavailable):
        fetch(server, cache, size=len(BODY))
    before = unfinished(cache)
    server.files[PATH] = archive_of(4, kibibytes=4000)
    with pytest.raises(PinMismatch):
        fetch(server, cache, size=len(BODY))
    assert unfinished(cache) == before != []
    server.files[PATH] = BODY
    assert fetch(server, cache, size=len(BODY))
    assert is_kept(cache, BODY)


def test_what_ends_too_soon_is_cut_off(server: FaultyHttp, cache: Cache) -> None:
    server.files[PATH] = Served(BODY, ranges=False)
    server.fail(PATH, cut_without_length(HALF), times=None)
    assert _refused(server, cache).diagnosis == f"it is cut off: {HALF} of {len(BODY)} bytes"


@pytest.mark.parametrize("way", ["announced", "in chunks"])
def test_a_long_login_page_is_told_as_one(server: FaultyHttp, cache: Cache, way: str) -> None:
    """That it is a page says more than that it has another size."""
    page = LOGIN_PAGE + b"<!-- more -->" * 20_000
    server.files[PATH] = Served(page, content_type="text/html", ranges=False)
    if way == "in chunks":
        server.fail(PATH, chunked, times=None)
    error = _refused(server, cache, SMALL)
    assert "HTML" in error.diagnosis


def test_the_right_size_changes_nothing(server: FaultyHttp, cache: Cache) -> None:
    assert fetch(server, cache, size=len(BODY))
    assert is_kept(cache, BODY)
    assert objects(cache)
    assert pin_of(BODY) == PIN


# --- numbers of a lock file that are wrong


_WRONG = {
    "fewer bytes": ("folder", "size", -1),
    "more bytes": ("folder", "size", 1),
    "fewer bytes here": ("plain", "size", -1),
    "fewer bytes in an archive": ("small", "size", -1),
    "more bytes in an archive": ("packed", "size", 1),
    "a shorter archive": ("small", "archive_size", -1),
    "a longer archive": ("small", "archive_size", 1),
    "a shorter archive here": ("packed", "archive_size", -1),
}


def _wrong(lock: LockFile, case: str) -> tuple[LockFile, str]:
    name, key, by = _WRONG[case]
    return changed(lock, name, **{key: getattr(lock.field(name), key) + by}), name


@pytest.mark.parametrize("case", _WRONG)
def test_a_lock_file_that_contradicts_itself_is_not_fetched_by(
    lock: LockFile, how: Fetching, case: str
) -> None:
    wrong, name = _wrong(lock, case)
    for _ in range(2):  # the second time, it may be in the cache
        error = error_of(wrong, how, name)
        assert isinstance(error, PinMismatch)
        assert "contradicts itself" in str(error) or "longer than all" in str(error)


def _read(name: str, cache: Cache) -> None:
    with open_field(f"@{name}", cache=cache) as field:
        for page in field.pages:
            field.sha256(page)


@pytest.mark.parametrize("case", _WRONG)
def test_nor_read_by(
    lock: LockFile, how: Fetching, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong, name = _wrong(lock, case)
    wrong.path.write_text(render_lock(wrong))
    monkeypatch.setenv("MEMORYFIELD_LOCK", str(wrong.path))
    assert [each for each in fields_to_fetch.fetch(lock, how).values() if each.error] == []
    with pytest.raises(PinMismatch, match=r"contradicts itself|longer than all"):
        _read(name, how.cache)


@pytest.mark.parametrize("case", _WRONG)
def test_nor_true(lock: LockFile, case: str) -> None:
    """The source is as it was locked, and the lock is wrong all the same."""
    wrong, name = _wrong(lock, case)
    (found,) = check_fields(wrong, [name], limits=DEFAULT_LIMITS, storage_options=None)
    assert not found.is_true
    assert found.error is None
    key = "archive_bytes" if "archive_size" in _WRONG[case] else "bytes"
    assert f"the lock file contradicts itself: `{key}` is " in str(found.difference)


def test_a_page_without_end_is_not_fetched_to_the_limit(
    lock: LockFile, how: Fetching, server: FaultyHttp
) -> None:
    """All pages together have so many bytes: one of them has no more."""
    sent: list[int] = []
    path = "/folder/page-3.md"
    assert path.rpartition("/")[2] in pages("folder")
    server.fail(path, endless(_NO_END, sent), times=None)
    error = error_of(lock, how, "folder")
    assert isinstance(error, PinMismatch)
    assert error.entry == "page-3.md"
    assert "longer than all that was locked" in error.diagnosis
    assert sum(sent) < _ON_THE_WAY
