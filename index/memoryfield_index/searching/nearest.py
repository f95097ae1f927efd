"""The rows of an index in the order of their distance to a question.

SQLite finds the candidates, with the function of sqlite-vec or the one in Python. Each is then
measured again in double precision, so that both give one order, and what the rough measure made of
a vector that cannot be compared is found out.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..storage import Index
from ..values import Vector
from .directions import Direction

FIRST = 32
"""So many candidates are looked at to begin with; each time they do not suffice, more."""

_GROWTH = 8
_ROUGH = 1e-4
"""What the measure in single precision may be off."""

_HASH_BYTES = 32
_TOGETHER = 256

_ROUGHLY = """
SELECT CAST(filename AS BLOB), vec_distance_cosine(embedding, ?1) AS distance FROM main.pages
WHERE typeof(embedding) = 'blob' AND octet_length(embedding) = ?2
ORDER BY distance NULLS LAST LIMIT ?3
"""
_IN_FULL = """
SELECT CAST(filename AS BLOB), sha256_hash, embedding FROM main.pages
WHERE typeof(sha256_hash) = 'blob' AND octet_length(sha256_hash) = ?
AND typeof(embedding) = 'blob' AND octet_length(embedding) = ? AND filename IN ({})
"""
_USABLE = """
SELECT CAST(filename AS BLOB), sha256_hash FROM main.pages
WHERE typeof(sha256_hash) = 'blob' AND octet_length(sha256_hash) = ?1
AND typeof(embedding) = 'blob' AND octet_length(embedding) = ?2
AND vec_distance_cosine(embedding, ?3) IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class Near:
    """A row that can be compared; whether it is of the page as it stands, its hash has to tell.

    Attributes:
        filename: the name that it has; it is never used as a path.
        sha256: the hash of the page that was embedded, in hexadecimal.
        distance: the cosine distance to the question, from 0 to 2.
    """

    filename: str
    sha256: str
    distance: float


Found: TypeAlias = "tuple[bytes, bytes, Vector]"
"""A file name as it is stored, a hash, and a vector."""

Rough: TypeAlias = "Sequence[tuple[bytes, float | None]]"
"""File names and rough distances, the nearest first; what has no distance stands at the end."""

Candidates: TypeAlias = "Callable[[int], Rough]"
"""Gives at most so many candidates, fewer only if there are no more."""

Details: TypeAlias = "Callable[[Sequence[bytes]], Iterable[Found]]"
"""Gives what is known of names, where there is something."""


def nearest(index: Index, query: Vector, wanted: Container[str] | None = None) -> Iterator[Near]:
    """Every row that can be compared with a question, the nearest first, each name once.

    Arguments:
        index: an index that was opened with `vec_distance_cosine`.
        query: the vector of the question.
        wanted: the names that count; others, whatever they are, cost next to nothing. None for all.

    Raises:
        ValueError: the question's vector can be compared with none.
        IndexMismatch: the index is damaged.
    """

    def candidates(most: int) -> Rough:
        return list(index.database.rows(_ROUGHLY, (query, len(query), most)))

    def details(names: Sequence[bytes]) -> Iterable[Found]:
        asked = names if wanted is None else [n for n in names if index.text(n) in wanted]
        for start in range(0, len(asked), _TOGETHER):
            few = asked[start : start + _TOGETHER]
            statement = _IN_FULL.format(", ".join(["CAST(? AS TEXT)"] * len(few)))
            yield from index.database.rows(statement, (_HASH_BYTES, len(query), *few))

    for name, sha256, distance in in_order(query, candidates, details):
        text = index.text(name)
        if text is not None:
            yield Near(text, sha256.hex(), distance)


def usable(index: Index, query: Vector) -> Iterator[tuple[str, bytes]]:
    """The names and hashes of the rows that can be compared with a question, as they stand.

    Raises:
        IndexMismatch: the index is damaged.
    """
    for name, sha256 in index.database.rows(_USABLE, (_HASH_BYTES, len(query), query)):
        text = index.text(name)
        if text is not None:
            yield text, sha256


def in_order(
    query: Vector, candidates: Candidates, details: Details, *, most_asked: int | None = None
) -> Iterator[tuple[bytes, bytes, float]]:
    """Names, hashes and exact distances, the nearest first; of equals, the first by name.

    Arguments:
        query: the vector of the question.
        candidates: finds names roughly in this order.
        details: gives the hash and vector for a name.
        most_asked: how many candidates can be asked for; there the order ends. None for any number.

    Raises:
        ValueError: the question's vector can be compared with none.
    """
    direction = Direction(query)
    measured: dict[bytes, tuple[float, bytes] | None] = {}
    given: set[bytes] = set()
    most = FIRST
    while True:
        rough = candidates(most)
        new = list(dict.fromkeys(name for name, _ in rough if name not in measured))
        measured.update(dict.fromkeys(new))
        for name, sha256, vector in details(new):
            distance = direction.distance(vector)
            if measured[name] is None and distance is not None:
                measured[name] = distance, sha256
        # Beyond the last candidate others stand, which are no nearer than it, as far as is known;
        # one without a distance stands behind all that have one.
        last = rough[-1][1] if len(rough) == most else None
        bound = float("inf") if last is None else last - _ROUGH
        ready = [
            (found[0], name, found[1])
            for name, found in measured.items()
            if found is not None and found[0] < bound and name not in given
        ]
        for distance, name, sha256 in sorted(ready):
            given.add(name)
            yield name, sha256, distance
        if last is None or most == most_asked:
            return
        most *= _GROWTH
        if most_asked is not None:
            most = min(most, most_asked)
