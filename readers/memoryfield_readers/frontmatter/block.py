"""Where the frontmatter block of a page begins and ends (SPEC.md, "Frontmatter")."""

from __future__ import annotations

import re
from typing import NamedTuple

_OPENING = re.compile(r"---[ \t]*\r?\n")
_OPENING_AT_END = re.compile(r"---[ \t]*")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_BLANK_OR_COMMENT = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n")
_KEY_LINE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*[ \t]*:(?:[ \t]|\r?(?:\n|\Z))")


class Block(NamedTuple):
    """The extent of a frontmatter block, in code points of the page's text.

    Attributes:
        start: offset of the first character after the opening line.
        end: offset of the closing line; the length of the text if there is none.
        body: offset of the first character after the closing line; 0 if there is none, so that the
            whole text is body.
        closed: whether there is a closing line.
    """

    start: int
    end: int
    body: int
    closed: bool


def begins_with_rule(text: str) -> bool:
    """Whether the first line is exactly `---`, trailing blanks aside."""
    return bool(_OPENING.match(text) or _OPENING_AT_END.fullmatch(text))


def find_block(text: str) -> Block | None:
    """The frontmatter block of a text that has lost its byte-order mark.

    Returns None where there is no opening line, or where it is never closed and no `key:` line
    follows it: then it is a Markdown rule. Whether a closed block holds a mapping is not looked at.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return None
    start = opening.end()
    closing = _CLOSING.search(text, start)
    if closing is not None:
        return Block(start, closing.start(), closing.end(), closed=True)
    line = start
    while blank := _BLANK_OR_COMMENT.match(text, line):
        line = blank.end()
    if _KEY_LINE.match(text, line):
        return Block(start, len(text), 0, closed=False)
    return None
