"""Conditional requests, ranges and HEAD, as RFC 9110 has them (MF701, MF708)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator

import pytest
from tests.agents.served import Server, folder, page, serving

RAW = page("Woks", "0123456789\n").encode()
TAG = f'"{hashlib.sha256(RAW).hexdigest()}"'
THEN = "Sun, 15 Jun 2025 15:06:40 GMT"
LATER = "Mon, 16 Jun 2025 15:06:40 GMT"
SIZE = len(RAW)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place = folder(
        tmp_path_factory.mktemp("conditions") / "notes",
        {"woks.md": RAW, "index.md": page("Notes"), "empty.txt": b"", "raw.md": b"\xff\xfe# x\n"},
    )
    os.utime(place / "woks.md", (1_750_000_000, 1_750_000_000))
    with serving(place) as found:
        yield found


def test_a_page_is_its_bytes_with_its_hash_as_tag(server: Server) -> None:
    """The type is Markdown, and the tag is strong."""
    got = server.get("/woks.md")
    assert (got.status, got.body) == (200, RAW)
    assert got.headers["content-type"] == "text/markdown; charset=utf-8"
    assert got.headers["etag"] == TAG
    assert got.headers["last-modified"] == THEN
    assert got.headers["accept-ranges"] == "bytes"
    assert got.headers["vary"] == "Accept"
    assert got.headers["x-content-type-options"] == "nosniff"


def test_a_page_that_is_not_utf8_is_served_as_it_is(server: Server) -> None:
    """Nothing is said of its encoding then."""
    got = server.get("/raw.md")
    assert got.body == b"\xff\xfe# x\n"
    assert got.headers["content-type"] == "text/markdown"


def test_the_root_is_the_index_page(server: Server) -> None:
    """For a program; it is the same bytes (MF702)."""
    assert server.get("/").body == server.get("/index.md").body == page("Notes").encode()


@pytest.mark.parametrize(
    "path", ["/", "/woks.md", "/memoryfield.zip", "/listing.json", "/search?q=woks", "/nothing.md"]
)
@pytest.mark.parametrize("accept", ["*/*", "text/html"])
def test_head_has_the_headers_of_get(server: Server, path: str, accept: str) -> None:
    """All of them, with the length of what is not sent."""
    got, head = (server.get(path, method, Accept=accept) for method in ("GET", "HEAD"))
    assert head.body == b""
    assert head.status == got.status
    assert head.headers.keys() == got.headers.keys()
    assert {**head.headers, "date": ""} == {**got.headers, "date": ""}
    assert int(got.headers["content-length"]) == len(got.body)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"If_None_Match": TAG}, 304),
        ({"If_None_Match": f"W/{TAG}"}, 304),
        ({"If_None_Match": f'"other", {TAG}'}, 304),
        ({"If_None_Match": "*"}, 304),
        ({"If_None_Match": '"other"'}, 200),
        ({"If_None_Match": "junk"}, 200),
        ({"If_None_Match": '"other"', "If_Modified_Since": LATER}, 200),
        ({"If_Modified_Since": THEN}, 304),
        ({"If_Modified_Since": LATER}, 304),
        ({"If_Modified_Since": "Sat, 14 Jun 2025 15:06:40 GMT"}, 200),
        ({"If_Modified_Since": "yesterday"}, 200),
        ({"If_Modified_Since": "Sat, 99 Jun 99999 15:06:40 GMT"}, 200),
        ({"If_Match": TAG}, 200),
        ({"If_Match": "*"}, 200),
        ({"If_Match": f"W/{TAG}"}, 412),
        ({"If_Match": '"other"'}, 412),
        ({"If_Match": '"other"', "If_None_Match": TAG}, 412),
        ({"If_Unmodified_Since": THEN}, 200),
        ({"If_Unmodified_Since": "Sat, 14 Jun 2025 15:06:40 GMT"}, 412),
        ({"If_None_Match": TAG, "Range": "bytes=0-3"}, 304),
    ],
    ids=lambda value: value if isinstance(value, int) else "-".join(value),
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_conditions(server: Server, method: str, headers: dict[str, str], status: int) -> None:
    """In the order in which RFC 9110 has them judged."""
    got = server.get("/woks.md", method, **headers)
    assert got.status == status
    assert got.headers["etag"] == TAG
    if status == 304:
        assert got.body == b""
        assert "content-type" not in got.headers
        assert got.headers["vary"] == "Accept"


@pytest.mark.parametrize(
    ("wish", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=0-3", 0, 3),
        ("BYTES=2-5", 2, 5),
        ("bytes= 2-5 ", 2, 5),
        ("bytes=5-", 5, SIZE - 1),
        ("bytes=-4", SIZE - 4, SIZE - 1),
        ("bytes=-99999", 0, SIZE - 1),
        ("bytes=3-" + "9" * 5000, 3, SIZE - 1),
        (f"bytes={SIZE - 1}-{SIZE}", SIZE - 1, SIZE - 1),
    ],
)
def test_a_range_is_exactly_that_range(server: Server, wish: str, first: int, last: int) -> None:
    """206, with where it stands."""
    got = server.get("/woks.md", Range=wish)
    assert (got.status, got.body) == (206, RAW[first : last + 1])
    assert got.headers["content-range"] == f"bytes {first}-{last}/{SIZE}"
    assert got.headers["etag"] == TAG


@pytest.mark.parametrize(
    "wish",
    [
        "bytes=0-1,4-5", "bytes=5-2", "bytes=-", "bytes=", "bytes", "pages=0-1", "bytes=a-b",
        "bytes=--5", "bytes=0x1-5", "bytes=+1-5", "bytes=\u0661-\u0662".encode().decode("latin-1"),
    ],
)  # fmt: skip
def test_what_is_no_single_range_gives_the_whole(server: Server, wish: str) -> None:
    """Several ranges, units that are not known, and nonsense are passed over."""
    got = server.get("/woks.md", Range=wish)
    assert (got.status, got.body) == (200, RAW)


@pytest.mark.parametrize(
    ("path", "wish"),
    [
        ("/woks.md", f"bytes={SIZE}-"),
        ("/woks.md", "bytes=99999-100000"),
        ("/woks.md", "bytes=-0"),
        ("/woks.md", "bytes=" + "9" * 5000 + "-"),
        ("/empty.txt", "bytes=0-0"),
        ("/empty.txt", "bytes=-1"),
    ],
    ids=["behind", "far", "none", "huge", "empty", "empty-end"],
)
def test_a_range_that_is_not_there(server: Server, path: str, wish: str) -> None:
    """416, with the size."""
    size = SIZE if path == "/woks.md" else 0
    got = server.get(path, Range=wish)
    assert (got.status, got.headers["content-range"]) == (416, f"bytes */{size}")


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        (TAG, 206), ('"other"', 200), (f"W/{TAG}", 200), (THEN, 206), (LATER, 200), ("junk", 200),
    ],
)  # fmt: skip
def test_if_range(server: Server, condition: str, status: int) -> None:
    """A part of what the client has already, or the whole of what there is now."""
    got = server.get("/woks.md", Range="bytes=0-3", If_Range=condition)
    assert got.status == status
    assert got.body == (RAW[:4] if status == 206 else RAW)


def test_a_range_of_head_is_passed_over(server: Server) -> None:
    """Ranges are defined for GET alone."""
    assert server.get("/woks.md", "HEAD", Range="bytes=0-3").status == 200


def test_a_part_of_the_archive(server: Server) -> None:
    """Parts put together are the whole."""
    whole = server.get("/memoryfield.zip")
    tag = whole.headers["etag"]
    assert tag == f'"{hashlib.sha256(whole.body).hexdigest()}"'
    assert whole.headers["content-type"] == "application/zip"
    parts = [
        server.get("/memoryfield.zip", Range=f"bytes={at}-{at + 99}", If_Range=tag)
        for at in range(0, len(whole.body), 100)
    ]
    assert {part.status for part in parts} == {206}
    assert b"".join(part.body for part in parts) == whole.body
