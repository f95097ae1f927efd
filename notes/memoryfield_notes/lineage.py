"""From a page up to the page that has no parent, one step at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .record import Record

MOST_STEPS = 1_000
"""So many ancestors are followed."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """The ancestors of a page.

    Attributes:
        records: its parent, the parent of that, and so on.
        missing: what the last of them names as its parent, if there is no such page.
        cycle: the id at which the way comes back to where it was before; None if it does not.
        cut: whether it was followed no further than `MOST_STEPS`.
    """

    records: tuple[Record, ...] = ()
    missing: str | None = None
    cycle: str | None = None
    cut: bool = False


def lineage_of(record: Record, found: Callable[[str], Record | None]) -> Lineage:
    """Follow the parents of a record.

    Arguments:
        record: where to begin.
        found: gives the record of an id, or None.
    """
    above: list[Record] = []
    met = {record.id}
    here = record
    while here.parent is not None:
        if here.parent in met:
            return Lineage(tuple(above), cycle=here.parent)
        if len(above) == MOST_STEPS:
            return Lineage(tuple(above), cut=True)
        parent = found(here.parent)
        if parent is None:
            return Lineage(tuple(above), missing=here.parent)
        above.append(parent)
        met.add(parent.id)
        here = parent
    return Lineage(tuple(above))
