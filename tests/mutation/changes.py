"""What can be broken in a function: each comparison and each other condition, one at a time.

Everything here works on syntax trees. A change is found in a tree, and applied to that very tree.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tests.mutation.words import words_of

Kind: TypeAlias = Literal["off", "inverted", "border", "shifted", "negated", "swapped", "named"]
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_INVERTED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_BORDER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_SHIFTED: dict[type[ast.cmpop], ast.operator] = {
    ast.Lt: ast.Sub(),
    ast.LtE: ast.Add(),
    ast.Gt: ast.Add(),
    ast.GtE: ast.Sub(),
}
"""What is done to the right side, by one, so that the border moves the way `_BORDER` does not."""

_SAY_YES_OR_NO = frozenset(
    {"any", "all", "bool", "isinstance", "startswith", "endswith", "isspace", "isascii", "isdigit"}
)


@dataclass(frozen=True, slots=True)
class Slot:
    """Where an expression stands in the node above it."""

    parent: ast.AST
    field: str
    index: int | None = None

    def put(self, node: ast.expr) -> None:
        """Let another expression stand there."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


@dataclass(frozen=True, slots=True)
class Change:
    """One way to break a function.

    Attributes:
        kind: what is done: "inverted", "border", "shifted", "negated" or "swapped".
        function: the qualified name of the function or method; what is nested in it belongs to it.
        node: the expression that is changed.
        becomes: the expression that stands in its place.
        slot: where it stands.
    """

    kind: Kind
    function: str
    node: ast.expr
    becomes: ast.expr
    slot: Slot

    def apply(self) -> None:
        """Break the tree in which the change was found."""
        self.slot.put(self.becomes)


def functions(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    """The functions of a module and the methods of its classes, by qualified name."""
    yield from _functions(tree.body, "")


def _functions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, Function):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.")


def changes(tree: ast.Module) -> list[Change]:
    """Every change of every function, in the order of the text.

    What only chooses words is left alone (`words`).
    """
    found: list[Change] = []
    for name, function in functions(tree):
        walk = _Walk(name, words_of(function), says_yes_or_no=_is_bool(function.returns))
        for index, statement in enumerate(function.body):
            walk.visit(statement, Slot(function, "body", index))
        found += walk.found
    return found


def _is_bool(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "bool"


class _Walk:
    """The walk through one function."""

    def __init__(self, function: str, words: frozenset[int], *, says_yes_or_no: bool) -> None:
        self.function = function
        self.words = words
        self.says_yes_or_no = says_yes_or_no
        self.found: list[Change] = []

    def visit(self, node: ast.AST, slot: Slot, *, is_condition: bool = False) -> None:
        """Look at a node and everything in it."""
        if id(node) in self.words:
            return
        if isinstance(node, ast.Compare):
            self._compare(node, slot)
        elif isinstance(node, ast.BoolOp):
            is_condition = is_condition or any(map(_looks_boolean, node.values))
            if not is_condition:
                other = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
                self._add("swapped", node, ast.BoolOp(other, node.values), slot)
        elif is_condition and isinstance(node, ast.expr) and not _passes_on(node):
            self._add("negated", node, ast.UnaryOp(ast.Not(), node), slot)
        conditions = self._conditions_in(node, is_condition=is_condition)
        for child, place in _children(node):
            self.visit(child, place, is_condition=(place.field, place.index) in conditions)

    def _conditions_in(self, node: ast.AST, *, is_condition: bool) -> set[tuple[str, int | None]]:
        """The places right below a node at which a condition stands."""
        match node:
            case ast.If() | ast.While() | ast.Assert():
                return {("test", None)}
            case ast.IfExp():
                both: set[tuple[str, int | None]] = {("body", None), ("orelse", None)}
                return {("test", None)} | (both if is_condition else set())
            case ast.BoolOp(values=values) if is_condition:
                return {("values", index) for index in range(len(values))}
            case ast.UnaryOp(op=ast.Not()):
                return {("operand", None)}
            case ast.comprehension(ifs=ifs):
                return {("ifs", index) for index in range(len(ifs))}
            case ast.Call(func=ast.Name(id="bool")):
                return {("args", 0)}
            case ast.Return() if self.says_yes_or_no:
                return {("value", None)}
        return set()

    def _compare(self, node: ast.Compare, slot: Slot) -> None:
        for index, op in enumerate(node.ops):
            kind = type(op)
            self._add("inverted", node, _with_op(node, index, _INVERTED[kind]()), slot)
            if kind in _BORDER:
                self._add("border", node, _with_op(node, index, _BORDER[kind]()), slot)
            if kind in _SHIFTED and len(node.ops) == 1:
                moved = ast.BinOp(node.comparators[0], _SHIFTED[kind], ast.Constant(1))
                self._add("shifted", node, ast.Compare(node.left, node.ops, [moved]), slot)

    def _add(self, kind: Kind, node: ast.expr, becomes: ast.expr, slot: Slot) -> None:
        self.found.append(Change(kind, self.function, node, becomes, slot))


def _with_op(node: ast.Compare, index: int, op: ast.cmpop) -> ast.Compare:
    ops = [*node.ops[:index], op, *node.ops[index + 1 :]]
    return ast.Compare(node.left, ops, node.comparators)


def _passes_on(node: ast.expr) -> bool:
    """Whether it is the parts of a condition that are negated, not the whole; or nothing is."""
    if isinstance(node, ast.Constant | ast.IfExp):
        return True
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return True
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "bool"


def _looks_boolean(node: ast.expr) -> bool:
    """Whether a value can only be yes or no, by its looks."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=values):
            return any(map(_looks_boolean, values))
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name in _SAY_YES_OR_NO
    return False


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, Slot]]:
    """The nodes right below, but for decorators, defaults and annotations of nested functions."""
    for field, value in ast.iter_fields(node):
        if isinstance(node, Function) and field != "body":
            continue
        if field == "annotation":
            continue
        if isinstance(value, ast.AST):
            yield value, Slot(node, field)
        elif isinstance(value, list):
            for index, each in enumerate(value):
                if isinstance(each, ast.AST):
                    yield each, Slot(node, field, index)
