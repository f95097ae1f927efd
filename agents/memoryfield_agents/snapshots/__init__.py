"""A field as one stable block of text for a system prompt: same digest, same bytes."""

from __future__ import annotations

from .checking import Check, check
from .composing import DEFAULT_BUDGET, BudgetTooSmall, Snapshot, snapshot
from .parsing import AlteredSnapshot, Listed, NotASnapshot, Recorded, parse
from .session import SessionSnapshot

__all__ = [
    "DEFAULT_BUDGET",
    "AlteredSnapshot",
    "BudgetTooSmall",
    "Check",
    "Listed",
    "NotASnapshot",
    "Recorded",
    "SessionSnapshot",
    "Snapshot",
    "check",
    "parse",
    "snapshot",
]
