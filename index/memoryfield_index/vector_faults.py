"""What is wrong with a vector: such a one is neither stored nor ranked (MF506)."""

from __future__ import annotations

import math
import sys
from array import array

from .values import Vector

NUMBER_BYTES = 4
"""Bytes of a float32."""

MOST_DIMENSION = 65_536
"""Numbers of an embedding at most."""

_OF_ZEROS = b"\x00\x80"
"""The bytes that a zero consists of; a number with any other byte is none."""


def fault_of(vector: Vector, dimension: int) -> str | None:
    """Why a vector cannot be used, in a few words; None if it can.

    Arguments:
        vector: little-endian float32 numbers.
        dimension: how many there have to be.
    """
    if len(vector) != dimension * NUMBER_BYTES or not vector:
        return f"has {len(vector)} bytes in place of {dimension * NUMBER_BYTES}"
    # What is not finite has one of two last bytes, which hardly any other number has: looking for
    # them takes a hundredth of the time. The sum of so many float32 is finite if all of them are.
    last = vector[NUMBER_BYTES - 1 :: NUMBER_BYTES]
    is_large = b"\x7f" in last or b"\xff" in last
    if is_large and not math.isfinite(sum(numbers_of(vector))):
        return "has a number that is not finite"
    if not vector.strip(_OF_ZEROS) and not any(numbers_of(vector)):
        return "is nothing but zeros"
    return None


def numbers_of(vector: Vector) -> array[float]:
    """The numbers of a vector."""
    numbers = array("f", vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of the angle between two vectors that have no fault and are of one size."""
    first, second = numbers_of(one), numbers_of(other)
    product = math.fsum(a * b for a, b in zip(first, second, strict=True))
    lengths = math.hypot(*first) * math.hypot(*second)
    return product / lengths if lengths else 0.0
