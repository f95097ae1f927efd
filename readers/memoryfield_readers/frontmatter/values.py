"""What a tree says: JSON values, keys that collide, and what JSON cannot carry (MF311, MF313)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .nodes import Mapping, Node, Scalar, Sequence, merge_bases
from .scalars import MAP, MERGE, MOST_INTEGER_DIGITS, SEQ, STR, is_json


class KeyCollision(NamedTuple):
    """A key that stands twice in one mapping: the later one, and the one it hides."""

    key: Scalar
    earlier: Scalar


class NotJson(NamedTuple):
    """A node that JSON cannot carry, and why."""

    node: Node
    reason: str


def effective_pairs(mapping: Mapping) -> dict[str, Node]:
    """The values of a mapping by key text: the last of equal keys, merged keys behind own ones."""
    own: dict[str, Node] = {}
    merged: dict[str, Node] = {}
    for key, value in mapping.pairs:
        if key.tag != MERGE:
            own[key.text] = value
            continue
        for base in merge_bases(value):
            if isinstance(base, Mapping):
                for name, node in effective_pairs(base).items():
                    merged.setdefault(name, node)
    if merged:
        return {**own, **{name: node for name, node in merged.items() if name not in own}}
    return own


def to_json(node: Node) -> Any:
    """The node as JSON can carry it (dict, list, str, int, float, bool or None); never raises."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [to_json(item) for item in node.items]
    return {name: to_json(value) for name, value in effective_pairs(node).items()}


def key_collisions(node: Node) -> Iterator[KeyCollision]:
    """Every key that is equal to an earlier one of its mapping (MF311).

    Keys are equal if they are equal as values (so are 1, 1.0 and true, and all forms of null) or
    are written the same; dates and collections are compared as they are written.
    """
    for mapping in _mappings(node):
        seen: dict[object, Scalar] = {}
        for key, _ in mapping.pairs:
            if key.tag == MERGE:
                continue
            identities = (("text", key.text), ("value", _comparable(key)))
            earlier = next((seen[i] for i in identities if i in seen), None)
            if earlier is not None:
                yield KeyCollision(key, earlier)
            seen.update(dict.fromkeys(identities, key))


def not_json(node: Node) -> Iterator[NotJson]:
    """Everything in a tree that JSON cannot carry (MF313)."""
    for found in _walk(node):
        if isinstance(found, Scalar):
            if not is_json(found.tag, found.value):
                yield NotJson(found, _why_not_json(found))
        elif isinstance(found, Mapping):
            for key, _ in found.pairs:
                if key.tag in (SEQ, MAP):
                    yield NotJson(key, "a key is a list or a mapping, not a string")
                elif key.tag not in (STR, MERGE):
                    yield NotJson(key, f"the key `{key.text}` is a YAML {key.tag}, not a string")


def _why_not_json(scalar: Scalar) -> str:
    if scalar.tag == "float":
        return f"`{scalar.text}` is not a finite number"
    if scalar.tag == "int":
        return f"the integer has more than {MOST_INTEGER_DIGITS} digits"
    return "binary data has no form in JSON"


def _comparable(key: Scalar) -> object:
    return key.value if key.tag in ("int", "float", "bool", "null") else key.text


def _mappings(node: Node) -> Iterator[Mapping]:
    return (found for found in _walk(node) if isinstance(found, Mapping))


def _walk(node: Node) -> Iterator[Node]:
    """Each node of a tree once, in the order of the source, also where aliases repeat it."""
    seen: set[int] = set()
    stack = [node]
    while stack:
        found = stack.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        if isinstance(found, Sequence):
            stack.extend(reversed(found.items))
        elif isinstance(found, Mapping):
            stack.extend(value for _, value in reversed(found.pairs))
