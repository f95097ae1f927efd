"""Blocks that do not parse only because values lack quotes (MF301).

A line is a candidate if it alone does not parse, and if no other answer than quotes comes to mind.
All candidates of a block are quoted at once, each is judged alone, and the whole is parsed once:
the time is linear in the length of the block. The answer counts only if each of these lines is
then one key and its value at the top of the mapping.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryfield_readers import FrontmatterState, Page, read_frontmatter
from memoryfield_readers.frontmatter import Frontmatter, Scalar

from .quoting import quoted
from .splices import Splice, changed_page, has_room, spliced

_LINE = re.compile(
    r"^(?P<key>[A-Za-z_][A-Za-z0-9_.-]*+)[ \t]*+:[ \t]++(?P<value>[^\s'\"#][^\n]*)", re.MULTILINE
)
_COMMENT = re.compile(r"[ \t]#")
_PLACEHOLDER = re.compile(r"\{\{|\{%|<%|\$\{")
_COLON = re.compile(r":(?:[ \t]|\Z)")
_NEVER_PLAIN = frozenset("@`%>|")
_BRACKET_AND_WORDS = re.compile(r"(?:\[[^\[\]{}\"']*\]|\{[^\[\]{}\"']*\})[ \t]*[\w(]")
"""A bracket that is closed, and words after it: no list or mapping was meant."""

_NAMES_AN_ANCHOR = re.compile(r"(?:^|[\s\[{,])&\w")


def block_splices(page: Page) -> list[Splice]:
    """The splices that make a block parse whose values lack quotes; none if that is not the way."""
    before = page.frontmatter
    if before.state is not FrontmatterState.BROKEN or before.error is None:
        return []
    if before.error.rule != "MF301" or not page.frontmatter.body_offset or not has_room(page):
        return []
    splices = list(_candidates(before))
    if not splices:
        return []
    after = changed_page(page, spliced(page.raw, splices)).frontmatter
    if after.state is not FrontmatterState.PARSED or not _stand_alone(splices, before, after):
        return []
    return splices


def _candidates(block: Frontmatter) -> Iterator[Splice]:
    """An splice for each line that alone does not parse, and where quotes are the one answer."""
    has_anchors = bool(_NAMES_AN_ANCHOR.search(block.source))
    for line in _LINE.finditer(block.source):
        value = line["value"].rstrip(" \t\r")
        if _wants_quotes(value, has_anchors=has_anchors) and _is_broken(f"{line['key']}: {value}"):
            start = block.offset + line.start("value")
            yield Splice(start, start + len(value), quoted(value))


def _wants_quotes(value: str, *, has_anchors: bool) -> bool:
    """Whether a value that does not parse was surely meant as the text that is written."""
    if _COMMENT.search(value) or _PLACEHOLDER.search(value):
        return False  # a comment may be meant; a placeholder may want to be filled in
    first = value[0]
    if first in "[{":
        return _BRACKET_AND_WORDS.match(value) is not None
    if first == "*":
        return not has_anchors
    return first in _NEVER_PLAIN or first == "&" or _COLON.search(value) is not None


def _is_broken(line: str) -> bool:
    """Whether one line is no YAML; a tag of one's own is another matter (MF312)."""
    error = read_frontmatter(f"---\n{line}\n---\n").error
    return error is not None and error.rule == "MF301"


def _stand_alone(splices: list[Splice], before: Frontmatter, after: Frontmatter) -> bool:
    """Whether each quoted value is that of a key at the top of the mapping, and holds it all."""
    values = {
        node.start: node
        for key, node in after.tree.pairs
        if isinstance(node, Scalar) and node.style == "'" and key.tag == "str"
    }
    moved = 0
    for splice in splices:
        node = values.get(splice.start - before.offset + moved)
        moved += len(splice.text) - (splice.end - splice.start)
        if node is None or quoted(node.text) != splice.text:
            return False
    return True
