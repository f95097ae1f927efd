"""Where a text stands, counted so that occurrences which overlap are several (MF907)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MOST_TOLD = 20
"""So many places are told."""

_PIECE_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Matches:
    """Where a text stands.

    Attributes:
        count: in how many places.
        candidates: the first of them: the file, and the line, from 1.
        at: the file and the offset in bytes of the first; None where it stands nowhere.
    """

    count: int
    candidates: tuple[tuple[str, int], ...]
    at: tuple[str, int] | None


def matches(old: bytes, files: Iterable[tuple[str, bytes]]) -> Matches:
    """Where a text stands in files.

    Arguments:
        old: the text, not empty.
        files: names and contents.
    """
    count = 0
    candidates: list[tuple[str, int]] = []
    at: tuple[str, int] | None = None
    for name, content in files:
        first = content.find(old)
        if first < 0:
            continue
        at = at or (name, first)
        count += _count(old, content, first)
        if len(candidates) < MOST_TOLD:
            candidates += _lines(old, name, content, MOST_TOLD - len(candidates))
    return Matches(count, tuple(candidates), at)


def _count(old: bytes, content: bytes, first: int) -> int:
    """How often a text stands in a file, where the first place is known.

    What overlaps is counted by the run, in time that grows with the file alone: a text that repeats
    itself can stand in half a million places, and to compare it at each would take hours.
    """
    if len(old) == 1:  # one byte cannot overlap itself
        return content.count(old)
    count, place = 0, first
    while place >= 0:
        count += 1
        following = content.find(old, place + 1)
        if 0 <= following < place + len(old):
            # The text repeats itself after so many bytes, and so does the file for a while: there
            # it stands once in each period, as `following` is the first place of them.
            period = following - place
            run = _alike(content, place, following) + period
            more = (run - len(old)) // period
            count += more
            following = content.find(old, place + more * period + 1)
        place = following
    return count


def _alike(content: bytes, one: int, other: int) -> int:
    """How many bytes are the same from two places of a file on, the first before the other."""
    most = len(content) - other
    same, piece, is_growing = 0, _PIECE_BYTES, True
    while piece and same < most:
        end = min(same + piece, most)
        if content[one + same : one + end] == content[other + same : other + end]:
            same = end
        else:
            is_growing = False
        piece = piece * 2 if is_growing else piece // 2
    return same


def _lines(old: bytes, name: str, content: bytes, most: int) -> Iterator[tuple[str, int]]:
    line, counted = 1, 0
    for _, place in zip(range(most), _places(old, content), strict=False):
        line += content.count(b"\n", counted, place)
        counted = place
        yield name, line


def _places(old: bytes, content: bytes) -> Iterator[int]:
    place = content.find(old)
    while place >= 0:
        yield place
        place = content.find(old, place + 1)
