"""Texts that are replaced where they stand exactly once (MF907)."""

from __future__ import annotations

import pytest
from tests.writer.edits import edited, planned

from memoryfield_readers import (
    AmbiguousMatch,
)
from memoryfield_writer import (
    AddPage,
    Operation,
    RemovePage,
    RenamePage,
    ReplaceText,
)

TEXTS: dict[str, str | bytes] = {
    "a.md": "one\ntwo aaa\nthree\r\n",
    "b.md": b"two bbb \xff\n",
    "c.csv": b"three bbb",
}


@pytest.mark.parametrize(
    ("old", "name", "count", "candidates"),
    [
        ("zero", None, 0, ()),
        ("two", None, 2, (("a.md", 2), ("b.md", 1))),
        ("aa", None, 2, (("a.md", 2), ("a.md", 2))),
        ("aa", "a.md", 2, (("a.md", 2), ("a.md", 2))),
        ("bbb", "a.md", 0, ()),
        ("e", "a.md", 3, (("a.md", 1), ("a.md", 3), ("a.md", 3))),
        ("\ufffd", None, 0, ()),
        ("three\n", None, 0, ()),
    ],
)
def test_a_text_that_is_not_there_once(
    old: str, name: str | None, count: int, candidates: tuple[tuple[str, int], ...]
) -> None:
    """A text that stands nowhere, or several times, overlapping ones counted, is refused."""
    with pytest.raises(AmbiguousMatch) as found:
        planned(TEXTS, ReplaceText(old, "new", name))
    error = found.value
    assert (error.count, error.candidates, error.operation) == (count, candidates, 1)


def test_many_places_are_counted_and_few_told() -> None:
    """The count is right where more places are found than told."""
    with pytest.raises(AmbiguousMatch) as found:
        planned({"a.md": "ab\n" * 1000, "b.md": "ab"}, ReplaceText("ab", "c"))
    assert found.value.count == 1001
    assert found.value.candidates == tuple(("a.md", line) for line in range(1, 21))


@pytest.mark.parametrize(
    ("operation", "name", "after"),
    [
        (ReplaceText("three\r\n", "3\r\n"), "a.md", b"one\ntwo aaa\n3\r\n"),
        (ReplaceText("two", "2", "b.md"), "b.md", b"2 bbb \xff\n"),
        (ReplaceText("one\n", "", "a.md"), "a.md", b"two aaa\nthree\r\n"),
    ],
    ids=repr,
)
def test_a_text_is_replaced_byte_for_byte(operation: Operation, name: str, after: bytes) -> None:
    """Only the text that is meant changes; attachments are not searched."""
    assert edited(TEXTS, operation)[name] == after


def test_texts_are_searched_as_they_stand_by_then() -> None:
    """A replacement sees what the operations before it have made."""
    after = edited(
        TEXTS,
        ReplaceText("one", "first"),
        ReplaceText("first", "1st"),
        RemovePage("b.md"),
        ReplaceText("two", "2"),
        AddPage("d.md", "four\n"),
        ReplaceText("four", "4"),
        RenamePage("d.md", "e.md"),
        ReplaceText("4", "iv"),
    )
    assert after["a.md"] == b"1st\n2 aaa\nthree\r\n"
    assert after["e.md"] == b"iv\n"
