"""What in a function only chooses words: the suite does not compare them, so they are left alone.

Words are what is passed as a message or a hint. A condition only chooses words if it stands in what
is passed so, or in what is assigned to a name that goes nowhere else; or if it is that of an `if`
whose branches are the same but for words.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeAlias

Arguments: TypeAlias = frozenset[int | str]

_MESSAGE_FIRST: Arguments = frozenset({0, "message", "hint", "location"})
_MESSAGE_SECOND: Arguments = frozenset({1, "message", "hint", "fixable"})
_WORDS_IN_CALLS: dict[str, Arguments] = {
    "finding": _MESSAGE_SECOND,
    "Fault": frozenset({1, 3, "message", "hint"}),
    "BlockFault": _MESSAGE_SECOND,
    "FrontmatterError": _MESSAGE_SECOND,
    "NotJson": _MESSAGE_SECOND,
    "_unsafe": _MESSAGE_SECOND,
    "_limit_fault": frozenset({0, 1}),
    "_wrong_tag": frozenset({1}),
    "Malformed": _MESSAGE_FIRST,
    "NotFollowed": _MESSAGE_FIRST,
    "LimitExceeded": _MESSAGE_FIRST,
    "NotFound": _MESSAGE_FIRST,
    "PageError": _MESSAGE_FIRST,
    "SourceChanged": _MESSAGE_FIRST,
    "SourceUnavailable": _MESSAGE_FIRST,
}
"""Which arguments of a call are words, by their places and names."""


def words_of(function: ast.AST) -> frozenset[int]:
    """The nodes of a function that only choose words, by `id`; each stands for all below it."""
    nodes = list(ast.walk(function))
    decisions = [node for node in nodes if isinstance(node, ast.If | ast.Assign | ast.AugAssign)]
    found = {id(argument) for node in nodes for argument in _passed_as_words(node)}
    while True:
        names = _names_for_words(function, nodes, found)
        more = {id(chosen) for node in decisions for chosen in _chosen_by(node, names)}
        if more <= found:
            return frozenset(found)
        found |= more


def _passed_as_words(node: ast.AST) -> Iterator[ast.expr]:
    if not isinstance(node, ast.Call):
        return
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            wanted = _WORDS_IN_CALLS.get(name, frozenset())
            yield from (each for at, each in enumerate(node.args) if at in wanted)
            yield from (keyword.value for keyword in node.keywords if keyword.arg in wanted)


def _names_for_words(
    function: ast.AST, nodes: Iterable[ast.AST], words: set[int]
) -> frozenset[str]:
    """The names that are assigned to, and used for words and nowhere else."""
    names = [node for node in nodes if isinstance(node, ast.Name)]
    assigned = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    used = {name.id for name in names if isinstance(name.ctx, ast.Load)}
    return frozenset(assigned & used - set(_used_elsewhere(function, words)))


def _used_elsewhere(node: ast.AST, words: set[int]) -> Iterator[str]:
    if id(node) in words:
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id
    for child in ast.iter_child_nodes(node):
        yield from _used_elsewhere(child, words)


def _chosen_by(node: ast.stmt, names: frozenset[str]) -> Iterator[ast.expr]:
    """What is assigned to names for words; a condition that decides about nothing else."""
    if isinstance(node, ast.Assign | ast.AugAssign) and _is_for_words(node, names):
        yield node.value
    elif isinstance(node, ast.If) and _deeds(node.body, names) == _deeds(node.orelse, names):
        yield node.test


def _is_for_words(node: ast.Assign | ast.AugAssign, names: frozenset[str]) -> bool:
    """Whether a statement assigns to names for words, and to nothing else."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return all(_are_names(target, names) for target in targets)


def _are_names(target: ast.expr, names: frozenset[str]) -> bool:
    if isinstance(target, ast.Tuple):
        return all(_are_names(each, names) for each in target.elts)
    return isinstance(target, ast.Name) and target.id in names


def _deeds(body: Iterable[ast.stmt], names: frozenset[str]) -> list[object]:
    """What statements do, words aside, as values that can be compared."""
    return [deed for statement in body if (deed := _deed(statement, names)) is not None]


def _deed(node: ast.stmt, names: frozenset[str]) -> object | None:
    if isinstance(node, ast.Assign | ast.AugAssign) and _is_for_words(node, names):
        return None
    if isinstance(node, ast.If):
        body, orelse = _deeds(node.body, names), _deeds(node.orelse, names)
        return None if body == orelse == [] else (_wordless(node.test), body, orelse)
    return _wordless(node)


def _wordless(node: object) -> object:
    """A node without places and words, as a value that can be compared."""
    if isinstance(node, list):
        return [_wordless(each) for each in node]
    if not isinstance(node, ast.AST):
        return node
    words = {id(each) for each in _passed_as_words(node)}
    if isinstance(node, ast.Call):
        args = [each for each in node.args if id(each) not in words]
        keywords = [each for each in node.keywords if id(each.value) not in words]
        return ("Call", _wordless(node.func), _wordless(args), _wordless(keywords))
    return (type(node).__name__, *(_wordless(value) for _, value in ast.iter_fields(node)))
