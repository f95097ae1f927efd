"""Lines of a listing that are entries: each names one page, first of all (MF402)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memoryfield_readers.markdown.code import without_comments, without_fenced_code
from memoryfield_readers.markdown.targets import relative_target

_MARKER = re.compile(
    r"(?P<indent>[ \t]*+)(?P<marker>(?:[-*+]|[0-9]{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?)?"
)
_MENTION = re.compile(
    r"(?P<wrap>(?:\|[ \t]*+)?[*_`\"'<]{0,3})"
    r"(?:\[(?P<label>[^\[\]]*+)\]\((?P<target><[^<>]*+>|[^\s()<>]++)(?:[ \t]++\"[^\"]*+\")?\)"
    r"|(?P<word>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.md)(?![\w-]))"
)
_NAMES_MORE = re.compile(r"\.md|\]\(|\]:|://|\]\[")
_NOTHING_MORE = re.compile(r"[*_`\"'>.,;\s]*")
_UNDERLINE = re.compile(r"[ \t]*+(?:=++|\|?[ \t]*+:?-[-:| \t]*+)[ \t\r]*+")
"""What makes a heading of the line before it, or the head of a table."""


class ListingLine(NamedTuple):
    """A line that names one page, and belongs to no other line.

    Attributes:
        number: which line of the body it is, from 0.
        name: the page it names.
        indent: the blanks before it.
        marker: its list marker with the blanks after it; empty in a table or a plain line.
        wrap: what stands around the mention, such as "`", or "| " in a table.
        label: the text of the link; None where the name is spelt out.
        target: where the link leads, as it is written.
        ends: in which line what belongs to it ends: the first line that does not.
        alone: whether the line holds no comment besides.
    """

    number: int
    name: str
    indent: str
    marker: str
    wrap: str
    label: str | None
    target: str
    ends: int
    alone: bool = True


def entries(body: str) -> Iterator[ListingLine]:
    """The entries of a body, in its order; what is in code or in a comment is none."""
    lines = body.split("\n")
    prose = without_comments(without_fenced_code(body)).split("\n")
    for number, line in enumerate(lines):
        if ".md" in line:
            entry = _entry(number, prose)
            if entry is not None:
                yield entry._replace(alone=prose[number] == line)


def whole_entries(found: Iterable[ListingLine], lines: Sequence[str]) -> list[ListingLine]:
    """The entries that can go without a trace: nothing else belongs to them or is said in them.

    What belongs to an entry may be entries that go as well, so that the last is looked at first.
    """
    by_line = {entry.number: entry for entry in found}
    whole: list[ListingLine] = []
    kept = solid = len(lines)  # the next line that is kept, and the next such one with text in it
    for number in range(len(lines) - 1, -1, -1):
        entry = by_line.get(number)
        if entry is not None and entry.alone and kept >= entry.ends:
            after = lines[kept] if kept < len(lines) else ""
            text = lines[solid] if solid < len(lines) else ""
            is_deeper = _columns(text) > _columns(entry.indent + ".")
            if not _UNDERLINE.fullmatch(after) and not (entry.marker and is_deeper):
                whole.append(entry)
                continue
        kept = number
        if lines[number].strip():
            solid = number
    return whole


def _entry(number: int, lines: list[str]) -> ListingLine | None:
    line = lines[number].removesuffix("\r")
    start = _MARKER.match(line)
    mention = _MENTION.match(line, start.end()) if start else None
    if start is None or mention is None:
        return None
    rest = line[mention.end() :]
    in_table = mention["wrap"].startswith("|")
    if _NAMES_MORE.search(rest) or (
        not start["marker"] and not in_table and not _NOTHING_MORE.fullmatch(rest)
    ):
        return None
    target = (mention["target"] or "").removeprefix("<").removesuffix(">")
    name = mention["word"] or relative_target(target) or ""
    label = mention["label"]
    if not name.endswith(".md") or "\\" in target or "&" in target:
        return None
    if label is not None and ".md" in label and label.strip("`*_ ") != name:
        return None
    return ListingLine(
        number, name, start["indent"], start["marker"] or "", mention["wrap"], label, target,
        _end(number, start["indent"], start["marker"], lines),
    )  # fmt: skip


def _end(number: int, indent: str, marker: str | None, lines: list[str]) -> int:
    """The first line that is no continuation of a list item and nothing nested in it."""
    if not marker:
        return number + 1
    own = _columns(indent + ".")
    end = number + 1
    while end < len(lines) and lines[end].strip():
        start = _MARKER.match(lines[end])
        is_item = start is not None and start["marker"] is not None
        if _columns(lines[end]) <= own and (is_item or lines[end].lstrip().startswith("#")):
            break
        end += 1
    return end


def _columns(line: str) -> int:
    """How far a line is indented."""
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip(" ")) if line.strip() else 0
