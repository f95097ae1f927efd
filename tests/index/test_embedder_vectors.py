"""Numbers become vectors, and pages texts of a bounded length."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryfield_index.embedders.texts import beginning, dense_text, sayable, utf8_fault
from memoryfield_index.embedders.vectors import UnusableVectorError, cosine, vector_of


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_a_vector_has_length_one_or_is_refused(numbers: list[float]) -> None:
    """However large or small the numbers are, the vector is finite and of length 1."""
    try:
        vector = vector_of(numbers, 3)
    except UnusableVectorError:
        assert not any(numbers)
        return
    assert math.hypot(*struct.unpack("<3f", vector)) == pytest.approx(1, abs=1e-6)
    assert cosine(vector, vector) == pytest.approx(1, abs=1e-6)


def test_a_vector_is_little_endian_float32() -> None:
    """It is stored as the standard has it."""
    assert vector_of([0, 2], 2) == bytes.fromhex("000000000000803f")


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ([], "0 numbers instead of 2"),
        ([1.0], "1 numbers instead of 2"),
        ([1.0, 2.0, 3.0], "3 numbers instead of 2"),
        ([0.0, -0.0], "nothing but zeros"),
        ([1.0, math.nan], "not finite"),
        ([math.inf, 1.0], "not finite"),
        ([1.0, None], "other than numbers"),
        ([1.0, "two"], "other than numbers"),
    ],
    ids=["none", "few", "many", "zeros", "nan", "infinite", "null", "word"],
)
def test_what_is_no_embedding_is_refused(numbers: list[float], reason: str) -> None:
    """It says what is wrong with it."""
    with pytest.raises(UnusableVectorError, match=reason):
        vector_of(numbers, 2)


@given(st.text(), st.integers(min_value=4, max_value=40))
def test_a_beginning_ends_between_two_characters(text: str, most: int) -> None:
    """It is text, at most so long, and the longest such."""
    page = text.encode("utf-8", "ignore")
    part = beginning(page, most)
    assert len(part) <= most
    assert page.startswith(part)
    assert len(page) <= most or len(part) > most - 4
    part.decode("utf-8")


def test_texts_that_are_none_are_told() -> None:
    """A page that is no UTF-8 says where; a question with a lone surrogate becomes sayable."""
    assert utf8_fault(b"ab\xff") == "not UTF-8 (at byte 2)"
    assert utf8_fault("ä".encode()) is None
    assert sayable("a\udcffb") == "a?b"


def test_the_dense_text_is_always_the_same() -> None:
    """It has so many bytes, and few letters in a row."""
    assert dense_text(100) == dense_text(100)
    assert len(dense_text(8192).encode()) == 8192
