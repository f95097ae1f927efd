"""Mutants that no input can tell from the original: `equivalent.toml`, each with the reason."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.mutants import Mutant


@dataclass(frozen=True, slots=True)
class Equivalent:
    """What is said of one or several mutants of one condition.

    Attributes:
        module: the full name of the module.
        function: the function or method.
        source: the text of the condition.
        kinds: the kinds of mutants that are meant.
        becomes: the text of the mutant, where not all of these kinds are meant; else None.
        number: which one, where the same text stands in the function more than once; else None.
        reason: why no input can tell.
    """

    module: str
    function: str
    source: str
    kinds: tuple[str, ...]
    reason: str
    becomes: str | None = None
    number: int | None = None

    def __str__(self) -> str:
        return f"{self.module}.{self.function} {'/'.join(self.kinds)}: {self.source}"

    def means(self, mutant: Mutant, kind: str) -> bool:
        """Whether a mutant of this kind is meant."""
        return (
            self.module == mutant.target.name
            and self.function == mutant.function
            and self.source == mutant.source
            and kind == mutant.kind
            and self.becomes in (None, mutant.becomes)
            and self.number in (None, mutant.number)
        )


def read_equivalents(path: Path | None = None) -> list[Equivalent]:
    """The entries of a file, by default of `equivalent.toml`."""
    path = path or Path(__file__).with_name("equivalent.toml")
    listed = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])
    return [Equivalent(**{**entry, "kinds": tuple(entry["kinds"])}) for entry in listed]


def reason_for(mutant: Mutant, equivalents: Iterable[Equivalent]) -> str | None:
    """Why a mutant is equivalent, or None if nothing is said of it."""
    for entry in equivalents:
        if mutant.kind in entry.kinds and entry.means(mutant, mutant.kind):
            return entry.reason
    return None


def not_found(equivalents: Iterable[Equivalent], mutants: Sequence[Mutant]) -> list[str]:
    """Entries that name no mutant, by one of their kinds."""
    return [
        f"{entry} ({kind})"
        for entry in equivalents
        for kind in entry.kinds
        if not any(entry.means(mutant, kind) for mutant in mutants)
    ]
