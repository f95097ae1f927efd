"""What answers where a store of S3 is looked for need not be one: then nothing is called absent."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest
from tests.readers.servers.s3_gate import Asked, Given, refusal
from tests.readers.servers.s3_world import S3World, s3_world

from memoryfield_readers import MemoryfieldError, NotFound, SourceChanged, SourceUnavailable
from memoryfield_readers.entry import Entry, EntryKind
from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.sources.remote import RemoteSource
from memoryfield_readers.transfer.sink import MemorySink

A_PAGE = Entry("a.md", EntryKind.FILE)
HTML = {"Content-Type": "text/html; charset=utf-8"}
NO_STORE = "what answers is no S3 store"
CIRCLE = "goes in a circle"


@pytest.fixture
def s3() -> Iterator[S3World]:
    with s3_world() as world:
        yield world


def failure(work: Callable[[], object]) -> MemoryfieldError:
    with pytest.raises(MemoryfieldError) as caught:
        work()
    return caught.value


def page_of_a_listing(*keys: str, token: str | None = None, more: bool = True) -> Given:
    """A page of a listing as S3 words it."""
    contents = "".join(f"<Contents><Key>{key}</Key><Size>1</Size></Contents>" for key in keys)
    next_one = "" if token is None else f"<NextContinuationToken>{token}</NextContinuationToken>"
    text = (
        f'<?xml version="1.0"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        f"<Name>b</Name><IsTruncated>{str(more).lower()}</IsTruncated>{contents}{next_one}"
        f"</ListBucketResult>"
    )
    return Given(200, {"Content-Type": "application/xml"}, text.encode())


def give(s3: S3World, *answers: Given) -> None:
    """These from now on, in turn, and the last of them for ever."""
    left = list(answers)
    s3.gate.asked.clear()
    s3.gate.rules[:] = [lambda _, __: left.pop(0) if len(left) > 1 else left[0]]


def test_a_listing_in_a_circle(s3: S3World) -> None:
    """A token, or a key, that comes a second time is an error at once, not asked for again."""
    same = page_of_a_listing("f/a.md", token="t")
    cases: tuple[tuple[tuple[Given, ...], int], ...] = (
        ((same,), 2),
        ((page_of_a_listing("f/a.md", token="1"), page_of_a_listing("f/b.md", token="1")), 2),
        ((page_of_a_listing("f/a.md", token="1"), page_of_a_listing("f/a.md", more=False)), 2),
        ((page_of_a_listing("f/a.md", "f/b.md", "f/a.md", more=False),), 1),
        ((page_of_a_listing("f/", token="1"), page_of_a_listing("f/", token="2")), 2),
        ((page_of_a_listing("f/../a", token="1"), page_of_a_listing("f/../a", token="2")), 2),
        ((page_of_a_listing(token="t"),), 2),
    )
    store = s3.prefix("bucket", "f/")
    for pages, requests in cases:
        give(s3, *pages)
        error = failure(store.listing)
        assert type(error) is SourceUnavailable, pages
        assert CIRCLE in error.message
        assert error.location == "s3://bucket/f/"
        assert len(s3.gate.asked) == requests
    # An empty page is none: S3 gives such where much was deleted.
    give(
        s3,
        page_of_a_listing("f/a.md", token="1"),
        page_of_a_listing(token="2"),
        page_of_a_listing("f/b.md", more=False),
    )
    assert [entry.path for entry in store.listing()] == ["a.md", "b.md"]


def test_a_listing_that_does_not_say_how_to_go_on(s3: S3World) -> None:
    """Where there is said to be more, a part of the listing is never taken for all of it."""
    give(s3, page_of_a_listing("f/a.md"))
    error = failure(s3.prefix("bucket", "f/").listing)
    assert type(error) is SourceUnavailable
    assert "there is more" in error.message


def test_another_server_is_no_store_without_objects(s3: S3World) -> None:
    """A login page, a web server, a proxy: neither absent, nor busy, nor of another region."""
    store = s3.prefix("bucket", "f/")
    known = s3.prefix("bucket", "f/", names=["a.md"])
    for given in (
        Given(200, HTML, b"<html>login</html>"),
        Given(200, HTML, b"<!doctype html><title>login</title>"),
        Given(200, {}, b"<html><Name>b</Name><IsTruncated>false</IsTruncated></html>"),
        Given(200, {}, b"{}"),
        Given(200, {}, b""),
        Given(200, {}, b"<ListBucketResultOfAnother/>"),
        Given(200, {}, b"<!-- " * 1000),
        Given(404, HTML, b"<html>nothing here</html>"),
        Given(404, {}, b""),
        Given(410, {}, b"gone"),
        Given(405, HTML, b"<html>no</html>"),
        Given(301, {"Location": "/bucket/"}, b""),
        Given(302, {"Location": "https://login.example/"}, b"<html>"),
    ):
        give(s3, given)
        works: list[Callable[[], object]] = [store.listing]
        if given.status != 200:  # any bytes may be those of an object
            works.append(lambda: known.save(A_PAGE, MemorySink(10_000)))
        for work in works:
            error = failure(work)
            assert type(error) is SourceUnavailable, given
            assert NO_STORE in error.message, given
            assert "endpoint_url" in (error.hint or "")
            assert error.location == "s3://bucket/f/"
        assert {asked.method for asked in s3.gate.asked} == {"GET"}  # no region is looked for


def test_a_page_of_a_web_server_is_no_object(s3: S3World) -> None:
    """An object has a mark of its version; a login page has none, and is never handed out."""
    store = s3.prefix("bucket", names=["a.md"])
    s3.gate.rules.append(lambda _, __: Given(200, HTML, b"<html>login</html>"))
    sink = MemorySink(100)
    error = failure(lambda: store.save(A_PAGE, sink))
    assert (type(error), error.entry, sink.data) == (SourceUnavailable, "a.md", b"")
    assert NO_STORE in error.message
    archive = failure(lambda: s3.object("bucket", "a.zip").tail(10, MemorySink(100)))
    assert NO_STORE in archive.message
    s3.gate.rules.insert(
        0, lambda _, __: Given(200, {**HTML, "ETag": '"1"'}, b"<html>a page</html>")
    )
    store.save(A_PAGE, sink)
    assert sink.data == b"<html>a page</html>"


def test_what_a_store_says_beside_the_body_counts(s3: S3World) -> None:
    """Where an answer has no body, the headers of S3 tell that it is one of its own."""
    store = s3.prefix("bucket", names=["a.md"])
    s3.gate.rules.append(lambda _, __: Given(404, {"x-amz-request-id": "1"}))
    assert type(failure(lambda: store.save(A_PAGE, MemorySink(1)))) is NotFound
    s3.gate.rules.insert(0, lambda _, __: Given(404, HTML, b"<html>"))
    assert NO_STORE in failure(lambda: store.dated(A_PAGE)).message
    s3.gate.rules.insert(0, lambda _, __: Given(404))
    assert type(failure(lambda: store.dated(A_PAGE))) is NotFound


def test_listings_of_other_stores(s3: S3World) -> None:
    """A mark of the order of bytes, blanks and no name space: all of it is a listing."""
    store = s3.prefix("bucket", "f/")
    for start in (b"\xef\xbb\xbf", b"\n  ", b'<?xml version="1.0"?>\n'):
        body = (
            start + b"<ListBucketResult><Contents><Key>f/a.md</Key></Contents></ListBucketResult>"
        )
        give(s3, Given(200, {}, body))
        assert [entry.path for entry in store.listing()] == ["a.md"]
    give(s3, refusal(200, "SlowDown"))
    assert "busy" in failure(store.listing).message


def test_a_plain_web_server_as_endpoint(s3: S3World, tmp_path: Path) -> None:
    """`python -m http.server`: whether it has such a folder or not, it is no store."""
    (tmp_path / "bucket").mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_port}"
            for bucket in ("bucket", "nobody"):
                store = s3.prefix(bucket, "f/", endpoint_url=url)
                error = failure(store.listing)
                assert type(error) is SourceUnavailable
                assert NO_STORE in error.message
                store.close()  # its connection is kept open, and keeps this server busy
        finally:
            server.shutdown()
            thread.join()


def test_fewer_bytes_than_listed_are_not_handed_out(s3: S3World) -> None:
    """The mark may be the same: the size that was listed is what has to come, or an error."""
    bucket = s3.server.bucket()
    etag = s3.server.put(bucket, "a.md", b"12345").etag
    s3.server.put(bucket, "empty.md", b"")
    contents = [b"123", b"1234567"]

    def other(asked: Asked, _: Given) -> Given | None:
        if asked.lists:
            return None
        return Given(200, {"ETag": etag}, contents[0] if asked.key == "a.md" else b"not empty")

    s3.gate.rules.append(other)
    while contents:
        store = s3.prefix(bucket)
        source = RemoteSource(store, location=f"s3://{bucket}/", name="f", limits=DEFAULT_LIMITS)
        for entry in source.root():
            error = failure(functools.partial(source.read, entry, 100))
            assert (type(error), error.entry) == (SourceChanged, entry.path)
        (entry, _) = store.listing()
        sink = MemorySink(100)
        assert type(failure(functools.partial(store.save, entry, sink))) is SourceChanged
        assert sink.data == b""
        source.close()
        contents.pop(0)
