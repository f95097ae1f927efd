"""The little of Markdown that rules need: code set aside, and where links lead.

Linear in the length of the text, whatever it holds.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_FENCE = re.compile(
    r"^(?P<quote>[ \t>]*+)(?P<item>(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)*+)"
    r"(?P<ticks>`{3,}|~{3,})(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
_BLANK_LINE = re.compile(r"\n[ \t>]*+\r?\n")
_BRACKET = re.compile(rf"\\.|[\[\]]|{_BLANK_LINE.pattern}")
_TICKS = re.compile(r"`+")
_LINE = re.compile(
    r"^(?P<indent>[ \t]*+)(?P<item>(?:[-*+]|[0-9]{1,9}[.)])[ \t])?[^\n]*+\n?", re.MULTILINE
)
_INDENTED = re.compile(r"^(?: {4}| {0,3}\t)", re.MULTILINE)
_NOT_LINE_END = re.compile(r"[^\n]")
_GAP = r"[ \t]*+(?:\r?\n[ \t]*+)?"
_TARGET = r"(?:<([^<>\n]*)>|((?:[^\s()<>\\]++|\\\S|\([^\s()]*\))++))"
_TITLE = r"(?:\"[^\"\n]*+\"|'[^'\n]*+'|\([^()\n]*+\))"
_INLINE_TARGET = re.compile(rf"{_GAP}{_TARGET}(?={_GAP}\)|(?=\s){_GAP}{_TITLE}{_GAP}\))")
_DEFINITION = re.compile(
    rf"^[ \t>]{{0,8}}\[(?!\^)[^\[\]\n]+(\]):{_GAP}{_TARGET}(?:[ \t]++[\"'(][^\n]*|[ \t]*+\r?)$",
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


def links(text: str) -> Iterator[Link]:
    """Inline links, images and reference definitions."""
    prose = without_code(text)
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


def without_code(text: str) -> str:
    """The text with code and comments turned into blanks; offsets and lines stay.

    Code is fenced, indented (by four columns, after a blank line, and in no list) or inline.
    """
    if "```" in text or "~~~" in text:
        text = without_fenced_code(text)
    text = _without_indented_code(without_comments(text))
    return _without_inline_code(text) if "`" in text else text


def without_comments(text: str) -> str:
    """The text with HTML comments turned into blanks; one that is never closed is let be."""
    spans: list[tuple[int, int]] = []
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at + 4)
        if end < 0:
            break
        spans.append((at, end + 3))
        at = text.find("<!--", end + 3)
    return blanked(text, spans)


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with everything but line ends turned into blanks in some spans, in any order."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if end > done:
            start = max(start, done)
            pieces += [text[done:start], _blank(text[start:end])]
            done = end
    return "".join(pieces) + text[done:]


def _without_indented_code(text: str) -> str:
    """The text with indented code turned into blanks; what is indented in a list is no code."""
    if not _INDENTED.search(text):
        return text
    spans: list[tuple[int, int]] = []
    in_list = False
    may_begin = True  # at the start of the text, and after a blank line
    for line in _LINE.finditer(text):
        if line[0].isspace():
            may_begin = True
        elif line["item"]:
            in_list, may_begin = True, False
        elif not line["indent"]:
            in_list, may_begin = in_list and not may_begin, False
        elif may_begin and not in_list and _is_code_indent(line["indent"]):
            spans.append(line.span())
        else:
            may_begin = False
    return blanked(text, spans)


def _is_code_indent(indent: str) -> bool:
    return "\t" in indent[:4] or len(indent) >= 4


def without_fenced_code(text: str) -> str:
    """The text with fenced code turned into blanks; offsets and lines stay."""
    pieces: list[str] = []
    done = 0
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            if fence["ticks"][0] == "~" or "`" not in fence["rest"]:
                opening = fence
        elif _closes(fence, opening):
            pieces += [text[done : opening.start()], _blank(text[opening.start() : fence.end()])]
            done = fence.end()
            opening = None
    if opening is not None:
        pieces += [text[done : opening.start()], _blank(text[opening.start() :])]
        done = len(text)
    return "".join(pieces) + text[done:]


def _closes(fence: re.Match[str], opening: re.Match[str]) -> bool:
    """Whether a fence ends the code that another one began, in the same depth of quotes."""
    return (
        fence["ticks"].startswith(opening["ticks"])
        and not fence["rest"].strip()
        and not fence["item"]
        and fence["quote"].count(">") == opening["quote"].count(">")
    )


def _without_inline_code(text: str) -> str:
    pieces: list[str] = []
    start = 0
    for gap in _BLANK_LINE.finditer(text):
        pieces.append(_without_code_spans(text[start : gap.end()]))
        start = gap.end()
    pieces.append(_without_code_spans(text[start:]))
    return "".join(pieces)


def _without_code_spans(paragraph: str) -> str:
    """A paragraph with its code spans blanked: a run of backticks up to the next of its length."""
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(paragraph)]
    if len(runs) < 2:
        return paragraph
    later: dict[int, deque[int]] = defaultdict(deque)
    for start, end in runs:
        later[end - start].append(start)
    pieces: list[str] = []
    done = 0
    for start, end in runs:
        if start < done:
            continue
        if _is_escaped(paragraph, start):
            start += 1  # the others of its run can open code all the same
        waiting = later[end - start]
        while waiting and waiting[0] < end:
            waiting.popleft()
        if start == end or not waiting:
            continue
        close = waiting[0] + (end - start)
        pieces += [paragraph[done:start], _blank(paragraph[start:close])]
        done = close
    return "".join(pieces) + paragraph[done:]


def _is_escaped(text: str, offset: int) -> bool:
    before = text[max(0, offset - 32) : offset]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _blank(text: str) -> str:
    return _NOT_LINE_END.sub(" ", text)
