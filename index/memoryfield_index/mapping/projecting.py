"""Vectors of many numbers seen from where they differ most: principal components.

The same vectors always give the same numbers: nothing here is chosen by chance. Of many vectors,
those of a sample decide from where all are looked at; it is chosen by what the vectors are.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import TypeAlias

from ..values import Vector
from ..vector_faults import NUMBER_BYTES, numbers_of

Numbers: TypeAlias = list[float]

COMPONENTS = 16
"""So many directions are looked for: two for the picture, all of them to tell what is far apart."""

IN_PICTURE = 2

MOST_SAMPLE = 400
"""So many vectors decide on the directions."""

_MOST_SAMPLE_WORK = 64_000_000
"""Products of two numbers for that; vectors of very many numbers have a smaller sample."""

_MOST_ROUNDS = 200
_FEWER_ROUNDS = 25
"""For what is not in the picture: any directions at right angles serve there."""

_SETTLED = 1e-9
_NOTHING = 1e-9
"""What is shorter than this is a rounding error, and no direction."""


@dataclass(frozen=True, slots=True)
class View:
    """Directions at right angles to each other, and the place they are looked at from.

    Attributes:
        centre: the mean of the vectors, each taken at length 1.
        directions: of length 1, that of the greatest differences first.
    """

    centre: Numbers
    directions: tuple[Numbers, ...]

    def seen(self, vector: Vector) -> tuple[float, ...]:
        """Where a vector, taken at length 1, is along each direction, and how far off them all."""
        away = _minus(unit(vector), self.centre)
        along = [dot(direction, away) for direction in self.directions]
        rest = dot(away, away) - dot(along, along)
        return (*along, math.sqrt(max(0.0, rest)))


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    """The sum of the products."""
    return math.fsum(map(mul, one, other))  # `sum` adds in another way from Python 3.12 on


def unit(vector: Vector) -> Numbers:
    """The numbers of a vector at length 1."""
    numbers = numbers_of(vector).tolist()
    length = math.hypot(*numbers)
    return [number / length for number in numbers]


def view_of(vectors: Sequence[Vector]) -> View:
    """From where vectors of one size, none of which is zero, differ most."""
    chosen = [unit(vector) for vector in _sample(vectors)]
    if not chosen:
        return View([], ())
    centre = [math.fsum(column) / len(chosen) for column in zip(*chosen, strict=True)]
    away = [_minus(numbers, centre) for numbers in chosen]
    return View(centre, tuple(_directions(away)))


def _sample(vectors: Sequence[Vector]) -> list[Vector]:
    """Some of the vectors, whatever their order."""
    if not vectors:
        return []
    dimension = len(vectors[0]) // NUMBER_BYTES
    most = max(2, min(MOST_SAMPLE, math.isqrt(2 * _MOST_SAMPLE_WORK // dimension)))
    return sorted(vectors, key=lambda vector: hashlib.sha256(vector).digest())[:most]


def _directions(away: Sequence[Numbers]) -> list[Numbers]:
    """The principal components of centred vectors, by way of the products of each two of them."""
    products = [[0.0] * len(away) for _ in away]
    for place, one in enumerate(away):
        for other in range(place + 1):
            products[place][other] = products[other][place] = dot(one, away[other])
    least = _NOTHING * max((row[place] for place, row in enumerate(products)), default=0.0)
    found: list[Numbers] = []
    while len(found) < min(COMPONENTS, len(away) - 1):
        rounds = _MOST_ROUNDS if len(found) < IN_PICTURE else _FEWER_ROUNDS
        size, weights = _strongest(products, rounds)
        if size <= max(least, _NOTHING**2):
            break
        direction = _at_right_angles(_mixed(weights, away), found)
        if direction is None:
            break
        found.append(direction)
        for weight, row in zip(weights, products, strict=True):
            part = size * weight
            row[:] = [number - part * other for number, other in zip(row, weights, strict=True)]
    return found


def _strongest(products: Sequence[Numbers], rounds: int) -> tuple[float, Numbers]:
    """The greatest eigenvalue and its eigenvector, by power iteration."""
    start = max(range(len(products)), key=lambda place: products[place][place])
    weights = list(products[start])
    size = 0.0
    for _ in range(rounds):
        length = math.hypot(*weights)
        if length <= _NOTHING**2:
            return 0.0, weights
        weights = [weight / length for weight in weights]
        turned = [dot(row, weights) for row in products]
        size = dot(turned, weights)
        off = math.hypot(*(new - size * old for new, old in zip(turned, weights, strict=True)))
        if off <= _SETTLED * size:
            break
        weights = turned
    length = math.hypot(*weights)
    return size, [weight / length for weight in weights]


def _mixed(weights: Sequence[float], rows: Sequence[Numbers]) -> Numbers:
    """The sum of rows, each so many times."""
    total = [0.0] * len(rows[0])
    for weight, row in zip(weights, rows, strict=True):
        total = [number + weight * other for number, other in zip(total, row, strict=True)]
    return total


def _at_right_angles(numbers: Numbers, found: Sequence[Numbers]) -> Numbers | None:
    """A direction made one of length 1 that shares nothing with others; None if nothing is left."""
    for _ in range(2):  # the second time takes away what rounding left
        for other in found:
            part = dot(numbers, other)
            numbers = [a - part * b for a, b in zip(numbers, other, strict=True)]
        length = math.hypot(*numbers)
        if length <= _NOTHING:
            return None
        numbers = [number / length for number in numbers]
    # Either sign is right: the greatest number is positive.
    greatest = max(range(len(numbers)), key=lambda place: abs(numbers[place]))
    return numbers if numbers[greatest] > 0 else [-number for number in numbers]


def _minus(one: Sequence[float], other: Sequence[float]) -> Numbers:
    return [a - b for a, b in zip(one, other, strict=True)]
