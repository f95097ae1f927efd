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
        start, end: offsets of the source, quotes and properties such as `&anchor` included.
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
    """One sequence; an alias stands for the very node it names."""

    items: tuple[Node, ...]
    start: int
    end: int


class Mapping(NamedTuple):
    """One mapping, with its pairs in the order of the source and duplicates kept."""

    pairs: tuple[tuple[Node, Node], ...]
    start: int
    end: int


Node: TypeAlias = Scalar | Sequence | Mapping
