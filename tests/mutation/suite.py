"""The suite as mutants meet it: whether it passes unbroken, and which cases get where."""

from __future__ import annotations

import ast
import builtins
import importlib
import pickle
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from tests.mutation.children import allow, in_children
from tests.mutation.hook import ROOMS, imported_anew
from tests.mutation.mutants import Mutant
from tests.mutation.targets import Target

_REACHED = "__reached_by_a_case__"
_SECONDS_TO_LOAD = 120
_WHILE_IMPORTED = ""
"""Stands for every case, where a place is reached before the first of them."""

Reached: TypeAlias = Mapping[int, set[str]]


@dataclass(slots=True)
class Case:
    """A case, and what is known of it.

    Attributes:
        id: its id.
        requirements: what it is about.
        pickled: the case as the runner wants it.
        seconds: how long it takes, by all sources together.
        failures: the sources from which it does not pass although nothing is broken.
    """

    id: str
    requirements: tuple[str, ...]
    pickled: bytes
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Suite:
    """All cases, and how far each of them gets.

    Attributes:
        cases: the cases by id.
        reached: for the number of each expression that is changed, the cases that get to it.
        numbers: the number of each such expression, by its `id`.
    """

    cases: dict[str, Case]
    reached: Reached
    numbers: Mapping[int, int]

    def order_for(self, mutant: Mutant) -> list[Case]:
        """The cases that can find a mutant: those about its requirements first, quick ones first.

        A case that never gets to what is changed cannot tell a mutant from the original.
        """
        reached = self.reached.get(self.numbers[id(mutant.change.node)], set())
        ids = self.cases if _WHILE_IMPORTED in reached else reached
        about = set(mutant.requirements)
        return sorted(
            (self.cases[id] for id in ids),
            key=lambda case: (about.isdisjoint(case.requirements), case.seconds, case.id),
        )


def observe(
    mutants: Sequence[Mutant], *, at_once: int, scratch: Path, root: Path | None = None
) -> Suite:
    """Put the suite to the modules as they are, and see how far each case gets.

    Arguments:
        mutants: the mutants that the suite will be put to.
        at_once: how many processes may run.
        scratch: where the files of the cases are made.
        root: the folder that holds the cases; None for those of the kit.

    After that this process has imported what the rooms import from elsewhere, and has compiled
    their patterns, so that no child has to.
    """
    [(_, loaded)] = in_children([(None, partial(_load, root))], at_once=1)
    if loaded.how != "done":
        raise RuntimeError(f"the suite cannot be loaded: {loaded.answer}")
    cases = {id: Case(id, tuple(about), pickled) for id, about, pickled in loaded.answer}
    numbers: dict[int, int] = {}
    for mutant in mutants:
        numbers.setdefault(id(mutant.change.node), len(numbers))
    reached: dict[int, set[str]] = {}
    parts = [list(cases.values())[part::at_once] for part in range(at_once)]
    jobs = [(None, partial(_observe_part, part, mutants, numbers, scratch)) for part in parts]
    for _, end in in_children(jobs, at_once=at_once):
        if end.how != "done":
            raise RuntimeError(f"the suite cannot be run: {end.answer}")
        for id_of_case, seconds, failures in end.answer["cases"]:
            cases[id_of_case].seconds, cases[id_of_case].failures = seconds, failures
        for number, ids in end.answer["reached"].items():
            reached.setdefault(number, set()).update(ids)
        _prepare(end.answer["modules"], end.answer["patterns"])
    return Suite(cases, reached, numbers)


def outcomes(
    cases: Iterable[Case], scratch: Path, seconds: float
) -> Iterator[tuple[str, str, str]]:
    """The id, source and result of each case, put to what is imported now.

    Arguments:
        cases: the cases, in order.
        scratch: where their files are made.
        seconds: how long each may take beyond ten times what it took unbroken.
    """
    from memoryfield_validator.conformance import Ours, run_cases

    def given() -> Iterator[Any]:
        for case in cases:
            allow(seconds + 10 * case.seconds)
            yield pickle.loads(case.pickled)

    for outcome in run_cases(given(), Ours(), scratch=scratch):
        yield outcome.case.id, outcome.source, outcome.result


def _load(root: Path | None) -> list[tuple[str, tuple[str, ...], bytes]]:
    """All cases, as what can be handed from process to process."""
    allow(_SECONDS_TO_LOAD)
    with imported_anew({}):
        from memoryfield_validator.conformance import load_suite

        return [(case.id, case.requirements, pickle.dumps(case)) for case in load_suite(root).cases]


def _observe_part(
    cases: Sequence[Case], mutants: Sequence[Mutant], numbers: Mapping[int, int], scratch: Path
) -> dict[str, Any]:
    """Run some cases, and note for each of them which of the numbered expressions it evaluates."""
    reached: dict[int, set[str]] = {}
    now = [_WHILE_IMPORTED]

    def note(number: int, value: Any) -> Any:
        reached.setdefault(number, set()).add(now[0])
        return value

    setattr(builtins, _REACHED, note)
    targets = _noting(mutants, numbers)
    before = set(sys.modules)
    told: list[tuple[str, float, list[str]]] = []
    with imported_anew({target.name: target.tree for target in targets}):
        import memoryfield_validator.conformance  # noqa: F401 - all that a case may need

        for case in cases:
            now[0], begun = case.id, time.process_time()
            results = list(outcomes([case], scratch, seconds=20))
            seconds = time.process_time() - begun
            failures = [source for _, source, result in results if result in ("fail", "errored")]
            told.append((case.id, seconds, failures))
            _forget_answers(targets)
        patterns = list(_patterns())
        modules = [name for name in sys.modules if name not in before]
    return {"cases": told, "reached": reached, "modules": modules, "patterns": patterns}


def _noting(mutants: Sequence[Mutant], numbers: Mapping[int, int]) -> list[Target]:
    """The targets, with a call around each numbered expression that says when it is evaluated."""
    done: set[int] = set()
    for mutant in mutants:
        change = mutant.change
        if id(change.node) not in done:
            done.add(id(change.node))
            number = ast.Constant(numbers[id(change.node)])
            change.slot.put(ast.Call(ast.Name(_REACHED, ast.Load()), [number, change.node], []))
    return list({mutant.target.name: mutant.target for mutant in mutants}.values())


def _forget_answers(targets: Iterable[Target]) -> None:
    """Empty the caches of functions, so that each case gets wherever it would get alone."""
    for target in targets:
        module = sys.modules.get(target.name)
        for value in vars(module).values() if module else ():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def _patterns() -> Iterator[tuple[str | bytes, int]]:
    for name, module in list(sys.modules.items()):
        if name.startswith(ROOMS):
            for value in vars(module).values():
                if isinstance(value, re.Pattern):
                    yield value.pattern, value.flags


def _prepare(modules: Iterable[str], patterns: Iterable[tuple[str | bytes, int]]) -> None:
    """Import modules that are not ours, and compile patterns, for all children that follow."""
    for name in modules:
        if not name.startswith((ROOMS, "tests.")):
            with suppress(ImportError):  # a name of a module that another one put there
                importlib.import_module(name)
    for pattern, flags in patterns:
        re.compile(pattern, flags if isinstance(pattern, bytes) else flags & ~re.UNICODE)
