"""Texts counted where they stand, overlapping ones too, whatever they are made of (MF907)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoryfield_writer.planning.matching import matches

_FEW_LETTERS = st.text("ab", min_size=1, max_size=6).map(str.encode)


@given(st.lists(st.tuples(_FEW_LETTERS, st.integers(1, 9)), max_size=6), _FEW_LETTERS)
def test_as_many_as_there_are(pieces: list[tuple[bytes, int]], old: bytes) -> None:
    """A text is found in each place where it stands."""
    content = b"".join(piece * times for piece, times in pieces)
    found = matches(old, [("a.md", content)])
    assert found.count == sum(content.startswith(old, at) for at in range(len(content)))
    at = content.find(old)
    assert found.at == (None if at < 0 else ("a.md", at))


@given(st.integers(1, 5000), st.integers(1, 4), st.integers(0, 3000))
def test_long_runs(times: int, period: int, rest: int) -> None:
    """A text that repeats itself is found once in each period."""
    content = b"xyzw"[:period] * times + b"-" * rest
    old = b"xyzw"[:period] * (times // 2 + 1)
    assert matches(old, [("a.md", content)]).count == times - times // 2


def test_no_text_keeps_the_lock_for_hours() -> None:
    """A page of one letter, and half of it: compared in each place, that would never end."""
    letters = 1024 * 1024
    found = matches(b"a" * (letters // 2), [("a.md", b"a" * letters)])
    assert found.count == letters // 2 + 1
