"""Numbers become a vector as an index stores it, or are refused."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from ..values import Vector


class UnusableVectorError(Exception):
    """The numbers are no embedding: wrong in count, not finite, or all zero."""


class WrongDimensionError(UnusableVectorError):
    """There are more or fewer numbers than the model gives."""


def vector_of(numbers: Sequence[float], dimension: int) -> Vector:
    """The vector of length 1 that points where the numbers point.

    Arguments:
        numbers: an embedding as it came, of any length above zero.
        dimension: how many numbers there have to be.

    Raises:
        UnusableVectorError: no such vector can be made of them.
    """
    if len(numbers) != dimension:
        raise WrongDimensionError(f"an embedding of {len(numbers)} numbers instead of {dimension}")
    try:
        floats = [float(number) for number in numbers]
    except (TypeError, ValueError):
        raise UnusableVectorError("an embedding that holds something other than numbers") from None
    largest = max(map(abs, floats), default=0.0)
    if not all(map(math.isfinite, floats)):
        raise UnusableVectorError("an embedding that is not finite")
    if largest == 0.0:
        raise UnusableVectorError("an embedding of nothing but zeros")
    scaled = [number / largest for number in floats]  # so that no square overflows or vanishes
    length = math.hypot(*scaled)
    return struct.pack(f"<{dimension}f", *(number / length for number in scaled))


def cosine(one: Vector, other: Vector) -> float:
    """The cosine between two vectors of length 1 and equal size."""
    shape = f"<{len(one) // 4}f"
    pairs = zip(struct.unpack(shape, one), struct.unpack(shape, other), strict=True)
    return math.fsum(a * b for a, b in pairs)
