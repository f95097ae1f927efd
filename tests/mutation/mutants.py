"""The mutants: all changes of all modules, checks that are turned off, and faults by name."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.mutation.changes import Change, Function, Kind, Slot, changes, functions
from tests.mutation.targets import (
    Target,
    compares_no_numbers,
    is_judged_by_cases,
    registered_ids,
    requirements_by_function,
    why_left_alone,
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault that the suite has to find.

    Attributes:
        target: the module that is broken.
        function: the function in it.
        change: what is changed.
        source: the text of what is changed.
        becomes: what it becomes, as text; for a fault by name, its name.
        requirements: what the function is about.
        number: which one it is, from 1, of those of its function that read the same.
    """

    target: Target
    function: str
    change: Change
    source: str
    becomes: str
    requirements: tuple[str, ...]
    number: int = 1

    @property
    def kind(self) -> Kind:
        """In which way the function is broken."""
        return self.change.kind

    def __str__(self) -> str:
        place = f"{self.target.shown}:{self.change.node.lineno}"
        return f"{place} {self.function} {self.kind}: {self.source} → {self.becomes}"


def mutants_of(target: Target) -> list[Mutant]:
    """Every mutant of a module."""
    about = requirements_by_function(target)
    found = list(_turned_off(target))
    for change in changes(target.tree):
        makes_sense = change.kind != "shifted" or not compares_no_numbers(target, change.function)
        if makes_sense and why_left_alone(target, change.function) is None:
            becomes = ast.unparse(change.becomes)
            found.append(_mutant(target, change, becomes, about[change.function]))
    found += _by_name(target)
    alike: Counter[tuple[str, ...]] = Counter()
    numbered: list[Mutant] = []
    for mutant in found:
        key = (mutant.function, mutant.kind, mutant.source, mutant.becomes)
        alike[key] += 1
        numbered.append(replace(mutant, number=alike[key]))
    return numbered


def _mutant(target: Target, change: Change, becomes: str, about: tuple[str, ...]) -> Mutant:
    source = ast.unparse(change.node)
    return Mutant(target, change.function, change, source, becomes, about)


def _turned_off(target: Target) -> Iterator[Mutant]:
    """Each check, once for each of its ids: it stays registered, and finds nothing."""
    for name, function in functions(target.tree):
        for index, decorator in enumerate(function.decorator_list):
            for id in filter(is_judged_by_cases, registered_ids(decorator)):
                register = ast.unparse(decorator)
                silent = _parsed(f"lambda check: ({register}(lambda *_: iter(())), check)[1]")
                slot = Slot(function, "decorator_list", index)
                change = Change("off", name, decorator, silent, slot)
                yield _mutant(target, change, "finds nothing", (id,))


def _by_name(target: Target) -> Iterator[Mutant]:
    """The faults that `named.toml` lists for a module."""
    for entry in named_faults():
        if entry["module"] != target.name:
            continue
        name = entry["function"]
        [function] = [node for each, node in functions(target.tree) if each == name]
        slot, node = _find(function, entry["source"])
        change = Change("named", name, node, _parsed(entry["becomes"]), slot)
        yield _mutant(target, change, entry["name"], tuple(entry["requirements"]))


@cache
def named_faults() -> list[dict[str, Any]]:
    """Faults that readers are known to have, and that no other kind of mutant has."""
    path = Path(__file__).with_name("named.toml")
    listed: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["fault"]
    return listed


def _find(function: Function, source: str) -> tuple[Slot, ast.expr]:
    """Where an expression stands in a function."""
    wanted = ast.dump(_parsed(source))
    for parent in ast.walk(function):
        for field, value in ast.iter_fields(parent):
            for index, each in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(each, ast.expr) and ast.dump(each) == wanted:
                    return Slot(parent, field, index if isinstance(value, list) else None), each
    raise LookupError(f"named.toml: there is no {source!r} in {function.name}")


def _parsed(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body
