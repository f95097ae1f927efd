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
_OPENING = re.compile(r"`+|<!--")
_LINE = re.compile(r"\n[ \t>]*+\r?\n")
_TICKS = re.compile(r"`+")
_OPENING = re.compile(r"`+|<!--")
_PARAGRAPH_END = re.compile(
    r"\n(?=[ \t>]*+\r?\n"  # before a blank line, and before fenced code
    r"|[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)*+(?:~{3}|`{3,}+[^`\n]*+(?!`)))"
)
_LINE = re.compile(
    r"^(?P<indent>[ \t]*+)(?P<item>(?:[-*+]|[0-9]{1,9}[.)])[ \t])?[^\n]*+\n?", re.MULTILINE
)
_INDENTED = re.compile(r"^(?: {4}| {0,3}\t)", re.MULTILINE)
_NOT_LINE_END = re.compile(r"[^\n]")


def without_code(text: str) -> str:
    """The text with code and comments turned into blanks; offsets and lines stay.

    Code is fenced, indented (by four columns, after a blank line, and in no list) or inline. What
    begins first counts: in code no comment begins, and in a comment no code.
    """
    if not ("`" in text or "~~~" in text or "<!--" in text or _INDENTED.search(text)):
        return text
    fenced, indented, inline = _FencedCode(), _IndentedCode(), _Inline(text)
    spans: list[tuple[int, int]] = []
    for line in _LINE.finditer(text):
        start, end = line.span()
        if start < inline.comment_end:  # a comment is no indent, and no blank line
            fenced.pass_over()
            indented.pass_over()
        else:
            end = fenced.shown_up_to(line)
            if indented.holds(line, text[start:end]):
                spans.append((start, end))
                continue
        inline.look_at(start, end)
    return blanked(text, [*spans, *fenced.all_spans(len(text)), *inline.spans])


def without_comments(text: str) -> str:
    """The text with HTML comments turned into blanks; one that is never closed is let be."""
    spans: list[tuple[int, int]] = []
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at + 2)
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
            pieces += [text[done:start], _NOT_LINE_END.sub(" ", text[start:end])]
            done = end
    return "".join(pieces) + text[done:]


class _IndentedCode:
    """Which lines are indented code; what is indented in a list is none."""

    def __init__(self) -> None:
        self._in_list = False
        self._may_begin = True  # at the start of the text, and after a blank line

    def holds(self, line: re.Match[str], shown: str) -> bool:
        """Whether the next line is indented code, of which so much is no fenced code."""
        if not shown or shown.isspace():
            self._may_begin = True
            return False
        is_indented = self._may_begin and not self._in_list and _is_code_indent(line["indent"])
        if is_indented:
            return True
        if line["item"]:
            self._in_list, self._may_begin = True, False
        elif not line["indent"]:
            self.pass_over()
        else:
            self._may_begin = False
        return False

    def pass_over(self) -> None:
        """The next line is text that is not indented."""
        self._in_list, self._may_begin = self._in_list and not self._may_begin, False


def _is_code_indent(indent: str) -> bool:
    return "\t" in indent[:4] or len(indent) >= 4


def without_fenced_code(text: str) -> str:
    """The text with fenced code turned into blanks; offsets and lines stay.

    Code that is never closed ends where the quote or list item ends in which it began.
    """
    return blanked(text, _fenced_code(text))


def _fenced_code(text: str) -> list[tuple[int, int]]:
    if "```" not in text and "~~~" not in text:
        return []
    fenced = _FencedCode()
    for line in _LINE.finditer(text):
        fenced.shown_up_to(line)
    return fenced.all_spans(len(text))


class _FencedCode:
    """Which parts of lines are fenced code."""

    def __init__(self) -> None:
        self._spans: list[tuple[int, int]] = []
        self._opening: _Fence | None = None
        self._in_list = self._after_blank = False

    def shown_up_to(self, line: re.Match[str]) -> int:
        """The offset up to which the next line is no fenced code."""
        opening = self._opening
        if opening is not None:
            leaves = _leaves(line, opening)
            if leaves or _closes(line, opening):
                self._spans.append((opening.start, line.start() if leaves else line.end()))
                self._opening = None
            if not leaves:
                return line.start()
        if line["item"]:
            self._in_list = True
        elif self._after_blank and not line["indent"] and not line[0].isspace():
            self._in_list = False
        self._after_blank = line[0].isspace()
        self._opening = _opened(line, in_list=self._in_list)
        return line.end() if self._opening is None else self._opening.start

    def pass_over(self) -> None:
        """The next line is text that is not indented."""
        self._in_list, self._after_blank = self._in_list and not self._after_blank, False

    def all_spans(self, end: int) -> list[tuple[int, int]]:
        """What is fenced in a text that ends there; code that is never closed ends there, too."""
        last = [(self._opening.start, end)] if self._opening is not None else []
        return self._spans + last


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


class _Inline:
    """Comments and code spans of a text, whichever begins first.

    A code span is what stands between a run of backticks and the next one of its length in the
    same paragraph.

    Attributes:
        spans: those that were found.
        comment_end: where the last comment ends.
    """

    def __init__(self, text: str) -> None:
        self.spans: list[tuple[int, int]] = []
        self.comment_end = 0
        self._text = text
        self._done = 0
        self._can_close = True
        gaps = [gap.start() for gap in BLANK_LINE.finditer(text)]
        self._paragraph_ends = deque(sorted(gaps + [start for start, _ in _fenced_code(text)]))
        self._runs: dict[int, deque[int]] = defaultdict(deque)
        for run in _TICKS.finditer(text):
            self._runs[len(run[0])].append(run.start())

    def look_at(self, start: int, end: int) -> None:
        """Find what begins in the next part of the text, wherever it ends."""
        self._done = max(start, self._done)
        while opening := _OPENING.search(self._text, self._done, end):
            start, self._done = opening.span()
            if opening[0] == "<!--":
                self._comment(start)
            else:
                self._code(start + _is_escaped(self._text, start), self._done)

    def _comment(self, start: int) -> None:
        if self._can_close:
            end = self._text.find("-->", start + 2)  # `<!-->` is a whole comment
            self._can_close = end >= 0  # what is not closed here is not closed further down
            if self._can_close:
                self.comment_end = self._add(start, end + 3)

    def _code(self, start: int, end: int) -> None:
        """A code span that is opened by a run of backticks; of an escaped one, by the others."""
        runs, paragraph_ends = self._runs[end - start], self._paragraph_ends
        while paragraph_ends and paragraph_ends[0] <= start:
            paragraph_ends.popleft()
        while runs and runs[0] < end:
            runs.popleft()
        if runs and not (paragraph_ends and paragraph_ends[0] <= runs[0]):
            self._add(start, runs[0] + end - start)

    def _add(self, start: int, end: int) -> int:
        self.spans.append((start, end))
        self._done = end
        return end


def _is_escaped(text: str, offset: int) -> bool:
    before = text[max(0, offset - 32) : offset]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1
