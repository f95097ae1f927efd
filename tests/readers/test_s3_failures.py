"""What S3 refuses is told apart: absent, forbidden, busy, elsewhere; without a word of its own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import pytest
from tests.readers.servers.s3_gate import Asked, Given, refusal
from tests.readers.servers.s3_world import KEYS, S3World, s3_world

from memoryfield_readers import (
    AccessDenied,
    LocationError,
    MemoryfieldError,
    NotFound,
    SourceChanged,
    SourceUnavailable,
)
from memoryfield_readers.entry import Entry, EntryKind
from memoryfield_readers.sources.s3 import S3Prefix
from memoryfield_readers.transfer.sink import MemorySink

A_PAGE = Entry("a.md", EntryKind.FILE)

REFUSALS: tuple[tuple[Given, type[MemoryfieldError], str], ...] = (
    (refusal(404, "NoSuchKey"), NotFound, "no such object"),
    (refusal(404, "NoSuchBucket"), NotFound, "no such bucket"),
    (refusal(410, "Gone"), NotFound, "no such object"),
    (refusal(403, "AccessDenied"), AccessDenied, "forbidden or missing"),
    (refusal(401, "Unauthorized"), AccessDenied, "forbidden or missing"),
    (refusal(403, "InvalidAccessKeyId"), AccessDenied, "not accepted"),
    (refusal(403, "SignatureDoesNotMatch"), AccessDenied, "not accepted"),
    (refusal(400, "ExpiredToken"), SourceUnavailable, "have expired"),
    (refusal(403, "RequestTimeTooSkewed"), SourceUnavailable, "clock"),
    (refusal(403, "InvalidObjectState"), SourceUnavailable, "archive of the store"),
    (refusal(412, "PreconditionFailed"), SourceChanged, "replaced"),
    (refusal(429, "TooManyRequests"), SourceUnavailable, "busy"),
    (refusal(500, "InternalError"), SourceUnavailable, "busy"),
    (refusal(503, "SlowDown"), SourceUnavailable, "busy"),
    (Given(503, {}, b"<html>Bad gateway"), SourceUnavailable, "busy"),
    (refusal(400, "InvalidRequest"), SourceUnavailable, "InvalidRequest"),
    (refusal(400, "Invalid\x1b[2Jsecret"), SourceUnavailable, "(400)"),
    (
        refusal(307, "TemporaryRedirect", Location="http://127.0.0.1:1/"),
        SourceUnavailable,
        "another region",
    ),
    (
        refusal(301, "PermanentRedirect", x_amz_bucket_region="eu-west-9"),
        SourceUnavailable,
        "another region, eu-west-9",
    ),
    (
        refusal(400, "AuthorizationHeaderMalformed", "<Region>eu-west-8</Region>"),
        SourceUnavailable,
        "another region, eu-west-8",
    ),
)


@pytest.fixture
def s3() -> Iterator[S3World]:
    with s3_world() as world:
        yield world


def page(store: S3Prefix) -> bytes:
    """The page that is known to be there, without a listing."""
    sink = MemorySink(1000)
    store.save(A_PAGE, sink)
    return sink.data


def failure(work: Callable[[], object]) -> MemoryfieldError:
    """The error of some work, all of whose text is ours."""
    with pytest.raises(MemoryfieldError) as caught:
        work()
    error = caught.value
    text = f"{error} {error.hint} {error.__cause__}"
    for secret in ("secret words", *KEYS.values(), "\x1b", "127.0.0.1"):
        assert secret not in text
    assert "\n" not in text
    assert error.__suppress_context__ or error.__context__ is None
    return error


def test_each_refusal_is_told_apart(s3: S3World) -> None:
    """Only what is absent is not found; no text of the server is repeated."""
    store = s3.prefix("bucket", names=["a.md"])
    for given, kind, text in REFUSALS:
        s3.gate.rules.clear()
        s3.gate.fail(given, times=10)
        error = failure(lambda: page(store))
        assert (type(error), error.entry) == (kind, "a.md"), given
        assert text in error.message, given
        assert error.location == "s3://bucket/"
        if "region, " in text:
            assert error.hint == f"say --option region={text[-9:]}"


HINTS: tuple[tuple[int, str, str], ...] = (
    (400, "ExpiredToken", "the session token has expired: log in again"),
    (400, "TokenRefreshRequired", "the session token has expired: log in again"),
    (400, "InvalidToken", "the session token does not fit the key: log in again"),
    (403, "RequestTimeTooSkewed", "the clock of this machine is wrong"),
    (403, "SignatureDoesNotMatch", "the secret key does not fit"),
    (403, "InvalidAccessKeyId", "the store does not know this access key"),
    (403, "AccessDenied", "--anon"),
    (403, "AllAccessDisabled", ""),
    (403, "AccountProblem", ""),
    (400, "AuthorizationQueryParametersError", ""),
)


def test_the_code_of_the_store_and_a_hint_that_fits(s3: S3World) -> None:
    """What stands in the way is named; `--anon` is spoken of where rights are what is missing."""
    store = s3.prefix("bucket")
    known = s3.prefix("bucket", names=["a.md"])
    for status, code, hint in HINTS:
        s3.gate.rules.clear()
        s3.gate.fail(refusal(status, code), times=2)
        for work in (store.listing, lambda: page(known)):
            error = failure(work)
            assert f"({code})" in error.message
            assert hint in (error.hint or "")
            assert ("--anon" in (error.hint or "")) is (hint == "--anon")
            assert bool(error.hint) is bool(hint)


def test_a_code_that_is_none_is_not_shown(s3: S3World) -> None:
    """A code is letters and digits, and short; in its place stands the status."""
    store = s3.prefix("bucket")
    for code in ("a.b", "a b", "x" * 65, "", "secret words"):
        s3.gate.fail(refusal(403, code))
        error = failure(store.listing)
        assert type(error) is AccessDenied
        assert "(403)" in error.message


def test_no_redirect_is_followed(s3: S3World) -> None:
    """Not to another host, nor on the same: botocore looks for the region, and that is all."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.setblocking(False)
        url = f"http://127.0.0.1:{other.getsockname()[1]}/bucket/a.md"
        elsewhere = refusal(307, "TemporaryRedirect", Location=url)
        s3.gate.rules.append(lambda _, __: elsewhere)
        store = s3.prefix("bucket", names=["a.md"], token="a-session-token")
        assert "another region" in failure(lambda: page(store)).message
        with pytest.raises(BlockingIOError):
            other.accept()
    assert [asked.method for asked in s3.gate.asked] == ["GET", "HEAD"]


