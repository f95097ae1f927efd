"""Several rankings made one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

K = TypeVar("K", bound=Hashable)

_RANK = 60
"""The constant of Cormack, Clarke and Büttcher (SIGIR 2009): how little the first places count."""


def fuse(rankings: Iterable[Sequence[K]]) -> list[tuple[K, float]]:
    """What stands in some rankings, with a score, the best first: reciprocal-rank fusion.

    Arguments:
        rankings: each with the best first, nothing twice; of equals, what an earlier one has comes
            first.
    """
    scores: dict[K, float] = {}
    for ranking in rankings:
        for place, key in enumerate(ranking, 1):
            scores[key] = scores.get(key, 0.0) + 1 / (_RANK + place)
    return sorted(scores.items(), key=lambda scored: -scored[1])
