"""Splices of a page's text, and the bytes that come of them: no other byte is touched."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memoryfield_readers import DEFAULT_LIMITS, Page

UTF8_BOM = b"\xef\xbb\xbf"

_ROOM = 4096
"""Bytes that mending a block may add: four fields, and quotes around every defined one."""

_MOST_BLOCK_BYTES = 65_536  # MF312


class Splice(NamedTuple):
    """A stretch of a text and what stands there in future.

    Attributes:
        start: offset in code points of the text without its byte-order mark.
        end: offset at which the stretch ends; nothing is replaced where it equals the start.
        text: the new text.
    """

    start: int
    end: int
    text: str


def text_of(raw: bytes) -> str:
    """The text of a page without a byte-order mark; bytes that are not UTF-8 can be put back."""
    return raw.removeprefix(UTF8_BOM).decode("utf-8", "surrogateescape")


def spliced(raw: bytes, splices: Iterable[Splice]) -> bytes:
    """The bytes of a page after splices, which do not overlap; a byte-order mark is kept."""
    text = text_of(raw)
    pieces: list[str] = []
    done = 0
    for start, end, new in sorted(splices):
        pieces += [text[done:start], new]
        done = end
    changed = "".join((*pieces, text[done:])).encode("utf-8", "surrogateescape")
    return UTF8_BOM + changed if raw.startswith(UTF8_BOM) else changed


def changed_page(page: Page, raw: bytes) -> Page:
    """The page with other bytes."""
    return Page(page.name, raw, page.entry._replace(size=len(raw)))


def line_end(text: str) -> str:
    """The line end that the text uses in its first line; LF where it has one line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def has_room(page: Page) -> bool:
    """Whether page and block stay within the limits when fields are added or quoted (MF312)."""
    block = page.frontmatter.source
    return (
        len(page.raw) + _ROOM <= DEFAULT_LIMITS.page_bytes
        and len(block) + _ROOM <= _MOST_BLOCK_BYTES
        and len(block.encode("utf-8", "surrogatepass")) + _ROOM <= _MOST_BLOCK_BYTES
    )
