"""An object that is written only if it is what it is thought to be, come what may."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator

import pytest
from tests.readers.servers.s3_gate import Asked, Given, refusal
from tests.readers.servers.s3_world import S3World, s3_world
from tests.writer.s3_places import KEY, content, remote, stored, writes

from memoryfield_readers import AccessDenied, LimitExceeded, NotFound, SourceUnavailable
from memoryfield_writer.targets.s3_object import MOST_BYTES

OLD, NEW, THEIRS = b"old bytes", b"new bytes, more of them", b"theirs!!"


@pytest.fixture
def s3() -> Iterator[S3World]:
    with s3_world() as world:
        yield world


@pytest.fixture
def bucket(s3: S3World) -> str:
    return s3.server.bucket()


def test_read_and_written(s3: S3World, bucket: str) -> None:
    """One request each; the content's type is told, and its MD5 for the store to compare."""
    s3.server.put(bucket, KEY, OLD)
    told: list[tuple[int, int]] = []
    with remote(s3, bucket) as object_:
        file = io.BytesIO()
        etag = object_.fetch(file, 100, lambda _, done, total: told.append((done, total)))
        assert file.getvalue() == OLD
        assert told[-1] == (len(OLD), len(OLD))
        assert object_.put(content(NEW), etag, {})
    assert stored(s3, bucket) == NEW
    get, put = s3.gate.asked
    assert (get.method, put.method) == ("GET", "PUT")
    assert put.headers["if-match"] == etag
    assert put.headers["content-type"] == "application/zip"
    assert put.headers["content-md5"] == content(NEW).md5


def test_what_is_too_large_is_not_taken(s3: S3World, bucket: str) -> None:
    s3.server.put(bucket, KEY, OLD)
    with remote(s3, bucket) as object_:
        with pytest.raises(LimitExceeded):
            object_.fetch(io.BytesIO(), len(OLD) - 1)
        with pytest.raises(LimitExceeded, match="S3 takes at most"):
            object_.put(content(NEW)._replace(size=MOST_BYTES + 1), "e", {})
    assert writes(s3) == 0


def test_another_version_is_not_written_over(s3: S3World, bucket: str) -> None:
    etag = s3.server.put(bucket, KEY, OLD).etag
    s3.server.put(bucket, KEY, THEIRS)
    with remote(s3, bucket) as object_:
        assert not object_.put(content(NEW), etag, {})
        assert not object_.put(content(NEW), None, {})
        s3.server.delete(bucket, KEY)
        assert not object_.put(content(NEW), etag, {})
        assert object_.look() is None
        assert object_.put(content(NEW), None, {})
    assert stored(s3, bucket) == NEW


@pytest.mark.parametrize("status", [409, 412])
def test_what_a_store_says_of_a_condition_that_does_not_hold(
    s3: S3World, bucket: str, status: int
) -> None:
    s3.gate.refuse_writes.append(lambda *_: refusal(status, "ConditionalRequestConflict"))
    with remote(s3, bucket) as object_:
        assert not object_.put(content(NEW), None, {})


@pytest.mark.parametrize("status", [409, 412])
def test_a_store_that_says_so_of_a_write_that_it_has_done(
    s3: S3World, bucket: str, status: int
) -> None:
    """The first try's answer was lost, and that try is what the second one runs into."""
    s3.gate.fail(refusal(status, "PreconditionFailed"))
    with remote(s3, bucket) as object_:
        assert object_.put(content(NEW), None, {})


def test_the_same_bytes_of_two_writers(s3: S3World, bucket: str) -> None:
    """Only one of them has written."""
    with remote(s3, bucket) as one, remote(s3, bucket) as other:
        assert one.put(content(NEW), None, {})
        assert not other.put(content(NEW), None, {})
        assert other.has(content(NEW))
        assert not other.has(content(OLD))


def test_a_store_that_knows_no_conditions(s3: S3World, bucket: str) -> None:
    """It says so, and nothing is written."""
    etag = s3.server.put(bucket, KEY, OLD).etag

    def unknown(asked: Asked, _: Given) -> Given | None:
        return refusal(501, "NotImplemented") if asked.method == "PUT" else None

    s3.gate.refuse_writes.append(unknown)
    with (
        remote(s3, bucket, retries=3) as object_,
        pytest.raises(SourceUnavailable, match="does not know conditional writes") as caught,
    ):
        object_.put(content(NEW), etag, {})
    assert caught.value.hint is not None
    assert "copy the archive" in caught.value.hint
    assert writes(s3) == 1
    assert stored(s3, bucket) == OLD


