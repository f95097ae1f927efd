"""Values that YAML takes for something else than text, quoted as they are written (MF304, MF305).

The rules ask the same function whether there is one right answer, so that they promise what is
mended and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

from memoryfield_readers import Page
from memoryfield_readers.frontmatter import TIMESTAMP, Node, Scalar

from ..field_types import DATETIME_FIELDS
from .splices import Splice, has_room

_MISREAD = frozenset({"int", "float", "bool", "timestamp", "merge"})
"""Types of plain values that were meant as text; for no value at all (null) nobody can say what."""

_FREE_TEXT = frozenset({"title", "summary"})
"""Fields that any text fits; a number is no `uuid` and no date, quoted or not."""


def quoted(text: str) -> str:
    """One line of text as a YAML scalar in single quotes, within which nothing is an escape."""
    return "'" + text.replace("'", "''") + "'"


def quoting_splice(page: Page, name: str) -> Splice | None:
    """The splice that quotes the value of a field and keeps its source text; None if there is none.

    Only a plain value on one line, which stands after its key, has one right answer: not one
    behind an alias or a merge key, and none with an anchor or a tag, which quotes would swallow.
    """
    frontmatter = page.frontmatter
    node = frontmatter.nodes.get(name)
    if not isinstance(node, Scalar) or node.style or node.anchor or node.tag not in _MISREAD:
        return None
    if name not in _FREE_TEXT and not (name in DATETIME_FIELDS and node.tag == TIMESTAMP):
        return None
    if frontmatter.source[node.start : node.end] != node.text:
        return None  # it has a tag, or goes over several lines
    if not stands_at_key(page, name, node) or not has_room(page):
        return None
    start = frontmatter.offset + node.start
    return Splice(start, start + len(node.text), quoted(node.text))


def quoting_splices(page: Page, names: Iterable[str]) -> list[Splice]:
    """The splices that quote the values of several fields, as far as there are any."""
    splices = (quoting_splice(page, name) for name in names)
    return [splice for splice in splices if splice is not None]


def stands_at_key(page: Page, name: str, node: Node) -> bool:
    """Whether a field's value is written after its key, not far away behind an alias or a merge."""
    return any(
        value is node and isinstance(key, Scalar) and key.text == name and key.end <= node.start
        for key, value in page.frontmatter.tree.pairs
    )
