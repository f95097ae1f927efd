"""Vectors as directions: which can be compared, and how far two are apart."""

from __future__ import annotations

import math
from operator import mul

from ..values import Vector
from ..vector_faults import NUMBER_BYTES, numbers_of

_SHORTEST, _LONGEST = 1e-18, 1e18
"""Beyond these lengths the square leaves what a float32 can hold, and any distance is nonsense."""


def can_be_compared(vector: Vector) -> bool:
    """Whether a vector has a direction that a float32 can tell."""
    if len(vector) % NUMBER_BYTES:
        return False
    return _SHORTEST < math.hypot(*numbers_of(vector)) < _LONGEST


class Direction:
    """A vector that others are compared with."""

    def __init__(self, vector: Vector) -> None:
        """Take its numbers.

        Raises:
            ValueError: it can be compared with none: it is zero, not finite, or beyond size.
        """
        self._bytes = len(vector)
        self._numbers = numbers_of(vector) if self._bytes % NUMBER_BYTES == 0 else ()
        self._length = math.hypot(*self._numbers)
        if not _SHORTEST < self._length < _LONGEST:
            raise ValueError("the vector is zero, not finite, or beyond size")

    def distance(self, vector: object) -> float | None:
        """The cosine distance of a vector, from 0 to 2; None if it cannot be compared."""
        if not isinstance(vector, bytes) or len(vector) != self._bytes:
            return None
        numbers = numbers_of(vector)
        length = math.hypot(*numbers)
        if not _SHORTEST < length < _LONGEST:
            return None
        cosine: float = sum(map(mul, self._numbers, numbers)) / self._length / length
        return 1.0 - min(1.0, max(-1.0, cosine))
