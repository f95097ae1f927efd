"""Bodies that the HTTP client takes: whole as they were announced, decoded, and of bounded size."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator

import pytest
from tests.readers.http_asking import LOCATION, alone, asking
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import Fault, FaultyHttp
from tests.readers.servers.http_parts import Reply

from memoryfield_readers.errors import (
    LimitExceeded,
    SourceUnavailable,
)
from memoryfield_readers.transfer.sink import MemorySink

pytestmark = pytest.mark.usefixtures(alone.__name__)

PAGE = b"# A page\n" + bytes(range(256)) * 300


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server with one page."""
    with FaultyHttp({"/a.md": PAGE}) as made:
        yield made


def test_a_range_is_asked_for_without_compression(server: FaultyHttp) -> None:
    """A part of a compressed body is of no use, so that none is offered."""
    with asking() as ask:
        assert ask.get(server.url("/a.md"), headers={"Range": "bytes=2-5"}, ok=(206,)) == PAGE[2:6]
        server.fail("/a.md", faults.gzipped)
        error = ask.error(server.url("/a.md"), headers={"Range": "bytes=2-5"}, ok=(206,))
    assert server.requests[0].headers["accept-encoding"] == "identity"
    assert "`gzip`" in error.message


def test_a_gzipped_body_is_whole(server: FaultyHttp) -> None:
    """The announced length is that on the way; what comes out is the whole text."""
    server.fail("/a.md", faults.gzipped, times=2)
    with asking() as ask:
        answer = ask.answer(server.url("/a.md"))
        assert (ask.sink.data, answer.measured) == (PAGE, True)
        assert ask.get(server.url("/a.md")) == PAGE
    assert server.connections == 1


def gzip_reply(body: bytes, encoding: str = "gzip") -> Reply:
    return Reply(200, {"Content-Encoding": encoding}, body)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (gzip.compress(PAGE)[:-9], "end of its gzip is missing"),
        (gzip.compress(PAGE)[:200], "end of its gzip is missing"),
        (b"plain text", "is not"),
        (gzip.compress(PAGE) + b"more", "is not"),
    ],
    ids=["without its end", "half of it", "no gzip", "with something behind it"],
)
def test_a_broken_gzip_is_an_error(server: FaultyHttp, body: bytes, words: str) -> None:
    """A body of the right length whose gzip is not whole is no body."""
    server.answers["/a.md"] = lambda _: gzip_reply(body)
    with asking() as ask:
        assert words in ask.error(server.url("/a.md")).message


def test_gzip_in_pieces_and_in_members_is_inflated(server: FaultyHttp) -> None:
    """Several members are one body, and an empty body needs no gzip."""
    bodies = [gzip.compress(PAGE) + gzip.compress(b"more"), b""]
    server.answers["/a.md"] = lambda _: gzip_reply(bodies.pop(0), "X-GZip")
    with asking() as ask:
        assert ask.get(server.url("/a.md")) == PAGE + b"more"
        assert ask.get(server.url("/a.md")) == b""


def test_an_encoding_that_nobody_asked_for_is_an_error(server: FaultyHttp) -> None:
    """Bytes that cannot be decoded are not taken for the text."""
    server.fail("/a.md", faults.with_headers(Content_Encoding="br"))
    with asking() as ask:
        assert "`br`" in ask.error(server.url("/a.md")).message


def test_a_bomb_fills_no_memory(server: FaultyHttp) -> None:
    """What inflates without end is stopped by the sink, and its connection is closed."""
    server.fail("/a.md", faults.gzip_bomb(8 << 20))
    taken: list[int] = []

    class Counting(MemorySink):
        def write(self, piece: bytes) -> None:
            taken.append(len(piece))
            super().write(piece)

    with asking() as ask:
        with pytest.raises(LimitExceeded) as caught:
            ask.client.fetch(server.url("/a.md"), Counting(1 << 20), entry="a.md")
        assert (caught.value.location, caught.value.entry) == (LOCATION, "a.md")
        assert sum(taken) <= (1 << 20) + max(taken)
        assert max(taken) <= 1 << 16
        assert ask.get(server.url("/a.md")) == PAGE


def test_gzip_of_nothing_comes_to_an_end(server: FaultyHttp) -> None:
    """Compressed bytes of which nothing comes out would never fill a sink."""
    packer = zlib.compressobj(0, zlib.DEFLATED, 31)
    head = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    server.answers["/a.md"] = lambda _: gzip_reply(head + b"\0\0\0\xff\xff" * 300_000)
    with asking(retries=3) as ask:
        assert "nothing" in ask.error(server.url("/a.md")).message
    assert len(server.requests) == 1


def test_a_body_shorter_than_announced_is_an_error(server: FaultyHttp) -> None:
    """500 of 2061 bytes are no page: tried again, then an error that names both."""
    server.files["/a.md"] = b"x" * 2061
    server.fail("/a.md", faults.cut(500), times=2)
    with asking(retries=1) as ask:
        error = ask.error(server.url("/a.md"), entry="a.md")
        assert type(error) is SourceUnavailable
        assert "500 of 2061 bytes" in error.message
        assert error.entry == "a.md"
        assert ask.get(server.url("/a.md")) == b"x" * 2061


@pytest.mark.parametrize(
    "fault",
    [faults.cut(5000), faults.reset_after(5000), faults.cut_in_chunks(5000)],
    ids=["closed", "reset", "chunked"],
)
def test_a_new_try_starts_from_nothing(server: FaultyHttp, fault: Fault) -> None:
    """What came before a body was cut short is forgotten."""
    server.fail("/a.md", fault, times=2)
    with asking(retries=2) as ask:
        assert ask.get(server.url("/a.md")) == PAGE
    assert len(server.requests) == 3


def test_chunks_are_measured(server: FaultyHttp) -> None:
    """A body in chunks is known to be whole, and an error when its last chunk is missing."""
    server.fail("/a.md", faults.chunked)
    server.fail("/a.md", faults.cut_in_chunks(len(PAGE)))
    with asking() as ask:
        assert ask.answer(server.url("/a.md")).measured
        assert ask.sink.data == PAGE
        assert "cut short" in ask.error(server.url("/a.md")).message


@pytest.mark.parametrize("length", [None, "much", "-5"], ids=str)
def test_a_body_of_unknown_length_is_not_measured(server: FaultyHttp, length: str | None) -> None:
    """Without a length nobody notices that bytes are missing: it is said."""
    server.fail("/a.md", faults.without_length, faults.with_headers(Content_Length=length))
    with asking() as ask:
        answer = ask.answer(server.url("/a.md"))
    assert (ask.sink.data, answer.measured) == (PAGE, False)


def test_two_lengths_are_an_error(server: FaultyHttp) -> None:
    """Who announces two lengths cannot be believed."""
    server.fail("/a.md", faults.with_headers(Content_Length="10, 20"))
    with asking() as ask:
        assert "contradict" in ask.error(server.url("/a.md")).message
