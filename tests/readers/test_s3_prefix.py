"""Objects below a prefix of a bucket: one listing, then whole objects, each as it was listed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from tests.readers.servers.s3_gate import Asked, Given
from tests.readers.servers.s3_world import S3World, s3_world

from memoryfield_readers import (
    AccessDenied,
    LimitExceeded,
    NotFound,
    SourceChanged,
    SourceUnavailable,
)
from memoryfield_readers.entry import Entry, EntryKind
from memoryfield_readers.limits import Limits
from memoryfield_readers.sources.s3 import S3Prefix
from memoryfield_readers.transfer.sink import MemorySink


@pytest.fixture
def s3() -> Iterator[S3World]:
    with s3_world() as world:
        yield world


def paths_of(store: S3Prefix) -> list[str]:
    return sorted(entry.path for entry in store.listing())


def only(store: S3Prefix) -> Entry:
    (entry,) = store.listing()
    return entry


def saved(store: S3Prefix, entry: Entry) -> bytes:
    sink = MemorySink(1 << 26)
    told = store.save(entry, sink)
    assert told.size == len(sink.data)
    return sink.data


def test_all_pages_of_a_listing_come_with_sizes_and_times(s3: S3World) -> None:
    """A listing is read to its end; what it tells of each object is in the entry."""
    bucket = s3.server.bucket()
    for name in ("a.md", "b.md", "c.md", "sub/d.md", "é &+%.md"):
        s3.server.put(bucket, f"notes/{name}", name.encode())
    s3.server.put(bucket, "notes-other/x.md", b"of another prefix")
    s3.gate.page_keys = 2
    entries = {entry.path: entry for entry in s3.prefix(bucket, "notes/").listing()}
    assert sorted(entries) == ["a.md", "b.md", "c.md", "sub/d.md", "é &+%.md"]
    assert len(s3.gate.asked) == 3
    for path, entry in entries.items():
        assert entry.kind is EntryKind.FILE
        assert entry.size == len(path.encode())
        assert entry.modified is not None
        assert abs(entry.modified - datetime.now(UTC)).days < 1


def test_what_is_read_is_the_object_and_nothing_is_asked_twice(s3: S3World) -> None:
    """One request lists, one request a file reads; there is none besides."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "f/a.md", b"# A\r\n\xff")
    s3.server.put(bucket, "f/empty.md", b"")
    s3.server.put(bucket, "f/sub/é &+%.bin", bytes(range(256)) * 3000)
    store = s3.prefix(bucket, "f/")
    contents = {entry.path: saved(store, entry) for entry in store.listing()}
    assert contents == {
        "a.md": b"# A\r\n\xff",
        "empty.md": b"",
        "sub/é &+%.bin": bytes(range(256)) * 3000,
    }
    assert [asked.key for asked in s3.gate.asked] == [
        "", "f/a.md", "f/empty.md", "f/sub/é &+%.bin",
    ]  # fmt: skip


def test_listings_are_fresh(s3: S3World) -> None:
    """No listing is remembered: neither by a store nor between two of them."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "old.md", b"old")
    first, second = s3.prefix(bucket), s3.prefix(bucket)
    assert paths_of(first) == ["old.md"]
    s3.server.delete(bucket, "old.md")
    s3.server.put(bucket, "new.md", b"new")
    assert paths_of(first) == ["new.md"]
    assert paths_of(second) == ["new.md"]


def test_an_object_replaced_after_the_listing_is_never_cut(s3: S3World) -> None:
    """Another object than was listed is an error, whatever its size; listed anew, it is whole."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "a.md", b"1234")
    store = s3.prefix(bucket)
    for content in (b"longer than it was", b"x", b"y"):
        entry = only(store)
        s3.server.put(bucket, "a.md", content)
        with pytest.raises(SourceChanged) as caught:
            saved(store, entry)
        assert (caught.value.location, caught.value.entry) == (f"s3://{bucket}/", "a.md")
        assert saved(store, only(store)) == content


