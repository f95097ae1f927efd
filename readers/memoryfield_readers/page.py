"""A page: its bytes, and what they say."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from .entry import Entry
from .frontmatter import Frontmatter, read_frontmatter, undecodable
from .lazy import lazy
from .text_position import LineIndex, Position, position

_NEAR = 2048
"""Code points up to which counting lines is cheaper than an index of them."""

UTF8_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Page:
    """One page of a field; everything but its bytes is worked out when first asked for.

    Attributes:
        name: its file name, such as "carbon-fibre-woks.md".
        raw: its bytes, as they stand in the source.
        entry: what the source listed for it.
    """

    name: str
    raw: bytes
    entry: Entry

    @lazy
    def sha256(self) -> str:
        """The SHA-256 of the raw bytes, in hexadecimal."""
        return hashlib.sha256(self.raw).hexdigest()

    @property
    def modified(self) -> datetime | None:
        """When the page last changed, in UTC, as its source has it; None where it does not say."""
        return self.entry.modified

    @property
    def has_bom(self) -> bool:
        """Whether the page begins with a byte-order mark (MF207)."""
        return self.raw.startswith(UTF8_BOM)

    @lazy
    def undecodable_at(self) -> int | None:
        """The offset of the first byte that is not valid UTF-8, or None (MF202)."""
        try:
            self.raw.decode()
        except UnicodeDecodeError as error:
            return error.start
        return None

    @lazy
    def text(self) -> str:
        """The text without a byte-order mark; bytes that are not UTF-8 show as U+FFFD."""
        return self.raw.decode(errors="replace").removeprefix("\ufeff")

    @lazy
    def frontmatter(self) -> Frontmatter:
        """The frontmatter: absent, parsed or broken."""
        if self.undecodable_at is not None:
            return undecodable(self.undecodable_at, self.position_of_byte(self.undecodable_at))
        return read_frontmatter(self.text)

    @lazy
    def body(self) -> str:
        """The text after the frontmatter block; the whole text where there is none."""
        return self.text[self.frontmatter.body_offset :]

    @property
    def title(self) -> str:
        """The title of the frontmatter, or else the name without its ending."""
        return self.frontmatter.text("title") or self.name.removesuffix(".md")

    def position(self, offset: int) -> Position:
        """The line and column of a code point offset in `text`."""
        if offset < _NEAR:
            return position(self.text, offset)
        return self._lines.position(offset)

    @lazy
    def _lines(self) -> LineIndex:
        return LineIndex(self.text)

    def position_of_byte(self, offset: int) -> Position:
        """The line and column at which a byte offset in `raw` stands."""
        before = self.raw[:offset].removeprefix(UTF8_BOM)
        text = before.decode(errors="replace")
        return position(text, len(text))
