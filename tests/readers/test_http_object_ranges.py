"""Ranges of one file over HTTP: of the same version, each asked for once."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import replace

import pytest
from tests.readers import http_objects
from tests.readers.http_objects import (
    BODY,
    DATED,
    LOCATION,
    MOST,
    OTHER,
    PATH,
    SIZE,
    UNVERSIONED,
    WEAK,
    opened,
    ranges,
    saved,
    sink,
)
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import Fault, FaultyHttp, Wire
from tests.readers.servers.http_parts import Reply, Request, Served, content_range

from memoryfield_readers.errors import (
    LimitExceeded,
    SourceChanged,
    SourceUnavailable,
)
from memoryfield_readers.http.http_object import HttpObject
from memoryfield_readers.transfer.sink import MemorySink

server, file, known = http_objects.server, http_objects.file, http_objects.known


def test_each_range_takes_one_request_and_all_share_a_connection(
    server: FaultyHttp, known: HttpObject
) -> None:
    """No more than the wanted bytes come, and they depend on the version."""
    assert saved(known, 16, 80) == BODY[16:80]
    assert saved(known, 0, SIZE) == BODY
    assert saved(known, SIZE - 1, SIZE) == BODY[-1:]
    _, *others = server.asked()
    assert ranges(server)[1:] == [
        "bytes=16-79",
        f"bytes=0-{SIZE - 1}",
        f"bytes={SIZE - 1}-{SIZE - 1}",
    ]
    assert [request.sent for request in others] == [64, SIZE, 1]
    tag = Served(BODY).tag
    assert [request.headers.get("if-range") for request in others] == [tag, tag, tag]
    assert server.connections == 1


@pytest.mark.parametrize("served", [Served(BODY), UNVERSIONED, WEAK], ids=["tag", "none", "weak"])
@pytest.mark.parametrize("after", [OTHER, OTHER[: SIZE // 2]], ids=["as-long", "as-what-is-left"])
def test_what_broke_off_does_not_go_on_with_something_else(
    served: Served, after: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of it came when the connection broke; then the server has another file, and no parts."""
    monkeypatch.setattr("memoryfield_readers.http.client.time.sleep", lambda seconds: None)
    with FaultyHttp({PATH: served}) as server, opened(server.url(PATH), retries=2) as file:
        file.tail(MOST, sink())

        def breaks(request: Request, reply: Reply, wire: Wire) -> Reply | None:
            server.files[PATH] = replace(served, body=after, ranges=False)
            return faults.cut(SIZE // 2)(request, reply, wire)

        server.fail(PATH, breaks)
        taken = sink()
        with contextlib.suppress(SourceChanged, SourceUnavailable):
            file.save(0, SIZE, taken)
            assert taken.data == after  # of which nobody knows that it is another version


def test_ranges_may_be_asked_for_side_by_side(server: FaultyHttp, known: HttpObject) -> None:
    """As many as it says, each with its own bytes."""
    got: dict[int, bytes] = {}

    def read(number: int) -> None:
        got[number] = saved(known, number * 1000, number * 1000 + 900)

    threads = [threading.Thread(target=read, args=(n,)) for n in range(known.at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {n: BODY[n * 1000 : n * 1000 + 900] for n in range(4)}


@pytest.mark.parametrize(
    ("served", "condition", "known"),
    [
        (Served(BODY, etag='"v1"'), '"v1"', True),
        (DATED, DATED.modified, True),
        (WEAK, None, True),
        (Served(BODY, etag="bare"), None, True),
        (Served(BODY, etag='"\x1b[1m"'), None, True),
        (Served(BODY, etag=f'"{"x" * 300}"'), None, True),
        (Served(BODY, etag=None, modified="today"), None, True),
        (UNVERSIONED, None, False),
        (Served(BODY, etag="", modified=""), None, False),
    ],
    ids=["strong", "date", "weak", "bare", "escape", "long", "no date", "none", "empty"],
)
def test_a_range_depends_on_what_stands_for_the_very_bytes(
    server: FaultyHttp, file: HttpObject, served: Served, condition: str | None, known: bool
) -> None:
    """That is a strong ETag, or else a date; where there is nothing, a note says so."""
    server.files[PATH] = served
    file.tail(MOST, sink())
    assert saved(file, 5, 10) == BODY[5:10]
    assert server.asked()[1].headers.get("if-range") == condition
    assert [note.partition(":")[0] for note in file.notes] == (
        [] if known else ["the server gives no version"]
    )
    assert file.resolved is None


_LATER = "Thu, 02 Jan 2025 00:00:00 GMT"
_OTHERS = {
    "strong ETag": (Served(BODY), Served(OTHER), 3),
    "strong ETag, larger": (Served(BODY), Served(OTHER * 9), 3),
    "ETag that comes weak": (Served(BODY), Served(BODY, etag='W/"1"'), 3),
    "weak ETag": (WEAK, Served(OTHER, etag='W/"2"', modified=None), 2),
    "weak ETag, without ranges": (
        WEAK,
        Served(OTHER, etag='W/"2"', modified=None, ranges=False),
        3,
    ),
    "weak ETag, other date": (
        Served(BODY, etag='W/"1"'),
        Served(OTHER, etag='W/"1"', modified=_LATER),
        2,
    ),
    "date": (DATED, Served(OTHER, etag=None, modified=_LATER), 3),
    "size alone": (UNVERSIONED, Served(BODY + b".", etag=None, modified=None), 2),
    "too short": (UNVERSIONED, Served(BODY[:10], etag=None, modified=None), 2),
    "short": (UNVERSIONED, Served(BODY[:25], etag=None, modified=None), 2),
    "short, without ranges": (
        UNVERSIONED,
        Served(BODY[:5], etag=None, modified=None, ranges=False),
        2,
    ),
    "long, without ranges": (
        UNVERSIONED,
        Served(BODY * 2, etag=None, modified=None, ranges=False),
        3,
    ),
}


@pytest.mark.parametrize(("before", "after", "requests"), _OTHERS.values(), ids=_OTHERS)
def test_another_file_is_never_read_on(
    server: FaultyHttp, file: HttpObject, before: Served, after: Served, requests: int
) -> None:
    """Whatever tells it from the first, it is an error to which trying again does nothing."""
    server.files[PATH] = before
    file.tail(MOST, sink())
    server.files[PATH] = after
    with pytest.raises(SourceChanged, match="changed while it was being read") as caught:
        saved(file, 20, 60)
    assert (caught.value.location, caught.value.hint) == (LOCATION, "read it again")
    assert len(server.asked()) == requests


def test_another_file_that_is_larger_is_not_fetched(server: FaultyHttp, known: HttpObject) -> None:
    """It is seen to be another one before more of it came than was wanted of the first."""
    server.files[PATH] = OTHER * 10
    with pytest.raises(SourceChanged):
        saved(known, 20, 60)
    assert server.asked()[2].status == 412


def test_without_a_version_the_same_size_is_the_same_file(
    server: FaultyHttp, file: HttpObject
) -> None:
    """That is what the note warns of."""
    server.files[PATH] = UNVERSIONED
    file.tail(MOST, sink())
    server.files[PATH] = Served(OTHER, etag=None, modified=None)
    assert saved(file, 0, 10) == OTHER[:10]


def test_a_part_without_an_etag_is_believed(server: FaultyHttp, known: HttpObject) -> None:
    """The server was told to send it only if the version is the same."""
    server.fail(PATH, faults.with_headers(ETag=None, Last_Modified=None))
    assert saved(known, 0, 10) == BODY[:10]


def test_an_etag_that_was_not_there_before_proves_nothing(
    server: FaultyHttp, file: HttpObject
) -> None:
    """There is nothing to compare it with."""
    server.files[PATH] = DATED
    file.tail(MOST, sink())
    server.fail(PATH, faults.with_headers(ETag='"new"'))
    assert saved(file, 0, 10) == BODY[:10]


@pytest.mark.parametrize(
    "served", [Served(BODY), DATED, WEAK, UNVERSIONED], ids=["strong", "date", "weak", "none"]
)
def test_a_part_is_cut_out_of_the_whole_where_ranges_are_no_more(
    server: FaultyHttp, file: HttpObject, served: Served
) -> None:
    """The version is the same; the bytes before and behind pass by and are not kept."""
    server.files[PATH] = served
    file.tail(MOST, sink())
    server.files[PATH] = Served(BODY, etag=served.etag, modified=served.modified, ranges=False)
    taken = MemorySink(40)
    file.save(70_000, 70_040, taken)
    assert taken.data == BODY[70_000:70_040]
    assert ranges(server)[1:] == ["bytes=70000-70039", None]


def test_the_whole_as_a_range_may_come_as_the_whole(server: FaultyHttp, known: HttpObject) -> None:
    """It is the same bytes, and is asked for once."""
    server.files[PATH] = Served(BODY, ranges=False)
    assert saved(known, 0, SIZE) == BODY
    assert len(server.asked()) == 2


_NOT_THE_PART = {
    "several parts": faults.multipart,
    "another part": faults.other_range(3000, 3100, SIZE),
    "overlapping": faults.other_range(2001, 2101, SIZE),
    "more": faults.other_range(2000, 2101, SIZE),
    "less": faults.shorter_range(1),
    "no range": faults.with_headers(Content_Range=None),
    "not satisfiable, of the same size": faults.status(416, Content_Range=f"bytes */{SIZE}"),
    "fewer bytes than its range": faults.less_than_it_says(1),
    "fewer bytes than a wrong range": faults.with_headers(
        Content_Range=content_range(2000, 2101, SIZE)
    ),
}


@pytest.mark.parametrize("fault", _NOT_THE_PART.values(), ids=_NOT_THE_PART)
def test_another_part_than_was_asked_for_is_not_believed(
    server: FaultyHttp, known: HttpObject, fault: Fault
) -> None:
    """The right one is cut out of the whole, and what came before is forgotten."""
    server.fail(PATH, fault)
    taken = MemorySink(101)
    known.save(2000, 2100, taken)
    assert taken.data == BODY[2000:2100]
    assert ranges(server)[1:] == ["bytes=2000-2099", None]
    assert server.asked()[-1].headers["accept-encoding"] == "identity"


def test_a_server_that_has_no_parts_is_not_asked_for_the_whole_for_ever(
    server: FaultyHttp, known: HttpObject
) -> None:
    """A few times the whole file passes by for a part of it; then it is an error."""
    for _ in range(4):
        server.fail(PATH, faults.other_range(0, 9, SIZE))
        assert saved(known, 100, 109) == BODY[100:109]
    server.fail(PATH, faults.other_range(0, 9, SIZE))
    with pytest.raises(SourceUnavailable, match="does not give the parts") as caught:
        saved(known, 100, 109)
    assert type(caught.value) is SourceUnavailable
    assert len(server.asked()) == 1 + 4 * 2 + 1


def test_a_whole_that_ends_too_soon_without_a_length_is_no_change(
    server: FaultyHttp, known: HttpObject
) -> None:
    """It may have been cut off, which is what the message says."""
    server.files[PATH] = Served(BODY, ranges=False)
    server.fail(PATH, faults.cut_without_length(5000), after=1)
    with pytest.raises(SourceUnavailable, match="ended after 5000 of 102400 bytes") as caught:
        saved(known, 20, 60)
    assert type(caught.value) is SourceUnavailable


@pytest.mark.parametrize(
    "fault",
    [faults.cut(30), faults.reset_after(30), faults.cut_in_chunks(30)],
    ids=["cut", "reset", "chunks"],
)
def test_a_part_that_breaks_off_is_asked_for_again(server: FaultyHttp, fault: Fault) -> None:
    """It is never a short part; what came of the first try is forgotten."""
    with opened(server.url(PATH), retries=1) as file:
        file.tail(MOST, sink())
        server.fail(PATH, fault)
        assert saved(file, 100, 200) == BODY[100:200]
    assert len(server.asked()) == 3


def test_a_part_that_breaks_off_is_an_error(server: FaultyHttp, known: HttpObject) -> None:
    """Where no try is left."""
    server.fail(PATH, faults.cut(30))
    with pytest.raises(SourceUnavailable, match="30 of 100"):
        saved(known, 100, 200)


def test_a_limit_of_the_one_who_asks_is_not_mistaken(server: FaultyHttp, known: HttpObject) -> None:
    """What the sink does not take is beyond its limit, with a part as with the whole."""
    with pytest.raises(LimitExceeded, match="more than 50 bytes"):
        known.save(0, 100, sink(50))
    assert len(server.asked()) == 2
    server.files[PATH] = Served(BODY, ranges=False)
    with pytest.raises(LimitExceeded, match="more than 50 bytes"):
        known.save(0, 100, sink(50))
