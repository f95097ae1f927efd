"""Which lines differ between two versions of a page, in time that is linear in their number.

Made for versions that differ in single lines. It is not always the smallest difference, but always
a right one, and no page can make it slow.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from ..unified import LineChange


def line_changes(before: Sequence[Hashable], after: Sequence[Hashable]) -> Iterator[LineChange]:
    """The stretches of lines that differ, in order."""
    done, new_done = 0, 0
    for at, new_at in (*unique_in_both(before, after), (len(before), len(after))):
        if at >= done and new_at >= new_done:
            yield from _between(before, after, LineChange(done, at, new_done, new_at))
            done, new_done = at, new_at


def _between(
    before: Sequence[Hashable], after: Sequence[Hashable], stretch: LineChange
) -> Iterator[LineChange]:
    """The lines that differ within a stretch that holds no line unique in both."""
    start, end, new_start, new_end = stretch
    while start < end and new_start < new_end and before[start] == after[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and before[end - 1] == after[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    if end - start != new_end - new_start:
        yield LineChange(start, end, new_start, new_end)
        return
    shift = new_start - start
    for line in range(start, end):
        if before[line] != after[line + shift]:
            yield LineChange(line, line + 1, line + shift, line + shift + 1)


def unique_in_both(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Places of lines that stand once in each version, as many as are in the same order."""
    once = {line for line, count in Counter(before).items() if count == 1}
    once &= {line for line, count in Counter(after).items() if count == 1}
    places = {line: number for number, line in enumerate(after) if line in once}
    pairs = [(number, places[line]) for number, line in enumerate(before) if line in once]
    return _longest_rising(pairs)


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs whose second numbers rise, too."""
    tails: list[int] = []  # the last number of a rising part of each length, and its index
    indexes: list[int] = []
    earlier: list[int] = []
    for index, (_, number) in enumerate(pairs):
        length = bisect_left(tails, number)
        earlier.append(indexes[length - 1] if length else -1)
        tails[length : length + 1] = [number]
        indexes[length : length + 1] = [index]
    rising: list[tuple[int, int]] = []
    index = indexes[-1] if indexes else -1
    while index >= 0:
        rising.append(pairs[index])
        index = earlier[index]
    return rising[::-1]
