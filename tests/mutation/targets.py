"""The modules that are broken, and which requirements each of their functions is about."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.mutation.changes import functions

ROOT = Path(__file__).resolve().parents[2]
REGISTRARS = frozenset({"field_rule", "page_rule", "frontmatter_rule", "no_frontmatter_rule"})


@dataclass(frozen=True, slots=True)
class Target:
    """A module that is broken.

    Attributes:
        name: its full name.
        path: its file, which is only read.
        tree: its syntax tree; changes are applied to it, in a process that ends after that.
    """

    name: str
    path: Path
    tree: ast.Module

    @property
    def shown(self) -> str:
        """Its file as seen from the root of the repository."""
        return self.path.relative_to(ROOT).as_posix()


@cache
def places() -> Mapping[str, Any]:
    """What `places.toml` says."""
    path = Path(__file__).with_name("places.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def targets() -> list[Target]:
    """Every module that is broken, in the order of `places.toml`."""
    found = [path for pattern in places()["modules"] for path in sorted(ROOT.glob(pattern))]
    return [read_target(path) for path in found]


def read_target(path: Path) -> Target:
    """The module in a file of a room."""
    parts = path.relative_to(ROOT).with_suffix("").parts[1:]
    name = ".".join(parts).removesuffix(".__init__")
    return Target(name, path, ast.parse(path.read_text(encoding="utf-8")))


def why_left_alone(target: Target, function: str) -> str | None:
    """Why a function is not broken, or None if it is."""
    reason: str | None = places()["left-alone"].get(f"{target.name}.{function}")
    return reason


def is_judged_by_cases(id: str) -> bool:
    """Whether a case can notice that a requirement is not checked any more."""
    return not id.startswith(tuple(places()["left-out"]))


def compares_no_numbers(target: Target, function: str) -> bool:
    """Whether nothing can be added to what a function compares by order."""
    return f"{target.name}.{function}" in places()["compares-no-numbers"]


def requirements_by_function(target: Target) -> dict[str, tuple[str, ...]]:
    """What each function is about.

    A check is about the ids under which it is registered, and what it calls in its module is about
    them too. Of other functions `places.toml` says it, for each alone or for the whole module.
    """
    found = {
        name: {id for each in node.decorator_list for id in registered_ids(each)}
        for name, node in functions(target.tree)
    }
    calls = {name: _names_in(node) & found.keys() for name, node in functions(target.tree)}
    while True:
        before = {name: set(ids) for name, ids in found.items()}
        for name, called in calls.items():
            for each in called:
                found[each] |= found[name]
        if found == before:
            break
    return {name: tuple(sorted(ids)) or _stated(target, name) for name, ids in found.items()}


def registered_ids(decorator: ast.expr) -> Iterator[str]:
    """The id under which a decorator registers a check, if it does."""
    match decorator:
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(id))]):
            if name in REGISTRARS:
                yield id


def unknown_places(all_targets: Iterable[Target]) -> list[str]:
    """The functions and modules that `places.toml` names and that are not there."""
    known = set()
    for target in all_targets:
        known.add(target.name)
        known |= {f"{target.name}.{name}" for name, _ in functions(target.tree)}
    named = [
        *places()["left-alone"],
        *places()["requirements"],
        *places()["compares-no-numbers"],
    ]
    return [name for name in named if name not in known]


def _names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _stated(target: Target, function: str) -> tuple[str, ...]:
    stated = places()["requirements"]
    return tuple(stated.get(f"{target.name}.{function}") or stated.get(target.name) or ())
