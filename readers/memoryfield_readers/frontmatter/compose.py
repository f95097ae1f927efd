"""From the text of a block to a tree, within bounds (MF301, MF312).

libyaml scans and parses; the tree is built here from its events, without recursion, so that depth,
aliases and tags are judged before they cost anything, and every verdict is ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from .faults import (
    MAX_DEPTH,
    BlockFault,
    forbidden_character,
    lone_carriage_return,
    reader_fault,
    syntax_fault,
    too_deep,
)
from .nodes import Mapping, Node, Scalar, Sequence, merge_bases
from .scalars import MAP, MERGE, NUMBER_START, SEQ, STR, WORDS, as_explicit, is_json, resolve_plain

try:
    from yaml._yaml import CParser
except ImportError as error:  # pragma: no cover - a PyYAML that was built without libyaml
    raise ImportError(
        "memoryfield needs PyYAML with libyaml; install a PyYAML wheel, or libyaml's headers "
        "before building PyYAML"
    ) from error

MAX_ALIASES: Final = 100
MAX_BLOCK_BYTES: Final = 65_536

_MOST_BYTES_A_CHARACTER = 4
_new_tuple = tuple.__new__
_IN_COMMENT = r"\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
_NOTHING = re.compile(rf"(?:[ \t]*+(?:#[{_IN_COMMENT}]*+)?\r?\n)*+")
"""Lines that are blank or comments, and hold nothing that could be a line end to some parser."""
_TAG_OR_COMMENT = re.compile(r"#[^\n]*|(?P<tag>!)")
_TAG_PREFIX = "tag:yaml.org,2002:"
_SCALAR_TAGS = frozenset(
    {"str", "int", "float", "bool", "null", "timestamp", "binary", "merge", "value"}
)
_COLLECTION_TAGS: dict[type[Sequence] | type[Mapping], frozenset[str]] = {
    Sequence: frozenset({"seq", "omap", "pairs"}),
    Mapping: frozenset({"map", "set"}),
}


class Composed(NamedTuple):
    """What a block holds.

    Attributes:
        tree: its one node, or None if the block is empty or holds comments alone.
        plain: whether all keys are distinct strings and JSON can carry every value, so that there
            is nothing more to look for (MF311, MF313).
    """

    tree: Node | None
    plain: bool


def compose(block: str) -> Composed:
    """The tree of a block.

    Raises:
        BlockFault: MF301 if it is no YAML, MF312 if it goes beyond the bounds of this standard.
    """
    try:
        if len(block) * _MOST_BYTES_A_CHARACTER > MAX_BLOCK_BYTES < len(block.encode()):
            raise BlockFault("MF312", f"the frontmatter block is over {MAX_BLOCK_BYTES} bytes", 0)
        lone_cr = lone_carriage_return(block)
        if lone_cr >= 0:
            raise BlockFault(
                "MF301", "a carriage return without a line feed is no line end here", lone_cr
            )
        if block[:1] == "\ufeff":  # libyaml would drop it, and count all offsets one too low
            raise forbidden_character(block, 0)
        if _NOTHING.fullmatch(block):  # libyaml refuses a line that begins with a tab
            return Composed(None, plain=True)
        return _Composer(block).run()
    except yaml.MarkedYAMLError as error:
        raise syntax_fault(error, block) from None
    except yaml.reader.ReaderError as error:
        raise reader_fault(error, block) from None
    except UnicodeEncodeError as error:  # a surrogate, which no file in UTF-8 holds
        raise forbidden_character(block, error.start) from None
    except yaml.YAMLError as error:
        raise BlockFault("MF301", str(error) or "not valid YAML", 0) from None


class _Open:
    """A collection whose end has not been seen yet."""

    __slots__ = ("aliases", "anchor", "height", "items", "kind", "start")

    def __init__(
        self, kind: type[Sequence] | type[Mapping], start: int, anchor: str | None
    ) -> None:
        self.kind = kind
        self.start = start
        self.anchor = anchor
        self.items: list[Node] = []
        self.aliases = 0  # aliases within, each counted as what it stands for
        self.height = 1


class _Composer:
    """The state of one walk over the events of a block."""

    def __init__(self, block: str) -> None:
        self.block = block
        self.next_event: Callable[[], Any] = CParser(block).get_event
        self.anchors: dict[str, tuple[Node, int, int]] = {}  # name -> node, aliases, height
        self.plain = True

    def run(self) -> Composed:
        stack: list[_Open] = []
        top: list[Node] = []  # the document's nodes: one, if all is well
        append = top.append
        next_event = self.next_event
        event = None
        while True:
            try:
                event = next_event()
            except UnicodeDecodeError:  # libyaml undoes the escapes of a tag without a look at them
                raise self._bad_tag(event) from None
            if event is None:
                break
            cls = event.__class__
            if cls is ScalarEvent:
                # Nine nodes in ten are words: no call is made that can be spared.
                text, style = event.value, event.style
                is_word = style or (text[:1] not in NUMBER_START and text not in WORDS)
                if is_word and not (event.tag or event.anchor):
                    start, end = event.start_mark.index, event.end_mark.index
                    append(_new_tuple(Scalar, (text, STR, text, style or "", start, end, None)))
                else:
                    append(self._scalar(event))
            elif cls is MappingStartEvent or cls is SequenceStartEvent:
                stack.append(self._open(event, len(stack)))
                append = stack[-1].items.append
            elif cls is MappingEndEvent or cls is SequenceEndEvent:
                node = self._close(stack.pop(), stack, event.end_mark.index)
                append = stack[-1].items.append if stack else top.append
                append(node)
            elif cls is AliasEvent:
                append(self._alias(event, stack))
            elif cls is DocumentStartEvent and top:
                raise BlockFault("MF301", "a second document begins here", event.start_mark.index)
        return Composed(top[0] if top else None, self.plain)

    def _bad_tag(self, before: Any) -> BlockFault:
        """The fault of the tag that comes next after an event."""
        start = before.end_mark.index
        tags = (found for found in _TAG_OR_COMMENT.finditer(self.block, start) if found["tag"])
        tag = next(tags, None)
        offset = tag.start() if tag else start
        return BlockFault("MF312", "the escapes of a tag are not valid UTF-8", offset)

    def _scalar(self, event: Any) -> Scalar:
        """The node of any scalar: one with a type, a tag or an anchor, or none of them."""
        text, tag = event.value, event.tag
        start = event.start_mark.index
        if tag is None:
            name, value = (STR, text) if event.style else resolve_plain(text)
        elif tag == "!":
            name, value = STR, text
        else:
            name, value = _explicit_scalar(tag, text, start)
        if not is_json(name, value):
            self.plain = False
        anchor = event.anchor
        node = Scalar(text, name, value, event.style or "", start, event.end_mark.index, anchor)
        if anchor:
            self.anchors[anchor] = (node, 0, 0)
        return node

    def _close(self, done: _Open, stack: list[_Open], end: int) -> Node:
        if done.kind is Sequence:
            node: Node = Sequence(tuple(done.items), done.start, end)
        else:
            node = self._mapping(done, end)
        if done.anchor:
            self.anchors[done.anchor] = (node, done.aliases, done.height)
        if stack:
            parent = stack[-1]
            parent.aliases += done.aliases
            parent.height = max(parent.height, done.height + 1)
        return node

    def _mapping(self, done: _Open, end: int) -> Mapping:
        keys = done.items[::2]
        for at, key in enumerate(keys):
            if key.__class__ is not Scalar:
                keys[at] = self._as_key(key)
        pairs = cast(
            "tuple[tuple[Scalar, Node], ...]", tuple(zip(keys, done.items[1::2], strict=True))
        )
        if not self._are_distinct_strings(pairs):
            self.plain = False
            for key, value in pairs:
                if key.tag == MERGE:
                    _check_merge(value)
        return Mapping(pairs, done.start, end)

    @staticmethod
    def _are_distinct_strings(pairs: tuple[tuple[Scalar, Node], ...]) -> bool:
        return len({key.text for key, _ in pairs if key.tag is STR}) == len(pairs)

    def _as_key(self, node: Node) -> Scalar:
        """A collection that stands as a key, as a scalar of its source text."""
        text = self.block[node.start : node.end]
        return Scalar(
            text, SEQ if isinstance(node, Sequence) else MAP, text, "", node.start, node.end
        )

    def _open(self, event: Any, depth: int) -> _Open:
        start = event.start_mark.index
        if depth >= MAX_DEPTH:
            raise too_deep(start)
        kind = Mapping if event.__class__ is MappingStartEvent else Sequence
        if event.tag not in (None, "!"):
            name = event.tag.removeprefix(_TAG_PREFIX)
            if name == event.tag or name not in _COLLECTION_TAGS[kind]:
                raise _wrong_tag(event.tag, f"a {kind.__name__.lower()}", start)
        if event.anchor:
            self.anchors.pop(event.anchor, None)  # an alias within the node is recursive
        return _Open(kind, start, event.anchor)

    def _alias(self, event: Any, stack: list[_Open]) -> Node:
        start = event.start_mark.index
        if any(collection.anchor == event.anchor for collection in stack):
            raise BlockFault("MF312", f"the alias *{event.anchor} contains itself", start)
        if event.anchor not in self.anchors:
            raise BlockFault("MF301", f"the alias *{event.anchor} names no anchor", start)
        node, aliases, height = self.anchors[event.anchor]
        if not stack:  # pragma: no cover - a document that is one alias has no anchor to name
            return node
        parent = stack[-1]
        parent.aliases += aliases + 1
        parent.height = max(parent.height, height + 1)
        if sum(collection.aliases for collection in stack) > MAX_ALIASES:
            raise BlockFault(
                "MF312",
                f"more than {MAX_ALIASES} aliases, counting each as what it stands for",
                start,
            )
        if len(stack) + height > MAX_DEPTH:
            raise too_deep(start)
        return node


def _check_merge(value: Node) -> None:
    """Refuse a merge key (`<<`) whose value is neither a mapping nor a list of mappings."""
    for base in merge_bases(value):
        if not isinstance(base, Mapping):
            raise BlockFault("MF301", "a merge key `<<` needs a mapping to merge", base.start)


def _explicit_scalar(tag: str, text: str, offset: int) -> tuple[str, Any]:
    name = tag.removeprefix(_TAG_PREFIX)
    if name == tag or name not in _SCALAR_TAGS:
        raise _wrong_tag(tag, repr(text), offset)
    resolved = as_explicit(name, text)
    if resolved is None:
        raise BlockFault("MF301", f"{text!r} cannot be read as !!{name}", offset)
    return resolved


def _wrong_tag(tag: str, what: str, offset: int) -> BlockFault:
    shown = tag.replace(_TAG_PREFIX, "!!")
    if tag != shown and shown[2:] in _SCALAR_TAGS.union(*_COLLECTION_TAGS.values()):
        return BlockFault("MF301", f"{what} cannot be read as {shown}", offset)
    return BlockFault("MF312", f"the tag {shown} is not one of YAML 1.1's own", offset)
