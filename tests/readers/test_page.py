"""A page: its bytes as they are, and what is read from them, whatever the bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from memoryfield_readers import FrontmatterState, Page, Position, open_field
from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

PageOf = Callable[[bytes], Page]


@pytest.fixture
def page_of() -> PageOf:
    """Read some bytes as the page `a.md`, through an archive."""

    def read(raw: bytes) -> Page:
        with open_field(zip_bytes(ZipEntry("a.md", raw))) as field:
            return field.page("a.md")

    return read


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"a\n",
        b"a\r\nb\rc",
        b"\xef\xbb\xbfa",
        b"\xff\xfea\0",
        b"caf\xe9",
        b"\0",
        bytes(range(256)),
    ],
)
def test_bytes_are_kept_as_they_are(raw: bytes, page_of: PageOf) -> None:
    """Raw bytes and their hash are those of the file: nothing is decoded, stripped or mended."""
    page = page_of(raw)
    assert page.raw == raw
    assert page.sha256 == hashlib.sha256(raw).hexdigest()


def test_a_byte_order_mark_does_not_hide_frontmatter(page_of: PageOf) -> None:
    """One mark is taken away before frontmatter is looked for; the hash is over the raw bytes."""
    page = page_of(b"\xef\xbb\xbf---\ntitle: a\n---\nbody\n")
    assert page.has_bom
    assert (page.frontmatter.fields, page.body) == ({"title": "a"}, "body\n")
    assert page.text.startswith("---\n")


def test_only_one_byte_order_mark_is_taken_away(page_of: PageOf) -> None:
    """A second mark is content."""
    page = page_of(b"\xef\xbb\xbf\xef\xbb\xbf---\na: 1\n---\n")
    assert page.frontmatter.state is FrontmatterState.ABSENT
    assert page.body.startswith("\ufeff---")


@pytest.mark.parametrize(
    ("raw", "at", "place"),
    [
        ("---\ntitle: café\n---\n".encode("latin-1"), 14, Position(2, 11)),
        ("---\ntitle: a\n---\n".encode("utf-16"), 0, Position(1, 1)),
        ("---\ntitle: a\n---\n".encode("utf-16-le"), None, None),
        (b"\xef\xbb\xbfa\xff", 4, Position(1, 2)),
        ("日本\n日".encode() + b"\x80x", 10, Position(2, 2)),
        (b"a\xc3", 1, Position(1, 2)),
        (b"\xed\xa0\x80", 0, Position(1, 1)),
        (b"\xc0\xaf", 0, Position(1, 1)),
        (b"\xf4\x90\x80\x80", 0, Position(1, 1)),
    ],
)
def test_a_page_that_is_not_utf8(
    raw: bytes, at: int | None, place: Position | None, page_of: PageOf
) -> None:
    """It is broken (MF202) at a byte and a place; no YAML parser guesses; all of it is body."""
    page = page_of(raw)
    assert page.undecodable_at == at
    if at is None:
        assert page.frontmatter.state is FrontmatterState.ABSENT
        return
    assert page.frontmatter.state is FrontmatterState.BROKEN
    assert page.frontmatter.error is not None
    assert (page.frontmatter.error.rule, page.frontmatter.error.position) == ("MF202", place)
    assert page.frontmatter.fields == {}
    assert page.body == page.text
    assert "\ufffd" in page.text


def test_positions_count_code_points_and_line_feeds(page_of: PageOf) -> None:
    """Lines end at LF alone; columns are code points; far and near places are counted alike."""
    line = "é\U0001f600\u2028x\r"
    page = page_of(("\n".join([line] * 2000)).encode())
    for number in (0, 1, 1000, 1999):
        start = number * (len(line) + 1)
        assert page.position(start) == Position(number + 1, 1)
        assert page.position(start + 3) == Position(number + 1, 4)
        byte = number * (len(line.encode()) + 1)
        assert page.position_of_byte(byte) == Position(number + 1, 1)
        assert page.position_of_byte(byte + 6) == Position(number + 1, 3)
    assert page.position(len(page.text)) == Position(2000, len(line) + 1)


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        (b"---\ntitle: Woks\n---\n", "Woks"),
        (b"---\ntitle: ''\n---\n", "a"),
        (b"---\ntitle: 12\n---\n", "a"),
        (b"---\ntitle: [\n---\n", "a"),
        (b"# Heading\n", "a"),
        (b"", "a"),
    ],
)
def test_a_title_is_always_there(raw: bytes, title: str, page_of: PageOf) -> None:
    """The title is the frontmatter's, or else the name without its ending (MF902)."""
    assert page_of(raw).title == title


def test_a_broken_page_is_a_page(page_of: PageOf) -> None:
    """A page whose frontmatter is broken is read, and its body is that after the block."""
    page = page_of(b"---\ntitle: Foo: bar\n---\nbody\n")
    assert page.frontmatter.state is FrontmatterState.BROKEN
    assert page.body == "body\n"
