"""The frontmatter of a page, in one of three states that no reader may mix up.

*Absent*: there is no block, the whole text is body. *Parsed*: the block is a mapping, perhaps an
empty one. *Broken*: there is a block that cannot be used, with the error and its place; the page is
a page all the same, and its body is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as MappingABC
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ..lazy import lazy
from ..text_position import Position, position
from .block import Block, begins_with_rule, find_block
from .compose import compose
from .faults import BlockFault
from .nodes import Mapping, Node, Scalar, Sequence
from .scalars import STR, TIMESTAMP
from .values import KeyCollision, NotJson, effective_pairs, key_collisions, not_json, to_json

__all__ = [
    "STR",
    "TIMESTAMP",
    "Frontmatter",
    "FrontmatterError",
    "FrontmatterState",
    "KeyCollision",
    "Mapping",
    "Node",
    "NotJson",
    "Scalar",
    "Sequence",
    "read_frontmatter",
    "undecodable",
]

_EMPTY = Mapping((), 0, 0)


class FrontmatterState(Enum):
    """Whether a page has frontmatter, and whether it can be used."""

    ABSENT = "absent"
    PARSED = "parsed"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class FrontmatterError:
    """Why a block is broken, and where.

    Attributes:
        rule: the requirement that is broken: MF202, MF301 or MF312.
        message: what is wrong.
        position: the line and column in the page's text.
    """

    rule: str
    message: str
    position: Position


@dataclass(frozen=True)
class Frontmatter:
    """The frontmatter of one page.

    Attributes:
        state: absent, parsed or broken.
        tree: the mapping with the place of every value; empty unless parsed.
        offset: where the block begins in the page's text, in code points.
        source: the text of the block, without its delimiters.
        body_offset: where the body begins in the page's text, in code points.
        error: why it is broken, or None.
        rule_taken: whether the page begins with a `---` that is a Markdown rule (MF302).
        plain: whether all keys are distinct strings and JSON can carry every value.
    """

    state: FrontmatterState
    tree: Mapping = _EMPTY
    offset: int = 0
    source: str = ""
    body_offset: int = 0
    error: FrontmatterError | None = None
    rule_taken: bool = False
    plain: bool = True

    @lazy
    def nodes(self) -> MappingABC[str, Node]:
        """The top-level values by field name, each with its place and source."""
        if self.plain:
            return {key.text: value for key, value in self.tree.pairs}
        return effective_pairs(self.tree)

    @lazy
    def fields(self) -> MappingABC[str, Any]:
        """The fields as JSON values; dates and what JSON cannot carry are their source text."""
        return {name: to_json(node) for name, node in self.nodes.items()}

    def key_collisions(self) -> Iterable[KeyCollision]:
        """Every key that is equal to an earlier one of its mapping (MF311)."""
        return () if self.plain else key_collisions(self.tree)

    def not_json(self) -> Iterable[NotJson]:
        """Everything that JSON cannot carry (MF313)."""
        return () if self.plain else not_json(self.tree)

    def text(self, name: str) -> str | None:
        """The value of a field that is a non-empty string, else None (MF902)."""
        value = self.fields.get(name)
        return value if isinstance(value, str) and value.strip() else None


def read_frontmatter(text: str) -> Frontmatter:
    """The frontmatter of a page's text, which has lost its byte-order mark; never raises."""
    block = find_block(text)
    if block is None:
        return Frontmatter(FrontmatterState.ABSENT, rule_taken=begins_with_rule(text))
    source = text[block.start : block.end]
    if not block.closed:
        error = FrontmatterError(
            "MF301", "the frontmatter block is never closed by a line `---`", Position(1, 1)
        )
        return _broken(block, source, error)
    try:
        tree, plain = compose(source)
    except BlockFault as fault:
        place = position(text, block.start + fault.offset)
        return _broken(block, source, FrontmatterError(fault.rule, fault.message, place))
    if tree is None:
        tree = _EMPTY
    if not isinstance(tree, Mapping):
        return Frontmatter(FrontmatterState.ABSENT, rule_taken=True)
    return Frontmatter(
        FrontmatterState.PARSED,
        tree,
        offset=block.start,
        source=source,
        body_offset=block.body,
        plain=plain,
    )


def undecodable(byte_offset: int, place: Position) -> Frontmatter:
    """The frontmatter of a page that is not UTF-8 (MF202): nothing in it can be relied on."""
    message = f"the page is not valid UTF-8 at byte {byte_offset}"
    return Frontmatter(FrontmatterState.BROKEN, error=FrontmatterError("MF202", message, place))


def _broken(block: Block, source: str, error: FrontmatterError) -> Frontmatter:
    return Frontmatter(
        FrontmatterState.BROKEN,
        offset=block.start,
        source=source,
        body_offset=block.body,
        error=error,
    )
