"""What differs, found in bounded time, and word by word."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.validator.comparing_fields import compared, only

from memoryfield_validator.comparing import Effort, PageDiff, Word, words_of
from memoryfield_validator.comparing import differences as bounds
from memoryfield_validator.comparing.differences import differences
from memoryfield_validator.unified import LineChange, lines_of

ITEMS = st.lists(st.sampled_from("abcd"), max_size=14)
SIZE = 60_000


def rebuilt(
    before: Sequence[object], after: Sequence[object], changes: Sequence[LineChange]
) -> list[object]:
    """The sequence that the changes make of the first one; what stays between them is checked."""
    made: list[object] = []
    done = 0
    for start, end, new_start, new_end in changes:
        assert done <= start <= end
        assert (end, new_end) != (start, new_start)
        made += before[done:start]
        assert len(made) == new_start
        made += after[new_start:new_end]
        done = end
    return made + list(before[done:])


def common(before: Sequence[str], after: Sequence[str]) -> int:
    """The length of the longest part that both have in the same order."""
    row = [0] * (len(after) + 1)
    for one in before:
        last = row
        row = [0]
        for at, other in enumerate(after):
            row.append(last[at] + 1 if one == other else max(last[at + 1], row[at]))
    return row[-1]


@settings(max_examples=300, deadline=None)
@given(ITEMS, ITEMS, st.integers(0, 40))
def test_differences_lead_from_one_to_the_other(
    before: list[str], after: list[str], left: int
) -> None:
    """With and without effort that is left, the changes are right, in order, and apart."""
    for effort in (Effort(), Effort(left)):
        changes = differences(before, after, effort)
        assert rebuilt(before, after, changes) == after
        for one, two in pairwise(changes):
            assert two.start - one.end == two.new_start - one.new_end > 0


@settings(max_examples=200, deadline=None)
@given(ITEMS, ITEMS)
def test_differences_are_the_smallest(before: list[str], after: list[str]) -> None:
    """Where no line stands once in both, no more of them go and come than must."""
    once = {each for each in before if before.count(each) == after.count(each) == 1}
    before, after = ([each for each in items if each not in once] for items in (before, after))
    changes = differences(before, after, Effort())
    told = sum(each.end - each.start + each.new_end - each.new_start for each in changes)
    assert told == len(before) + len(after) - 2 * common(before, after)


HOSTILE: dict[str, tuple[Sequence[object], Sequence[object]]] = {
    "equal lines": (["a"] * SIZE, ["a"] * (SIZE // 2)),
    "two lines in turn": (["a", "b"] * (SIZE // 2), ["b", "a"] * (SIZE // 2 - 9)),
    "every other line": (["a"] * SIZE, ["a", "b"] * (SIZE // 2)),
    "no order": (
        [number * 7919 % 13 % 2 for number in range(SIZE)],
        [number * 104_729 % 17 % 2 for number in range(SIZE)],
    ),
    "all lines elsewhere": (range(SIZE), [number * 7919 % SIZE for number in range(SIZE)]),
    "backwards": (range(SIZE), range(SIZE)[::-1]),
    "nothing alike": (["a"] * SIZE, ["b"] * SIZE),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_effort_is_bounded(name: str) -> None:
    """No page takes more than its share; what is told is right, and not too much of it."""
    before, after = HOSTILE[name]
    effort = Effort()
    changes = differences(before, after, effort)
    assert rebuilt(before, after, changes) == list(after)
    longest_step = max(len(before), len(after))  # the last step is counted when it is done
    assert bounds.MOST_IN_ALL - effort.left <= bounds.MOST_IN_PAGE + longest_step
    assert len(changes) <= bounds.MOST_CHANGES


def test_effort_is_spent() -> None:
    """What one page takes is not there for the next one."""
    before, after = HOSTILE["no order"]
    effort = Effort(bounds.MOST_IN_PAGE + 7)
    differences(before, after, effort)
    assert effort.left == 7
    differences(before, after, effort)
    assert effort.left <= 0
    changes = differences("abcab", "cabba", effort)
    assert rebuilt("abcab", "cabba", changes) == list("cabba")


def words(before: str | bytes, after: str | bytes) -> list[Word]:
    """The words of the one hunk between two pages."""
    diff = only(compared({"a.md": before}, {"a.md": after}, audit=False)).diff
    assert diff is not None
    (hunk,) = words_of(diff, Effort())
    return list(hunk.words)


def test_words() -> None:
    """The words that differ are told; those with only a blank in between are told together."""
    assert words("One old word here.\nB\n", "One very new word here!\nB\n") == [
        ("same", "One "),
        ("removed", "old"),
        ("added", "very new"),
        ("same", " word here"),
        ("removed", "."),
        ("added", "!"),
        ("same", "\nB\n"),
    ]
    assert words("a b c d\n", "x y c d\n") == [
        ("removed", "a b"),
        ("added", "x y"),
        ("same", " c d\n"),
    ]


TEXTS = st.text("ab -\n\r\t.\u00e9", max_size=30).map(str.encode)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, st.sampled_from([None, 0, 20]))
def test_words_hold_both_versions(before: bytes, after: bytes, left: int | None) -> None:
    """What stays and goes are the lines before, what stays and comes are the lines after."""
    diff = PageDiff.of("a.md", "a.md", before, after, Effort())
    found = list(words_of(diff, Effort() if left is None else Effort(left)))
    old, new = lines_of(before), lines_of(after)
    for hunk, of_words in zip(diff.hunks(), found, strict=True):
        pieces = of_words.words
        stays_or_goes = "".join(each.text for each in pieces if each.kind != "added")
        stays_or_comes = "".join(each.text for each in pieces if each.kind != "removed")
        assert stays_or_goes.encode() == b"".join(old[hunk.start : hunk.end])
        assert stays_or_comes.encode() == b"".join(new[hunk.new_start : hunk.new_end])
        assert of_words.header == hunk.header
        assert of_words.first == hunk.new_start + 1
        assert all(each.text for each in pieces)
        assert all(one.kind != two.kind for one, two in pairwise(pieces))


def test_words_of_what_is_not_utf8() -> None:
    """Bytes that are not UTF-8 are words of their own."""
    assert words(b"a \xff b\n", b"a \xfe b\n")[1:3] == [("removed", "\udcff"), ("added", "\udcfe")]


def test_words_of_a_huge_line() -> None:
    """A line that is too long to be compared word by word is replaced as a whole."""
    before, after = "a b " * 40_000, "b a " * 40_000
    assert words(before, after) == [("removed", before), ("added", after)]
