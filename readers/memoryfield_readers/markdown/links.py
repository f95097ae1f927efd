"""Where links lead in a Markdown text.

Linear in the length of the text, whatever it holds.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from .code import BLANK_LINE, without_code

_BRACKET = re.compile(rf"\\.|[\[\]]|{BLANK_LINE.pattern}")
_GAP = r"[ \t]*+(?:\r?\n[ \t]*+)?"
_TARGET = r"(?:<([^<>\n]*)>|((?:[^\s()<>\\]++|\\\S|\([^\s()]*\))++))"
_IN_TITLE = r"\\[^\n]|\\(?=\n)|\n(?![ \t]*\r?\n)"  # an escape, or a line end before no blank line
_TITLE = (
    rf"(?:\"(?:[^\"\\\n]++|{_IN_TITLE})*+\"|'(?:[^'\\\n]++|{_IN_TITLE})*+'"
    rf"|\((?:[^()\\\n]++|{_IN_TITLE})*+\))"
)
_INLINE_TARGET = re.compile(rf"{_GAP}{_TARGET}(?={_GAP}\)|(?=\s){_GAP}{_TITLE}{_GAP}\))")
_DEFINITION = re.compile(
    r"^[ \t>]{0,8}+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?"
    r"\[(?!\^|[ \t]*+\])(?:[^\[\]\\\n]++|\\.)++(\]):"
    rf"{_GAP}{_TARGET}(?:(?=\s){_GAP}{_TITLE})?[ \t]*+\r?$",
    re.MULTILINE,
)
_ESCAPE = re.compile(
    r"\\([!-/:-@\[-`{-~])|&(?:#[Xx][0-9A-Fa-f]{1,6}|#[0-9]{1,7}|[A-Za-z][0-9A-Za-z]{1,31});"
)


class Link(NamedTuple):
    """A link, an image or a reference definition.

    Attributes:
        target: where it leads, with escapes and character references resolved.
        offset: where the target stands in the text.
        end: where it ends.
        bracket: where the bracket stands that closes the text or label before it.
        inline: whether it is no definition.
    """

    target: str
    offset: int
    end: int
    bracket: int
    inline: bool


def links(text: str, *, has_code: bool = True) -> Iterator[Link]:
    """Inline links, images and reference definitions.

    Arguments:
        text: the text.
        has_code: whether code and comments in it are set aside.
    """
    prose = without_code(text) if has_code else text
    closing = _closing_brackets(prose)
    for link in link_candidates(text):
        if link.bracket in closing if link.inline else prose[link.bracket] == "]":
            yield link


def link_candidates(text: str) -> Iterator[Link]:
    """All links, and what only looks like one: within code, or without a bracket that opens it.

    To tell them apart costs more than to find them, and matters only where a link has a fault.
    """
    at = text.find("](")
    while at >= 0:
        match = _INLINE_TARGET.match(text, at + 2)
        if match:
            yield _link(match, 1, at, inline=True)
        at = text.find("](", at + 2)
    if "]:" in text:
        for match in _DEFINITION.finditer(text):
            yield _link(match, 2, match.start(1), inline=False)


def _link(match: re.Match[str], group: int, bracket: int, *, inline: bool) -> Link:
    if match[group] is None:
        group += 1
    target = match[group]
    if "\\" in target or "&" in target:
        target = _ESCAPE.sub(lambda escape: escape[1] or html.unescape(escape[0]), target)
    return Link(target, match.start(group), match.end(group), bracket, inline)


def _closing_brackets(prose: str) -> set[int]:
    """The offsets of the brackets that close one opened in the same paragraph."""
    found: set[int] = set()
    opened = 0
    for match in _BRACKET.finditer(prose):
        what = match[0]
        if what == "[":
            opened += 1
        elif what == "]":
            if opened:
                opened -= 1
                found.add(match.start())
        elif what[0] == "\n":
            opened = 0
    return found