def test_a_store_without_conditions_is_found_out(s3: S3World) -> None:
    """Where `If-Match` is ignored, the mark of the answer tells that the object is another one."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "a.md", b"1234")
    store = s3.prefix(bucket)
    entry = only(store)
    headers = {"ETag": '"another"'}
    s3.gate.fail(Given(200, headers, b"other bytes"))
    with pytest.raises(SourceChanged):
        saved(store, entry)


def test_an_object_deleted_after_the_listing_is_not_found(s3: S3World) -> None:
    """Only what is gone is not found."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "a.md", b"1234")
    store = s3.prefix(bucket)
    entry = only(store)
    s3.server.delete(bucket, "a.md")
    with pytest.raises(NotFound) as caught:
        saved(store, entry)
    assert caught.value.entry == "a.md"


def test_an_object_larger_than_the_sink_takes_is_refused(s3: S3World) -> None:
    """The transfer ends where the limit is; the store can be used on."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "a.md", bytes(1_000_000))
    store = s3.prefix(bucket)
    entry = only(store)
    with pytest.raises(LimitExceeded):
        store.save(entry, MemorySink(1000))
    assert saved(store, entry) == bytes(1_000_000)


def test_marks_of_folders_and_keys_that_are_no_paths(s3: S3World) -> None:
    """A mark is nothing; a key that leaves the root is left out, and said so."""
    bucket = s3.server.bucket()
    for key in ("f/", "f/sub/", "f/ok.md", "f//abs.md", "f/../up.md", "f/a/./b.md", "f/w\\x.md"):
        s3.server.put(bucket, key, b"x")
    store = s3.prefix(bucket, "f/")
    assert paths_of(store) == ["ok.md"]
    (note,) = store.notes
    assert note.startswith("4 objects are left out")
    with pytest.raises(NotFound):
        s3.prefix(bucket, "f/ok.md/").listing()


def test_where_nothing_is_and_where_nothing_is_yet(s3: S3World) -> None:
    """A prefix without keys is not there; a bucket without keys, and a mark alone, are empty."""
    bucket = s3.server.bucket()
    assert s3.prefix(bucket).listing() == []
    with pytest.raises(NotFound, match="no object below"):
        s3.prefix(bucket, "f/").listing()
    s3.server.put(bucket, "f/", b"")
    assert s3.prefix(bucket, "f/").listing() == []
    with pytest.raises(NotFound, match="no such bucket"):
        s3.prefix("nobody-has-this").listing()


def test_too_many_objects(s3: S3World) -> None:
    """Marks and keys that are no paths count as well; the rest of the listing is not asked for."""
    bucket = s3.server.bucket()
    for key in ("a.md", "b/", "c//d.md", "e.md"):
        s3.server.put(bucket, key, b"")
    s3.gate.page_keys = 1
    with pytest.raises(LimitExceeded) as caught:
        s3.prefix(bucket, limits=Limits(entries=2)).listing()
    assert caught.value.location == f"s3://{bucket}/"
    assert caught.value.hint is not None
    assert "entries" in caught.value.hint
    assert len(s3.gate.asked) == 3
    assert len(s3.prefix(bucket, limits=Limits(entries=4)).listing()) == 2


def test_a_listing_without_end(s3: S3World) -> None:
    """A store that always has another page, with nothing on it, is left after a while."""
    s3.patch.setattr("memoryfield_readers.s3.listing._MOST_EMPTY_PAGES", 5)

    def another(_: Asked, __: Given) -> Given:
        token = f"<NextContinuationToken>{len(s3.gate.asked)}</NextContinuationToken>"
        text = f"<ListBucketResult><IsTruncated>true</IsTruncated>{token}</ListBucketResult>"
        return Given(200, {}, text.encode())

    s3.gate.rules.append(another)
    with pytest.raises(SourceUnavailable, match="does not come to an end"):
        s3.prefix("any-bucket").listing()


def test_an_answer_without_end(s3: S3World) -> None:
    """What is no object is read up to a bound: a page of the listing, and an error."""
    s3.patch.setattr("memoryfield_readers.s3.straight._MOST_BYTES", 2000)
    bucket = s3.server.bucket()
    s3.server.put(bucket, "a.md", bytes(5000))
    store = s3.prefix(bucket)
    (entry,) = store.listing()
    assert store.save(entry, MemorySink(5000)).size == 5000
    body = b"<ListBucketResult><Name>x</Name>" + b" " * 5000 + b"</ListBucketResult>"
    s3.gate.fail(Given(200, {}, body))
    with pytest.raises(SourceUnavailable):
        store.listing()
    s3.gate.fail(Given(403, {}, body))
    with pytest.raises(AccessDenied):
        store.listing()


def test_keys_that_were_not_asked_for(s3: S3World) -> None:
    """A store that lists another prefix is not taken to have its files below this one."""
    body = b"<ListBucketResult><Contents><Key>other/a.md</Key></Contents></ListBucketResult>"
    s3.gate.fail(Given(200, {}, body))
    store = s3.prefix("any-bucket", "field/")
    assert list(store.listing()) == []
    assert store.notes == ("1 object is left out whose key is no path, such as `other/a.md`",)


def test_listings_that_make_no_sense(s3: S3World) -> None:
    """An answer that cannot be parsed is an error of the source, not of the program."""
    store = s3.prefix("any-bucket")
    for wrong in (
        "<Size>many</Size></Contents></ListBucketResult>",
        "<LastModified>yesterday</LastModified></Contents></ListBucketResult>",
        "<Size>1</Size></Oops>",
        "",
    ):
        body = f"<ListBucketResult><Contents><Key>a</Key>{wrong}"
        s3.gate.fail(Given(200, {}, body.encode()))
        with pytest.raises(SourceUnavailable):
            store.listing()


def test_an_etag_is_no_hash_of_the_content(s3: S3World) -> None:
    """An object that was written in parts is read as any other."""
    bucket = s3.server.bucket()
    parts = (bytes(5 * 1024 * 1024), b"the rest")
    put = s3.server.put_in_parts(bucket, "a.bin", *parts)
    assert put.etag.strip('"').endswith("-2")
    store = s3.prefix(bucket)
    content = saved(store, only(store))
    assert hashlib.sha256(content).digest() == hashlib.sha256(b"".join(parts)).digest()


def test_a_body_that_is_cut_comes_again_or_is_an_error(s3: S3World) -> None:
    """A connection that breaks off never makes a short file."""
    bucket = s3.server.bucket()
    etag = s3.server.put(bucket, "a.md", b"1234567890").etag

    def cut(asked: Asked, given: Given) -> Given | None:
        return None if asked.lists else Given(200, {"ETag": etag}, b"12345", length=10)

    s3.gate.rules.append(cut)
    store = s3.prefix(bucket)
    with pytest.raises(SourceUnavailable, match="broke off") as caught:
        saved(store, only(store))
    assert caught.type is SourceUnavailable
    s3.gate.rules.clear()
    s3.gate.fail(Given(200, {"ETag": etag}, b"12345", length=10), key="a.md")
    again = s3.prefix(bucket, retries=1)
    assert saved(again, only(again)) == b"1234567890"


def test_names_that_are_known_need_no_listing(s3: S3World) -> None:
    """With names, the bucket is not listed; size and time come with what is read or asked about."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "f/a.md", b"four")
    s3.server.put(bucket, "f/b.md", b"fives")
    s3.gate.unlisted.add(bucket)
    store = s3.prefix(bucket, "f/", names=["a.md", "b.md", "../up.md"])
    first, second = store.listing()
    assert s3.gate.asked == []
    assert len(store.notes) == 1
    assert (first.path, first.size, first.modified_ns) == ("a.md", 0, None)
    sink = MemorySink(10)
    told = store.save(first, sink)
    assert (sink.data, told.size) == (b"four", 4)
    assert told.modified is not None
    asked_about = store.dated(second)
    assert asked_about.size == 5
    assert asked_about.modified is not None
    assert [asked.method for asked in s3.gate.asked] == ["GET", "HEAD"]
    assert store.dated(asked_about) == asked_about
    assert len(s3.gate.asked) == 2
    with pytest.raises(LimitExceeded):
        s3.prefix(bucket, names=["a.md", "b.md"], limits=Limits(entries=1)).listing()
