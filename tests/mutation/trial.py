"""What becomes of each mutant when the suite is put to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from tests.mutation.children import End, in_children
from tests.mutation.hook import imported_anew
from tests.mutation.mutants import Mutant
from tests.mutation.suite import Case, Suite, outcomes

Fate: TypeAlias = Literal["caught", "crashed", "out of time", "survived"]

_SECONDS = 1.0
"""How long a case may take beyond ten times what it took unbroken."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant.

    Attributes:
        mutant: the mutant.
        fate: "caught" by a case that does not pass; "crashed" or "out of time" where a case got no
            answer at all; else "survived".
        by: the case that caught it, or what is known of the crash.
        tried: how many cases get to what was changed.
    """

    mutant: Mutant
    fate: Fate
    by: str
    tried: int


def try_all(
    mutants: Sequence[Mutant], suite: Suite, *, at_once: int, scratch: Path
) -> Iterator[Verdict]:
    """Put the suite to each mutant, and give the verdicts as they come."""
    orders = [suite.order_for(mutant) for mutant in mutants]
    jobs = (
        (index, partial(_try, mutant, order, scratch))
        for index, (mutant, order) in enumerate(zip(mutants, orders, strict=True))
    )
    for index, end in in_children(jobs, at_once=at_once):
        fate, by = _fate(end)
        yield Verdict(mutants[index], fate, by, len(orders[index]))


def _try(mutant: Mutant, order: Sequence[Case], scratch: Path) -> str | None:
    """The first case that does not pass, in a process in which one module is broken; else None."""
    if not order:
        return None
    mutant.change.apply()
    with imported_anew({mutant.target.name: mutant.target.tree}):
        for id, source, result in outcomes(order, scratch, _SECONDS):
            if result == "errored":
                raise RuntimeError(f"no answer to {id}")
            if result == "fail":
                return f"{id} ({source})"
    return None


def _fate(end: End) -> tuple[Fate, str]:
    if end.how != "done":
        return end.how, end.answer
    return ("survived", "") if end.answer is None else ("caught", end.answer)