@pytest.mark.parametrize("taken", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("losses", [1, 2])
def test_a_connection_that_breaks(s3: S3World, bucket: str, taken: bool, losses: int) -> None:
    """The answer is lost before or after the store took the bytes; the write is done once."""
    etag = s3.server.put(bucket, KEY, OLD).etag
    s3.gate.losses = [taken] * losses
    with remote(s3, bucket, retries=4) as object_:
        assert object_.put(content(NEW), etag, {})
    assert stored(s3, bucket) == NEW
    assert writes(s3) == losses + 1


@pytest.mark.parametrize("taken", [False, True], ids=["before", "after"])
def test_an_answer_that_never_comes(s3: S3World, bucket: str, taken: bool) -> None:
    """With no try left, what is there tells whether it was written."""
    etag = s3.server.put(bucket, KEY, OLD).etag
    s3.gate.losses = [taken] * 2  # the library tries again by itself, once
    with remote(s3, bucket) as object_:
        if taken:
            assert object_.put(content(NEW), etag, {})
        else:
            with pytest.raises(SourceUnavailable) as caught:
                object_.put(content(NEW), etag, {})
            assert caught.value.hint == "it has not been written: try again"
    assert stored(s3, bucket) == (NEW if taken else OLD)


def test_nobody_knows_whether_it_was_written(s3: S3World, bucket: str) -> None:
    """The hint says so, if the store does not answer any more."""
    etag = s3.server.put(bucket, KEY, OLD).etag
    s3.gate.losses = [True, True]
    s3.gate.rules.append(
        lambda asked, _: refusal(503, "SlowDown") if asked.method == "HEAD" else None
    )
    with remote(s3, bucket) as object_, pytest.raises(SourceUnavailable) as caught:
        object_.put(content(NEW), etag, {})
    assert caught.value.hint == (
        "it may have been written all the same: look at it before you try again"
    )


@pytest.mark.parametrize("length", [len(NEW), len(NEW) - 1], ids=["same size", "other size"])
def test_another_writer_between_two_tries(s3: S3World, bucket: str, length: int) -> None:
    """The first try was lost, and somebody else has written since: it is a conflict."""
    etag = s3.server.put(bucket, KEY, OLD).etag
    s3.gate.losses = [False]
    put_by_others = threading.Event()

    def meanwhile(asked: Asked, _: Given) -> Given | None:
        if asked.method == "PUT" and not put_by_others.is_set():
            put_by_others.set()
            s3.server.put(bucket, KEY, b"!" * length)
        return None

    s3.gate.refuse_writes.append(meanwhile)
    with remote(s3, bucket, retries=2) as object_:
        assert not object_.put(content(NEW), etag, {})
    assert stored(s3, bucket) == b"!" * length


def test_a_store_that_is_busy(s3: S3World, bucket: str) -> None:
    """Its answers may lie: what it says it has not done may be done all the same."""
    etag = s3.server.put(bucket, KEY, OLD).etag
    left = [True]
    s3.gate.rules.append(
        lambda asked, _: (
            refusal(500, "InternalError") if asked.method == "PUT" and left and left.pop() else None
        )
    )
    with remote(s3, bucket, retries=2) as object_:
        assert object_.put(content(NEW), etag, {})
    assert stored(s3, bucket) == NEW


def test_who_may_not_write(s3: S3World, bucket: str) -> None:
    etag = s3.server.put(bucket, KEY, OLD).etag
    s3.gate.fail(refusal(403, "AccessDenied"))
    with remote(s3, bucket) as object_, pytest.raises(AccessDenied, match="may not be written"):
        object_.put(content(NEW), etag, {})


def test_there_is_no_bucket(s3: S3World) -> None:
    with remote(s3, "nowhere-at-all") as object_:
        with pytest.raises(NotFound):
            object_.fetch(io.BytesIO(), 100)
        with pytest.raises(NotFound, match="no such bucket"):
            object_.put(content(NEW), None, {})


def test_how_an_object_is_served_is_told(s3: S3World, bucket: str) -> None:
    s3.server.put(bucket, KEY, OLD)
    answer = {"ETag": '"e"', "Cache-Control": "no-cache", "x-amz-meta-owner": "somebody"}
    s3.gate.fail(Given(200, answer, b"", len(OLD)))
    with remote(s3, bucket) as object_:
        seen = object_.look()
    assert seen is not None
    assert (seen.size, seen.etag, seen.has_metadata) == (len(OLD), '"e"', True)
    assert seen.settings == {"CacheControl": "no-cache"}
