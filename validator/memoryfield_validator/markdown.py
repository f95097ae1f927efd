"""The little of Markdown that rules need: code set aside, and where links lead.

Linear in the length of the text, whatever it holds.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import NamedTuple

_FENCE = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+|[0-9]{1,9}[.)][ \t]+)*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE
)
_BLANK_LINE = re.compile(r"\n[ \t>]*\n")
_TICKS = re.compile(r"`+")
_NOT_LINE_END = re.compile(r"[^\n]")
_TARGET = r"(?:<([^<>\n]*)>|((?:[^\s()<>\\]|\\.|\([^\s()]*\))+))"
_INLINE_TARGET = re.compile(rf"[ \t]*\n?[ \t]*{_TARGET}(?=[ \t]*\n?[ \t]*[)\"'(])")
_DEFINITION = re.compile(
    rf"^[ \t>]{{0,8}}\[(?!\^)[^\[\]\n]+\]:[ \t]*\n?[ \t]*{_TARGET}[ \t]*(?:[\"'(][^\n]*)?$",
    re.MULTILINE,
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


class Link(NamedTuple):
    """A link or image: its target as Markdown gives it, and the offset at which that stands."""

    target: str
    offset: int


def links(text: str) -> Iterator[Link]:
    """Inline links, images and reference definitions, also what looks like one within code.

    Setting code aside costs more than finding links, and matters only for a link with a fault:
    `without_code` tells.
    """
    at = text.find("](")
    while at >= 0:
        match = _INLINE_TARGET.match(text, at + 2)
        if match and not _is_escaped(text, at):
            yield _link(match)
        at = text.find("](", at + 2)
    if "]:" in text:
        for match in _DEFINITION.finditer(text):
            yield _link(match)


def _link(match: re.Match[str]) -> Link:
    group = 1 if match[1] is not None else 2
    target = match[group]
    if "\\" in target:
        target = _ESCAPED.sub(r"\1", target)
    if "&" in target:
        target = html.unescape(target)
    return Link(target, match.start(group))


def without_code(text: str) -> str:
    """The text with fenced and inline code turned into blanks; offsets and lines stay."""
    if "```" in text or "~~~" in text:
        text = without_fenced_code(text)
    return _without_inline_code(text) if "`" in text else text


def without_fenced_code(text: str) -> str:
    """The text with fenced code turned into blanks; offsets and lines stay."""
    pieces: list[str] = []
    done = 0
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            if fence[1][0] == "~" or "`" not in fence[2]:
                opening = fence
        elif fence[1].startswith(opening[1]) and not fence[2].strip():
            pieces += [text[done : opening.start()], _blank(text[opening.start() : fence.end()])]
            done = fence.end()
            opening = None
    if opening is not None:
        pieces += [text[done : opening.start()], _blank(text[opening.start() :])]
        done = len(text)
    return "".join(pieces) + text[done:]


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
        waiting = later[end - start]
        while waiting and waiting[0] <= start:
            waiting.popleft()
        if _is_escaped(paragraph, start) or not waiting:
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
