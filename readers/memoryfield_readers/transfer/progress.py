"""How far a transfer is, for whoever waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Watch: TypeAlias = Callable[[str, int, int], None]
"""Called with what is counted ("files" or "bytes"), how many are here, and of how many."""


def unwatched(what: str, done: int, total: int) -> None:
    """Nobody waits."""
