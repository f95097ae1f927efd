"""Code and comments in Markdown, set aside: turned into blanks, so that offsets and lines stay.

Linear in the length of the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from typing import NamedTuple

_FENCE = re.compile(
    r"(?P<quote>[ \t>]*+)(?P<item>(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)*+)"
    r"(?P<ticks>`{3,}|~{3,})(?P<rest>[^\n]*)"
)
_PREFIX = re.compile(r"[ \t>]*+")
BLANK_LINE = re.compile(r"\n[ \t>]*+\r?\n")
_TICKS = re.compile(r"`+")
_LINE = re.compile(
    r"^(?P<indent>[ \t]*+)(?P<item>(?:[-*+]|[0-9]{1,9}[.)])[ \t])?[^\n]*+\n?", re.MULTILINE
)
_INDENTED = re.compile(r"^(?: {4}| {0,3}\t)", re.MULTILINE)
_NOT_LINE_END = re.compile(r"[^\n]")


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
        end = text.find("-->", at + 2)  # `<!-->` is a whole comment
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
        elif line["item"] and not (may_begin and not in_list and _is_code_indent(line["indent"])):
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
    """The text with fenced code turned into blanks; offsets and lines stay.

    Code that is never closed ends where the quote or list item ends in which it began.
    """
    if "```" not in text and "~~~" not in text:
        return text
    spans: list[tuple[int, int]] = []
    opening: _Fence | None = None
    in_list = after_blank = False
    for line in _LINE.finditer(text):
        if opening is not None:
            if _leaves(line, opening):
                spans.append((opening.start, line.start()))
                opening = None
            elif _closes(line, opening):
                spans.append((opening.start, line.end()))
                opening = None
                continue
            else:
                continue
        if line["item"]:
            in_list = True
        elif after_blank and not line["indent"] and not line[0].isspace():
            in_list = False
        after_blank = line[0].isspace()
        opening = _opened(line, in_list=in_list)
    if opening is not None:
        spans.append((opening.start, len(text)))
    return blanked(text, spans)


class _Fence(NamedTuple):
    """The line that opens fenced code.

    Attributes:
        start: offset of its run of backticks or tildes.
        ticks: its run of backticks or tildes.
        depth: in how many quotes it stands.
        indent: how far lines must be indented to be in the same list item; 0 if in none.
        most: how far the line that closes it may be indented; a further one is code.
    """

    start: int
    ticks: str
    depth: int
    indent: int
    most: int


def _opened(line: re.Match[str], *, in_list: bool) -> _Fence | None:
    fence = _FENCE.match(line[0])
    if fence is None or (fence["ticks"][0] == "`" and "`" in fence["rest"]):
        return None
    quote, item = fence["quote"], fence["item"]
    depth = quote.count(">")
    start = line.start() + fence.start("ticks")  # a list's mark before it stays in sight
    if item:
        inside = _columns(quote + item)
        return _Fence(start, fence["ticks"], depth, inside, inside + 3)
    if not depth and not in_list and _is_code_indent(quote):
        return None
    if depth or not in_list:
        return _Fence(start, fence["ticks"], depth, 0, 3)
    columns = _columns(quote)
    return _Fence(start, fence["ticks"], depth, min(columns, 2), columns + 3)


def _leaves(line: re.Match[str], opening: _Fence) -> bool:
    """Whether a line is no longer in the quotes and the list item in which code began."""
    prefix = _PREFIX.match(line[0])
    before = prefix[0] if prefix else ""
    if before.count(">") < opening.depth:
        return True
    own = before if opening.depth else before[: len(before) - len(before.lstrip(" \t"))]
    return _columns(own) < opening.indent and not line[0].isspace()


def _closes(line: re.Match[str], opening: _Fence) -> bool:
    fence = _FENCE.match(line[0])
    return (
        fence is not None
        and fence["ticks"].startswith(opening.ticks)
        and not fence["rest"].strip()
        and not fence["item"]
        and fence["quote"].count(">") == opening.depth
        and _columns(fence["quote"].rpartition(">")[2]) <= opening.most
    )


def _columns(indent: str) -> int:
    """How many columns blanks and tabs take."""
    return len(indent.expandtabs(4))


def _without_inline_code(text: str) -> str:
    pieces: list[str] = []
    start = 0
    for gap in BLANK_LINE.finditer(text):
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
