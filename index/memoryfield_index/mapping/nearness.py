"""Which pages say nearly the same: pairs of vectors whose cosine distance is small.

Nothing is guessed: a pair is only left out unseen if a few numbers of both prove that they are
farther apart than the bound: where the principal components see them, or how they begin.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

from memoryfield_readers import Watch, unwatched

from ..values import Vector
from ..vector_faults import NUMBER_BYTES, numbers_of
from .projecting import dot, unit

DEFAULT_NEAR = 0.02
"""The cosine distance up to which pages say nearly the same, if nothing else is said."""

MOST_PAIRS = 1000
"""So many pairs are kept, the nearest."""

MOST_WORK = 1_500_000_000
"""So many numbers are looked at; 10,000 pages that are not nearly all alike need far less."""

_MOST_HEAD = 128

_DIGITS = 9

_SLACK = 1e-5
"""More than what rounding can do to a distance in space."""


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    """Two pages that are near to each other.

    Attributes:
        distance: the cosine distance of their vectors, from 0 to 2.
        first: the place of one.
        second: the place of the other, which is greater.
    """

    distance: float
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Nearness:
    """The pairs that were found.

    Attributes:
        pairs: the nearest, the very nearest first.
        count: how many there are in all, as far as they were looked for.
        is_whole: whether every pair was looked at, or is known to be too far apart.
    """

    pairs: tuple[Pair, ...]
    count: int
    is_whole: bool


def near_pairs(
    vectors: Sequence[Vector],
    seen: Sequence[tuple[float, ...]],
    near: float,
    *,
    most: int = MOST_PAIRS,
    most_work: int = MOST_WORK,
    watch: Watch = unwatched,
) -> Nearness:
    """The pairs of vectors that are as near as a bound, or nearer.

    Arguments:
        vectors: of one size; none is zero.
        seen: where each is, as `View.seen` has it.
        near: the greatest cosine distance.
        most: how many pairs are kept.
        most_work: about how many numbers are looked at before it ends early.
        watch: is told how many vectors have been compared with all others.
    """
    # Of vectors at length 1, the square of the distance in space is twice the cosine distance. What
    # is seen of two vectors is never farther apart than they are themselves.
    reach = math.sqrt(2 * max(0.0, near)) + _SLACK
    order = sorted(range(len(vectors)), key=lambda place: (seen[place], place))
    spots = [seen[place] for place in order]
    heads = [_head(vectors[place]) for place in order]
    lengths = [math.hypot(*numbers_of(vector)) for vector in vectors]
    kept: list[tuple[float, int, int]] = []  # the farthest on top: all numbers are negated
    count, work, end = 0, 0, 0
    for start, place in enumerate(order):
        watch("compared", start, len(order))
        spot, head = spots[start], heads[start]
        while end < len(spots) and spots[end][0] - spot[0] <= reach:
            end += 1
        near_by = [at for at in range(start + 1, end) if math.dist(spot, spots[at]) <= reach]
        others = [order[at] for at in near_by if math.dist(head, heads[at]) <= reach]
        work += len(near_by) * len(head) // 4 + len(others) * len(vectors[place]) // NUMBER_BYTES
        if work > most_work:
            watch("compared", len(order), len(order))
            return Nearness(_in_order(kept), count, is_whole=False)
        numbers = unit(vectors[place]) if others else []
        for other in others:
            cosine = dot(numbers, numbers_of(vectors[other])) / lengths[other]
            distance = _distance(cosine)
            if distance <= near:
                count += 1
                entry = (-distance, -min(place, other), -max(place, other))
                if len(kept) < most:
                    heapq.heappush(kept, entry)
                else:
                    heapq.heappushpop(kept, entry)
    watch("compared", len(order), len(order))
    return Nearness(_in_order(kept), count, is_whole=True)


def _head(vector: Vector) -> tuple[float, ...]:
    """The first numbers of a vector at length 1, and how long all the others are together."""
    numbers = unit(vector)
    most = min(_MOST_HEAD, len(numbers) // 8)
    return (*numbers[:most], math.hypot(*numbers[most:]))


def _distance(cosine: float) -> float:
    """The cosine distance, without the digits that are nothing but rounding."""
    return round(1.0 - min(1.0, max(-1.0, cosine)), _DIGITS)


def _in_order(kept: Sequence[tuple[float, int, int]]) -> tuple[Pair, ...]:
    return tuple(sorted(Pair(-distance, -first, -second) for distance, first, second in kept))
