"""An archive in a bucket: its end in one request, then ranges, all of one version."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.readers.servers.s3_gate import Asked, Given, refusal
from tests.readers.servers.s3_world import S3World, s3_world

from memoryfield_readers import LimitExceeded, NotFound, SourceChanged, SourceUnavailable
from memoryfield_readers.sources.s3 import S3Object
from memoryfield_readers.transfer.ranged import Tail
from memoryfield_readers.transfer.sink import MemorySink

CONTENT = bytes(range(256)) * 40


@pytest.fixture
def s3() -> Iterator[S3World]:
    with s3_world() as world:
        yield world


def tail(remote: S3Object, most: int = 100) -> Tail:
    """The tail, where there are ranges."""
    return remote.tail(most, MemorySink(0))


def taken(remote: S3Object, start: int, end: int) -> bytes:
    sink = MemorySink(end - start)
    remote.save(start, end, sink)
    return sink.data


def test_the_end_and_ranges(s3: S3World) -> None:
    """The tail is one request; each range is one; the whole of it is a range too."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "x.zip", CONTENT)
    remote = s3.object(bucket, "x.zip")
    assert tail(remote) == Tail(len(CONTENT), CONTENT[-100:])
    assert len(s3.gate.asked) == 1
    assert taken(remote, 5, 300) == CONTENT[5:300]
    assert taken(remote, 0, 1) == CONTENT[:1]
    assert taken(remote, 0, len(CONTENT)) == CONTENT
    assert [asked.headers.get("range") for asked in s3.gate.asked] == [
        "bytes=-100", "bytes=5-299", "bytes=0-0", None,
    ]  # fmt: skip
    assert remote.resolved is None
    assert tail(remote, 1 << 20) == Tail(len(CONTENT), CONTENT)


def test_an_empty_object(s3: S3World) -> None:
    """It has no range at all: AWS says so with an error, others give nothing."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "x.zip", b"")
    remote = s3.object(bucket, "x.zip")
    assert tail(remote) == Tail(0, b"", whole=True)
    s3.gate.fail(refusal(416, "InvalidRange"))
    assert tail(remote) == Tail(0, b"", whole=True)


def test_a_store_without_ranges_gives_all_once(s3: S3World) -> None:
    """What comes whole goes into the sink for that, whose bound holds."""
    s3.gate.rules.append(lambda _, __: Given(200, {"ETag": '"e"'}, CONTENT))
    remote = s3.object("bucket", "x.zip")
    sink = MemorySink(len(CONTENT))
    assert remote.tail(100, sink) == Tail(len(CONTENT), b"", whole=True)
    assert sink.data == CONTENT
    with pytest.raises(LimitExceeded):
        remote.tail(100, MemorySink(1000))


def test_other_ranges_than_were_asked_for(s3: S3World) -> None:
    """Ten bytes from elsewhere are not the last ten, nor those that were asked for later."""
    remote = s3.object("bucket", "x.zip")
    good = Given(206, {"ETag": '"e"', "Content-Range": "bytes 90-99/100"}, b"0123456789")
    for said in (
        "bytes 0-9/100", "bytes 80-89/100", "bytes 90-99/*", "bytes 90-95/100", "lines 1-2/3",
    ):  # fmt: skip
        wrong = Given(206, {"ETag": '"e"', "Content-Range": said}, b"0123456789")
        s3.gate.fail(wrong)
        with pytest.raises(SourceUnavailable, match="range"):
            tail(remote, 10)
        s3.gate.fail(good)
        assert tail(remote, 10).data == b"0123456789"
        s3.gate.fail(wrong)
        with pytest.raises(SourceUnavailable, match="range"):
            taken(remote, 20, 30)


def test_an_object_replaced_between_two_ranges(s3: S3World) -> None:
    """The ranges are of one object, or there is an error; also where conditions are ignored."""
    bucket = s3.server.bucket()
    first = s3.server.put(bucket, "x.zip", CONTENT)
    remote = s3.object(bucket, "x.zip")
    tail(remote)
    s3.server.put(bucket, "x.zip", CONTENT[::-1])
    with pytest.raises(SourceChanged) as caught:
        taken(remote, 5, 300)
    assert caught.value.location == f"s3://{bucket}/x.zip"
    assert s3.gate.asked[-1].headers["if-match"] == first.etag
    for etag, size in ((first.etag, len(CONTENT) + 1), ('"other"', len(CONTENT))):
        headers = {"ETag": etag, "Content-Range": f"bytes 5-9/{size}"}
        s3.gate.fail(Given(206, headers, b"12345"))
        with pytest.raises(SourceChanged):
            taken(remote, 5, 10)


def test_an_object_deleted_between_two_ranges(s3: S3World) -> None:
    """What is gone is not found."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "x.zip", CONTENT)
    remote = s3.object(bucket, "x.zip")
    tail(remote)
    s3.server.delete(bucket, "x.zip")
    with pytest.raises(NotFound):
        taken(remote, 5, 300)


def test_a_bucket_that_keeps_versions(s3: S3World) -> None:
    """The version is part of the resolved location; it can be read on, and read again later."""
    bucket = s3.server.bucket(versions=True)
    first = s3.server.put(bucket, "x.zip", CONTENT)
    remote = s3.object(bucket, "x.zip")
    tail(remote)
    assert remote.resolved == f"s3://{bucket}/x.zip?versionId={first.version}"
    second = s3.server.put(bucket, "x.zip", b"another archive")
    assert taken(remote, 5, 300) == CONTENT[5:300]
    s3.server.delete(bucket, "x.zip")
    assert taken(remote, 300, 500) == CONTENT[300:500]

    pinned = s3.object(bucket, "x.zip", version=first.version)
    assert tail(pinned) == Tail(len(CONTENT), CONTENT[-100:])
    assert taken(pinned, 5, 300) == CONTENT[5:300]
    assert tail(s3.object(bucket, "x.zip", version=second.version)).data == b"another archive"

    fresh = s3.object(bucket, "x.zip")
    s3.server.put(bucket, "x.zip", CONTENT)
    tail(fresh)
    s3.server.put(bucket, "x.zip", b"a third one")
    s3.gate.rules.append(_no_versions)  # as for those who may read only what is current
    with pytest.raises(SourceChanged):
        taken(fresh, 5, 300)


def _no_versions(asked: Asked, _: Given) -> Given | None:
    return refusal(403, "AccessDenied") if "versionId" in asked.query else None


def test_versions_that_are_not_there(s3: S3World) -> None:
    """A version that never was is not found."""
    bucket = s3.server.bucket(versions=True)
    first = s3.server.put(bucket, "x.zip", CONTENT)
    s3.server.delete(bucket, "x.zip", first.version)
    with pytest.raises(NotFound):
        tail(s3.object(bucket, "x.zip", version=first.version))
