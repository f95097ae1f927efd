"""Where a text stands, counted so that occurrences which overlap are several (MF907)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MOST_TOLD = 20
"""So many places are told."""


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
        # One byte cannot overlap itself, and is the only text that stands in a field very often.
        count += content.count(old) if len(old) == 1 else sum(1 for _ in _places(old, content))
        if len(candidates) < MOST_TOLD:
            candidates += _lines(old, name, content, MOST_TOLD - len(candidates))
    return Matches(count, tuple(candidates), at)


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
