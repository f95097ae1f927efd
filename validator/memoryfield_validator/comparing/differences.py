"""What differs between two sequences: as little as can be where that is cheap to find.

The smallest difference costs time that grows with the square of its size, which a hostile page can
make as large as it likes. So the search has a bound; past it comes what is found in linear time.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from ..fixes.line_changes import line_changes, unique_in_both
from ..unified import LineChange

MOST_IN_PAGE = 500_000
"""Steps of all searches in one page; most pages take a few hundred."""

MOST_IN_ALL = 10_000_000
"""Steps of all searches of a comparison together: seconds, not hours."""

MOST_CHANGES = 10_000
"""Changes of one page that are told apart."""


class Effort:
    """What may still be spent on finding smallest differences.

    Attributes:
        left: so many steps.
    """

    def __init__(self, left: int = MOST_IN_ALL) -> None:
        """Nothing is spent yet."""
        self.left = left


def differences(
    before: Sequence[Hashable], after: Sequence[Hashable], effort: Effort
) -> tuple[LineChange, ...]:
    """The stretches that differ, in order, with something that stays between any two.

    Arguments:
        before: lines or words.
        after: those that stand there now.
        effort: what may be spent; it is lowered by what is.
    """
    ids: dict[Hashable, int] = {}
    old = [ids.setdefault(each, len(ids)) for each in before]
    new = [ids.setdefault(each, len(ids)) for each in after]
    of_page = Effort(most := min(effort.left, MOST_IN_PAGE))
    changes = tuple(_joined(_between_anchors(old, new, of_page)))
    effort.left -= most - of_page.left
    if len(changes) > MOST_CHANGES:
        first, last = changes[0], changes[-1]
        return (LineChange(first.start, last.end, first.new_start, last.new_end),)
    return changes


def _between_anchors(old: list[int], new: list[int], effort: Effort) -> Iterator[LineChange]:
    """What differs between the lines that stand once in each version: they stay where they are."""
    start, new_start = 0, 0
    for at, new_at in (*unique_in_both(old, new), (len(old), len(new))):
        if at > start or new_at > new_start:
            yield from _in_stretch(old, new, LineChange(start, at, new_start, new_at), effort)
        start, new_start = at + 1, new_at + 1


def _in_stretch(
    old: list[int], new: list[int], stretch: LineChange, effort: Effort
) -> Iterator[LineChange]:
    start, end, new_start, new_end = stretch
    while start < end and new_start < new_end and old[start] == new[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and old[end - 1] == new[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    if start == end or new_start == new_end:
        if start < end or new_start < new_end:
            yield LineChange(start, end, new_start, new_end)
        return
    a, b = old[start:end], new[new_start:new_end]
    found = _smallest(a, b, effort)
    for change in line_changes(a, b) if found is None else found:
        yield LineChange(
            start + change.start,
            start + change.end,
            new_start + change.new_start,
            new_start + change.new_end,
        )


def _smallest(old: list[int], new: list[int], effort: Effort) -> list[LineChange] | None:
    """The smallest difference, by Myers' greedy algorithm; None if it takes too many steps.

    Row by row, it notes how far one comes with so many lines removed or added. On diagonal k, of
    `furthest[k]` lines of the old version `furthest[k] - k` of the new one are used up.
    """
    steps = 0
    count, new_count = len(old), len(new)
    furthest: dict[int, int] = {1: 0}
    rows: list[dict[int, int]] = []
    for size in range(count + new_count + 1):
        row: dict[int, int] = {}
        for k in range(-size, size + 1, 2):
            steps += 1
            is_added = k == -size or (
                k != size and furthest.get(k - 1, -1) < furthest.get(k + 1, -1)
            )
            at = furthest.get(k + 1, 0) if is_added else furthest[k - 1] + 1
            new_at = begin = at - k
            while at < count and new_at < new_count and old[at] == new[new_at]:
                at, new_at = at + 1, new_at + 1
            steps += new_at - begin
            row[k] = at
            if at >= count and new_at >= new_count:
                effort.left -= steps
                return _traced(rows, count, new_count)
            if steps > effort.left:
                effort.left = 0
                return None
        rows.append(row)
        furthest = row
    raise AssertionError("all lines removed and added is a difference")


def _traced(rows: list[dict[int, int]], at: int, new_at: int) -> list[LineChange]:
    """The way back from the end of both versions, as changes of one line each."""
    changes: list[LineChange] = []
    for size in range(len(rows), 0, -1):
        row, k = rows[size - 1], at - new_at
        is_added = k == -size or (k != size and row.get(k - 1, -1) < row.get(k + 1, -1))
        if is_added:
            at = row[k + 1]
            new_at = at - k - 1
            changes.append(LineChange(at, at, new_at, new_at + 1))
        else:
            at = row[k - 1]
            new_at = at - k + 1
            changes.append(LineChange(at, at + 1, new_at, new_at))
    return changes[::-1]


def _joined(changes: Iterable[LineChange]) -> Iterator[LineChange]:
    """The changes, those with nothing in between as one."""
    last: LineChange | None = None
    for change in changes:
        if last is not None and (change.start, change.new_start) == (last.end, last.new_end):
            last = LineChange(last.start, change.end, last.new_start, change.new_end)
            continue
        if last is not None:
            yield last
        last = change
    if last is not None:
        yield last
