"""One archive over HTTP: what is asked, what is believed, and when it is another one."""

from __future__ import annotations

import contextlib

import pytest
from tests.readers import http_objects
from tests.readers.http_objects import (
    BODY,
    END,
    LOCATION,
    MOST,
    PATH,
    SIZE,
    opened,
    ranges,
    saved,
    sink,
)
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import Fault, FaultyHttp
from tests.readers.servers.http_parts import Served, content_range

from memoryfield_readers.errors import (
    LimitExceeded,
    SourceUnavailable,
)
from memoryfield_readers.http.http_object import HttpObject
from memoryfield_readers.http.parts import TailOrWhole
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.ranged import Tail

server, file, known = http_objects.server, http_objects.file, http_objects.known


def test_the_end_takes_one_request(server: FaultyHttp, file: HttpObject) -> None:
    """The size and the last bytes come together, and nothing goes into the sink for the whole."""
    whole = sink()
    assert file.tail(MOST, whole) == Tail(SIZE, END)
    assert (whole.taken, ranges(server)) == (0, [f"bytes=-{MOST}"])
    (request,) = server.asked()
    assert request.sent == MOST
    assert request.headers["accept-encoding"] == "identity"
    assert "if-range" not in request.headers


def test_a_file_that_is_smaller_than_its_end_is_read_by_one_request(server: FaultyHttp) -> None:
    """The end of a small file is all of it."""
    server.files[PATH] = b"tiny"
    with opened(server.url(PATH)) as file:
        assert file.tail(MOST, sink()) == Tail(4, b"tiny")
        assert saved(file, 1, 3) == b"in"


@pytest.mark.parametrize(
    "served",
    [Served(BODY, ranges=False), Served(BODY[:MOST], ranges=False), Served(b"", ranges=False)],
    ids=["large", "small", "empty"],
)
def test_a_server_without_ranges_is_asked_once(server: FaultyHttp, served: Served) -> None:
    """What it sends is the whole file, which is put aside in that very request."""
    server.files[PATH] = served
    whole = sink()
    with opened(server.url(PATH)) as file:
        assert file.tail(MOST, whole) == Tail(len(served.body), b"", whole=True)
        assert whole.data == served.body
        assert len(server.asked()) == 1
        assert file.notes == ()
        for start in range(0, len(served.body), 60_000):
            assert saved(file, start, start + 9) == served.body[start : start + 9]


def test_an_empty_file_has_no_end(server: FaultyHttp, file: HttpObject) -> None:
    """It has no range either, which the server says together with its size."""
    server.files[PATH] = b""
    assert file.tail(MOST, sink()) == Tail(0, b"")
    assert len(server.asked()) == 1
    assert [note.partition(":")[0] for note in file.notes] == ["the server gives no version"]


_NOT_THE_END = {
    "several parts": faults.multipart,
    "the start": faults.other_range(0, MOST, SIZE),
    "not up to the end": faults.other_range(SIZE - MOST, SIZE - 1, SIZE),
    "less than was asked for": faults.other_range(SIZE - 9, SIZE, SIZE),
    "unknown size": faults.with_headers(Content_Range=f"bytes {SIZE - MOST}-{SIZE - 1}/*"),
    "beyond the size": faults.with_headers(Content_Range=f"bytes {SIZE - MOST}-{SIZE}/{SIZE}"),
    "another size": faults.with_headers(Content_Range=content_range(0, MOST // 2, MOST // 2)),
    "backwards": faults.with_headers(Content_Range=f"bytes {SIZE}-{SIZE - MOST}/{SIZE}"),
    "no range": faults.with_headers(Content_Range=None),
    "fewer bytes than its range": faults.less_than_it_says(1),
    "two ranges": faults.with_headers(Content_Range="bytes 0-9/99, bytes 0-9/99"),
}


@pytest.mark.parametrize("fault", _NOT_THE_END.values(), ids=_NOT_THE_END)
def test_a_part_that_is_not_the_end_is_not_believed(
    server: FaultyHttp, file: HttpObject, fault: Fault
) -> None:
    """The whole file is asked for in its place, without a range."""
    server.fail(PATH, fault)
    whole = sink()
    assert file.tail(MOST, whole) == Tail(SIZE, b"", whole=True)
    assert whole.data == BODY
    assert ranges(server) == [f"bytes=-{MOST}", None]


def test_a_part_that_is_the_whole_file_is_taken_as_that(
    server: FaultyHttp, file: HttpObject
) -> None:
    """All bytes came, though fewer were asked for: they are not asked for again."""
    server.files[PATH] = Served(BODY, ranges=False)
    partial = faults.with_headers(Content_Range=content_range(0, SIZE, SIZE))
    server.fail(PATH, partial, faults.as_status(206))
    whole = sink()
    assert file.tail(MOST, whole) == Tail(SIZE, b"", whole=True)
    assert (whole.data, len(server.asked())) == (BODY, 1)


_NO_SUFFIX = {
    "not implemented": faults.status(501),
    "not satisfiable": faults.status(416),
    "not satisfiable, with the size": faults.status(416, Content_Range=f"bytes */{SIZE}"),
}


@pytest.mark.parametrize("fault", _NO_SUFFIX.values(), ids=_NO_SUFFIX)
def test_a_server_that_counts_from_the_start_alone_is_told_where(
    server: FaultyHttp, file: HttpObject, fault: Fault
) -> None:
    """It is asked for its size by way of one byte, and then for the end, not for the whole."""
    server.fail(PATH, fault)
    assert file.tail(MOST, sink()) == Tail(SIZE, END)
    assert ranges(server) == [f"bytes=-{MOST}", "bytes=0-0", f"bytes={SIZE - MOST}-{SIZE - 1}"]


@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "none"])
def test_what_is_said_of_a_refusal_is_no_part_of_the_file(
    server: FaultyHttp, file: HttpObject, ranges: bool
) -> None:
    """However long it is; that it is HTML says nothing of the file."""
    server.files[PATH] = Served(BODY, ranges=ranges)
    server.fail(PATH, faults.said(501, faults.LOGIN_PAGE * 20))
    whole = sink()
    end = Tail(SIZE, END) if ranges else Tail(SIZE, b"", whole=True)
    assert file.tail(MOST, whole) == end
    assert whole.data == (b"" if ranges else BODY)


