"""What a tree says: JSON values, keys that collide, and what JSON cannot carry (MF311, MF313)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from .nodes import Mapping, Node, Scalar, Sequence
from .scalars import MERGE, STR, is_json


class KeyCollision(NamedTuple):
    """A key that stands twice in one mapping: the later one, and the one it hides."""

    key: Node
    earlier: Node


class NotJson(NamedTuple):
    """A node that JSON cannot carry, and why."""

    node: Node
    reason: str


def effective_pairs(mapping: Mapping) -> dict[str, Node]:
    """The values of a mapping by key text: the last of equal keys, merged keys behind own ones."""
    own: dict[str, Node] = {}
    merged: dict[str, Node] = {}
    for key, value in mapping.pairs:
        if isinstance(key, Scalar) and key.tag != MERGE:
            own[key.text] = value
        elif isinstance(key, Scalar):
            for base in _merge_bases(value):
                for name, node in effective_pairs(base).items():
                    merged.setdefault(name, node)
        else:
            own[key_text(key)] = value
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


def key_text(key: Node) -> str:
    """How a key is written in JSON: its source text, or the JSON of a collection."""
    if isinstance(key, Scalar):
        return key.text
    return json.dumps(to_json(key), ensure_ascii=False, sort_keys=True)


def key_collisions(node: Node) -> Iterator[KeyCollision]:
    """Every key that is equal to an earlier one of its mapping (MF311).

    Keys are equal if they are equal as values (so are 1, 1.0 and true) or as JSON writes them.
    """
    for mapping in _mappings(node):
        seen: dict[object, Node] = {}
        for key, _ in mapping.pairs:
            if isinstance(key, Scalar) and key.tag == MERGE:
                continue
            identities = _key_identities(key)
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
                if not isinstance(key, Scalar):
                    yield NotJson(key, "a key is a list or a mapping, not a string")
                elif key.tag not in (STR, MERGE):
                    yield NotJson(key, f"the key `{key.text}` is a YAML {key.tag}, not a string")


def _why_not_json(scalar: Scalar) -> str:
    if scalar.tag == "float":
        return f"`{scalar.text}` is not a finite number"
    if scalar.tag == "int":
        return "the integer has more than 4300 digits"
    return "binary data has no form in JSON"


def _merge_bases(value: Node) -> list[Mapping]:
    items = value.items if isinstance(value, Sequence) else (value,)
    return [item for item in items if isinstance(item, Mapping)]


def _key_identities(key: Node) -> tuple[object, ...]:
    text = ("text", key_text(key))
    if isinstance(key, Scalar) and key.tag in ("int", "float", "bool"):
        return (text, ("value", key.value))
    return (text,)


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
            for key, value in reversed(found.pairs):
                stack.append(value)
                if not isinstance(key, Scalar):
                    stack.append(key)