def test_without_the_right_to_list_missing_looks_like_forbidden(s3: S3World) -> None:
    """The listing is denied with a hint; a missing key is "forbidden or missing"."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "a.md", b"# A")
    s3.gate.unlisted.add(bucket)
    store = s3.prefix(bucket, names=["a.md", "b.md"])
    assert page(store) == b"# A"
    missing = failure(lambda: store.save(Entry("b.md", EntryKind.FILE), MemorySink(10)))
    assert type(missing) is AccessDenied
    assert "forbidden or missing" in missing.message
    listing = failure(s3.prefix(bucket).listing)
    assert type(listing) is AccessDenied
    assert "may not be listed" in listing.message
    assert "s3:ListBucket" in (listing.hint or "")


def test_a_public_bucket_needs_the_option_and_works_with_it(s3: S3World) -> None:
    """Without credentials there is a hint that names the option, and nothing is tried silently."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "a.md", b"# A")
    s3.gate.public.add(bucket)
    nobody = s3.prefix(bucket, names=["a.md"], key=None, secret=None)
    error = failure(lambda: page(nobody))
    assert type(error) is AccessDenied
    assert "--anon" in (error.hint or "")
    assert s3.gate.asked == []
    anonymous = s3.prefix(bucket, anon=True)
    (entry,) = anonymous.listing()
    sink = MemorySink(10)
    anonymous.save(entry, sink)
    assert sink.data == b"# A"
    assert all("authorization" not in asked.headers for asked in s3.gate.asked)
    s3.gate.public.clear()
    denied = failure(anonymous.listing)
    assert type(denied) is AccessDenied
    assert "without --anon" in (denied.hint or "")


def test_the_requester_pays_only_if_told_so(s3: S3World) -> None:
    """The hint names the option; with it, each request says so."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "a.md", b"# A")
    s3.gate.payers.add(bucket)
    error = failure(s3.prefix(bucket).listing)
    assert type(error) is AccessDenied
    assert "requester_pays=true" in (error.hint or "")
    payer = s3.prefix(bucket, requester_pays="true")
    (entry,) = payer.listing()
    assert page(payer) == b"# A"
    assert payer.dated(Entry("a.md", EntryKind.FILE)).size == entry.size


def test_a_busy_store_is_asked_again(s3: S3World) -> None:
    """Busy, broken off or silent for a moment: as often as the options say, and no more."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "a.md", b"# A")
    store = s3.prefix(bucket, names=["a.md"], retries=2)
    s3.gate.fail(refusal(503, "SlowDown", Retry_After="0"))
    s3.gate.fail(Given(200, {}, b"#", length=3))
    assert page(store) == b"# A"
    assert len(s3.gate.asked) == 3
    s3.gate.fail(refusal(503, "SlowDown"), times=3)
    assert type(failure(lambda: page(store))) is SourceUnavailable
    assert len(s3.gate.asked) == 6
    s3.gate.fail(refusal(403, "AccessDenied"))
    failure(lambda: page(store))
    assert len(s3.gate.asked) == 7


def test_a_silent_store(s3: S3World) -> None:
    """A store that says nothing, or stops in the middle of a body, is left in time."""

    def silent(asked: Asked, _: Given) -> Given | None:
        s3.gate.hold.wait(30)
        return None

    s3.gate.rules.append(silent)
    store = s3.prefix("bucket", names=["a.md"], timeout=0.2)
    error = failure(lambda: page(store))
    assert type(error) is SourceUnavailable
    assert "took longer than 0.2 seconds" in error.message
    assert error.hint == "--timeout SECONDS gives it longer"
    assert "ReadTimeout" not in error.message


def test_a_body_that_drips(s3: S3World) -> None:
    """A deadline is for the whole transfer: one byte a while does not put it off."""
    stop = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            try:
                while not stop.wait(0.05):
                    connection.sendall(b"x")
            except OSError:
                pass  # the reader has gone

    thread = threading.Thread(target=drip)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        store = s3.prefix("bucket", names=["a.md"], timeout=0.5, endpoint_url=url)
        assert "took longer than 0.5 seconds" in failure(lambda: page(store)).message
    finally:
        stop.set()
        socket.create_connection(listener.getsockname()).close()  # if nobody has come so far
        thread.join()
        listener.close()


def test_nobody_is_there(s3: S3World) -> None:
    """An endpoint that cannot be reached is unavailable, and is not named."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        error = failure(s3.prefix("bucket", endpoint_url=url).listing)
    assert type(error) is SourceUnavailable
    assert "cannot be reached" in error.message


def test_names_that_no_bucket_has(s3: S3World) -> None:
    """What botocore would not even send is a wrong location."""
    assert type(failure(s3.prefix("no bucket!").listing)) is LocationError
    assert s3.gate.asked == []