def test_no_more_than_the_end_is_kept_in_memory() -> None:
    """What is more goes where the whole goes, as soon as it comes."""
    whole = sink()
    tail = TailOrWhole(MOST, whole)
    tail.write(bytes(MOST))
    assert (whole.taken, len(tail.data)) == (0, MOST)
    tail.write(b"1")
    assert (whole.taken, len(tail.data)) == (MOST + 1, 0)
    tail.write(b"2")
    assert whole.data == bytes(MOST) + b"12"
    tail.restart()
    tail.write(b"3")
    assert (whole.taken, tail.data) == (0, b"3")


def test_a_server_that_is_known_to_count_from_the_start_is_not_asked_otherwise(
    server: FaultyHttp,
) -> None:
    """Two requests, where it would have sent the whole file in answer to the other kind."""
    options = TransferOptions(timeout=10, retries=0)
    file = HttpObject(server.url(PATH), options, location=LOCATION, knows_ends=False)
    with contextlib.closing(file):
        assert file.tail(MOST, sink()) == Tail(SIZE, END)
    assert ranges(server) == ["bytes=0-0", f"bytes={SIZE - MOST}-{SIZE - 1}"]


def test_a_server_that_has_no_ranges_after_all_is_not_asked_again(
    server: FaultyHttp, file: HttpObject
) -> None:
    """What it sends in place of one byte is the whole file."""
    server.files[PATH] = Served(BODY, ranges=False)
    server.fail(PATH, faults.status(501))
    whole = sink()
    assert file.tail(MOST, whole) == Tail(SIZE, b"", whole=True)
    assert (whole.data, ranges(server)) == (BODY, [f"bytes=-{MOST}", "bytes=0-0"])


def test_an_empty_file_of_a_server_that_counts_from_the_start(
    server: FaultyHttp, file: HttpObject
) -> None:
    """There is no first byte to ask for."""
    server.files[PATH] = b""
    server.fail(PATH, faults.status(501))
    assert file.tail(MOST, sink()) == Tail(0, b"")
    assert [note.partition(":")[0] for note in file.notes] == ["the server gives no version"]


def test_a_small_file_of_a_server_that_counts_from_the_start(
    server: FaultyHttp, file: HttpObject
) -> None:
    """Its end begins with its first byte."""
    server.files[PATH] = b"tiny"
    server.fail(PATH, faults.status(501))
    assert file.tail(MOST, sink()) == Tail(4, b"tiny")


@pytest.mark.parametrize(
    "fault",
    [
        faults.with_headers(Content_Range="bytes 0-0/*"),
        faults.status(416, Content_Range=f"bytes */{SIZE}"),
    ],
    ids=["unknown", "none to give"],
)
def test_one_byte_that_says_nothing_of_the_size_is_no_help(
    server: FaultyHttp, file: HttpObject, fault: Fault
) -> None:
    """Then the whole file is asked for."""
    server.fail(PATH, faults.status(501))
    server.fail(PATH, fault)
    whole = sink()
    assert file.tail(MOST, whole) == Tail(SIZE, b"", whole=True)
    assert (whole.data, ranges(server)) == (BODY, [f"bytes=-{MOST}", "bytes=0-0", None])


def test_a_gzipped_whole_is_the_text(server: FaultyHttp, file: HttpObject) -> None:
    """The length that was announced is that of the compressed bytes; the file is what they hold."""
    server.files[PATH] = Served(BODY, ranges=False)
    server.fail(PATH, faults.gzipped)
    whole = sink()
    assert file.tail(MOST, whole) == Tail(SIZE, b"", whole=True)
    assert whole.data == BODY


def test_a_gzipped_part_is_refused(server: FaultyHttp, known: HttpObject) -> None:
    """Nobody knows of which bytes it is a part."""
    server.fail(PATH, faults.gzipped)
    with pytest.raises(SourceUnavailable, match="encoded as `gzip`"):
        saved(known, 0, 10)


def test_a_whole_file_without_a_length_is_said_to_be_unproved(
    server: FaultyHttp, file: HttpObject
) -> None:
    """Nobody can tell a body that was cut from one that ended; the notes say so."""
    server.files[PATH] = Served(BODY, ranges=False)
    server.fail(PATH, faults.cut_without_length(5000))
    assert file.tail(MOST, sink()) == Tail(5000, b"", whole=True)
    assert any("announced no length" in note for note in file.notes)


def test_a_whole_file_that_is_cut_comes_once(server: FaultyHttp) -> None:
    """What came of the first try is forgotten."""
    server.files[PATH] = Served(BODY, ranges=False)
    server.fail(PATH, faults.cut(5000))
    whole = sink()
    with opened(server.url(PATH), retries=1) as file:
        assert file.tail(MOST, whole) == Tail(SIZE, b"", whole=True)
    assert whole.data == BODY


def test_a_whole_file_beyond_the_limit_is_refused(server: FaultyHttp, file: HttpObject) -> None:
    """The sink says how much it takes."""
    server.files[PATH] = Served(BODY, ranges=False)
    with pytest.raises(LimitExceeded, match="more than 5000 bytes, which is the limit"):
        file.tail(MOST, sink(5000))


# --- ranges
