"""What is said in the end: counts for each requirement, survivors, and entries that are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from tests.mutation.equivalents import not_found, read_equivalents
from tests.mutation.mutants import Mutant, named_faults
from tests.mutation.targets import Target, unknown_places
from tests.mutation.trial import Verdict

_FATES = ("caught", "crashed", "out of time", "equivalent", "survived")


def report(
    verdicts: Sequence[Verdict], why_equivalent: Callable[[Mutant], str | None]
) -> tuple[str, bool]:
    """The text of the report, and whether all is well.

    All is well if every mutant is caught but those that are said to be equivalent, and none of
    these is.
    """
    fates: list[str] = []
    lines: list[str] = []
    for verdict in verdicts:
        fate: str = verdict.fate
        known = why_equivalent(verdict.mutant) is not None
        if known and fate == "survived":
            fate = "equivalent"
        elif known:
            lines.append(f"said to be equivalent, but {fate} ({verdict.by}): {verdict.mutant}")
        elif fate == "survived":
            lines.append(f"survived, {_how_tried(verdict)}: {verdict.mutant}")
        fates.append(fate)
    table = _table([(verdict.mutant, fate) for verdict, fate in zip(verdicts, fates, strict=True)])
    return "\n".join([*table, *lines]), not lines


def problems_with_tables(targets: Sequence[Target], mutants: Sequence[Mutant]) -> list[str]:
    """What the tables of this folder say that is not so, or do not say and should."""
    names = {target.name for target in targets}
    return [
        *(f"places.toml: there is no {name}" for name in unknown_places(targets)),
        *(f"equivalent.toml: no such mutant: {entry}" for entry in
          not_found(read_equivalents(), mutants)),
        *(f"named.toml: no such module: {fault['module']}" for fault in named_faults()
          if fault["module"] not in names),
        *sorted({f"places.toml: what is {mutant.target.name}.{mutant.function} about?"
                 for mutant in mutants if not mutant.requirements}),
    ]  # fmt: skip


def _how_tried(verdict: Verdict) -> str:
    if verdict.tried == 0:
        return "no case gets there"
    return "one case gets there" if verdict.tried == 1 else f"{verdict.tried} cases get there"


def _table(fates: Iterable[tuple[Mutant, str]]) -> list[str]:
    """A line for each requirement; a mutant counts for each of those it is about."""
    total: Counter[str] = Counter()
    rows: dict[str, Counter[str]] = {}
    for mutant, fate in fates:
        total[fate] += 1
        for id in mutant.requirements:
            rows.setdefault(id, Counter())[fate] += 1
    widths = [max(len(fate), 5) for fate in _FATES]
    head = [
        "requirement",
        "mutants",
        *(fate.rjust(w) for fate, w in zip(_FATES, widths, strict=True)),
    ]
    lines = ["  ".join(head)]
    for id, counts in [*sorted(rows.items()), ("all", total)]:
        numbers = (str(counts[fate]).rjust(w) for fate, w in zip(_FATES, widths, strict=True))
        lines.append("  ".join([id.ljust(11), str(counts.total()).rjust(7), *numbers]))
    return lines
