"""What in a function only chooses words: the suite does not compare them, so they are left alone.

Words are what is passed as a message or a hint. A condition only chooses words if it stands in what
is passed so, or in what is assigned to a name that goes nowhere else; or if it is that of an `if`
whose branches are the same but for words.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

_MESSAGE_FIRST = frozenset({0, "message", "hint", "location"})
_MESSAGE_SECOND = frozenset({1, "message", "hint", "fixable"})
_WORDS_IN_CALLS: dict[str, frozenset[int | str]] = {
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
    found = {id(argument) for call in ast.walk(function) for argument in _passed_as_words(call)}
    while True:
        names = _names_for_words(function, found)
        more = {id(node) for node in _chosen_by(function, names)}
        if more <= found:
            return frozenset(found)
        found |= more


def _passed_as_words(node: ast.AST) -> Iterator[ast.expr]:
    if not isinstance(node, ast.Call):
        return
    name = ast.unparse(node.func).rpartition(".")[2]
    wanted = _WORDS_IN_CALLS.get(name, frozenset())
    yield from (each for at, each in enumerate(node.args) if at in wanted)
    yield from (keyword.value for keyword in node.keywords if keyword.arg in wanted)


def _names_for_words(function: ast.AST, words: set[int]) -> frozenset[str]:
    """The names that are assigned to, and used nowhere but for words."""
    assigned = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return frozenset(assigned - {node.id for node in _used_elsewhere(function, words)})


def _used_elsewhere(node: ast.AST, words: set[int]) -> Iterator[ast.Name]:
    if id(node) in words:
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _used_elsewhere(child, words)


def _chosen_by(function: ast.AST, names: frozenset[str]) -> Iterator[ast.expr]:
    """What is assigned to names for words, and conditions that decide about nothing else."""
    for node in ast.walk(function):
        if _is_assignment(node, names):
            yield node.value  # type: ignore[attr-defined]
        elif isinstance(node, ast.If) and _without_words(node.body, names) == _without_words(
            node.orelse, names
        ):
            yield node.test


def _is_assignment(node: ast.AST, names: frozenset[str]) -> bool:
    """Whether a statement assigns to names for words, and does nothing else."""
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    else:
        return False
    return all(_are_names(target, names) for target in targets)


def _are_names(target: ast.expr, names: frozenset[str]) -> bool:
    if isinstance(target, ast.Tuple):
        return all(_are_names(each, names) for each in target.elts)
    return isinstance(target, ast.Name) and target.id in names


def _without_words(body: list[ast.stmt], names: frozenset[str]) -> list[str]:
    """What statements do, words aside, as text that can be compared."""
    kept = _Wordless(names)
    return [ast.dump(each) for statement in body if (each := kept.visit(copy.deepcopy(statement)))]


class _Wordless(ast.NodeTransformer):
    """Takes the words out of statements."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:  # noqa: N802
        return None if _is_assignment(node, self.names) else self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | None:  # noqa: N802
        return None if _is_assignment(node, self.names) else self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:  # noqa: N802
        body, orelse = (_without_words(part, self.names) for part in (node.body, node.orelse))
        return None if body == orelse == [] else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        words = {id(each) for each in _passed_as_words(node)}
        node.args = [each for each in node.args if id(each) not in words]
        node.keywords = [each for each in node.keywords if id(each.value) not in words]
        return self.generic_visit(node)
