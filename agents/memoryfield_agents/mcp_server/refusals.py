"""What is told to an agent that asked for what there is not, or in a way that means nothing."""

from __future__ import annotations

from memoryfield_readers import MemoryfieldError

from .sizing import short

_MOST_SAID = 1500


class Refusal(Exception):
    """A request that cannot be answered; it says why, and what to do instead."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        """Refuse.

        Arguments:
            message: what is wrong, in plain words.
            hint: what to do.
        """
        super().__init__(message)
        self.hint = hint


def as_answer(error: Refusal | MemoryfieldError) -> dict[str, object]:
    """An error as an answer has it, with a bound on its size."""
    hint = error.hint
    return {
        "version": 1,
        "error": short(str(error), _MOST_SAID),
        "hint": None if hint is None else short(hint, _MOST_SAID),
    }
