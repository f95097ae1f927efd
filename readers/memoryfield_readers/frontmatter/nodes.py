"""The tree of a frontmatter block: values with the place and the source text of each.

Offsets are code points within the block; `Frontmatter.offset` says where the block begins.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias


class Scalar(NamedTuple):
    """One scalar.

    Attributes:
        text: what the parser made of the source: escapes and folds resolved.
        tag: the YAML 1.1 type it has, as a short name such as "str" or "timestamp".
        value: its value as JSON can carry it.
        style: `'`, `"`, `|` or `>`; empty for a plain scalar.
        start: offset at which the source begins, quotes and properties such as `&anchor` included.
        end: offset at which it ends.
        anchor: the name of its anchor, or None.
    """

    text: str
    tag: str
    value: Any
    style: str
    start: int
    end: int
    anchor: str | None = None


class Sequence(NamedTuple):
    """One sequence.

    Attributes:
        items: the nodes in it; an alias stands for the very node it names.
        start: offset at which the source begins.
        end: offset at which it ends.
    """

    items: tuple[Node, ...]
    start: int
    end: int


class Mapping(NamedTuple):
    """One mapping.

    Attributes:
        pairs: keys and values in the order of the source, duplicates kept. A key that is a
            collection is a scalar of its source text with the tag "seq" or "map".
        start: offset at which the source begins.
        end: offset at which it ends.
    """

    pairs: tuple[tuple[Scalar, Node], ...]
    start: int
    end: int


Node: TypeAlias = Scalar | Sequence | Mapping


def merge_bases(value: Node) -> tuple[Node, ...]:
    """What a merge key `<<` with this value merges: one mapping, or those of a list."""
    return value.items if isinstance(value, Sequence) else (value,)
