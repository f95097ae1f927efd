"""A question is words, and never syntax."""

from __future__ import annotations

import pytest

from memoryfield_index.searching.terms import MOST_WORDS, encodable, terms_of


@pytest.mark.parametrize(
    ("question", "words", "compounds"),
    [
        ("Rotate the KEY", ["rotate", "the", "key"], []),
        ("key key KEY", ["key"], []),
        ("max_retry_count", ["max", "retry", "count"], ["max retry count"]),
        ("POST /users/bulk", ["post", "users", "bulk"], ["users bulk"]),
        ('a" OR b*', ["a", "or", "b"], []),
        ("title:x NEAR(y z) ^w", ["title", "x", "near", "y", "z", "w"], ["title x", "near y"]),
        ("don't", ["don", "t"], ["don t"]),
        ("碳纤维", ["碳  纤", "纤  维"], []),
        ("锅", ["锅"], []),
        ("GPU加速", ["gpu", "加  速"], []),
        ("Straße", ["strasse"], []),
        ("?!* -- \"'", [], []),
        ("", [], []),
        ("\0", [], []),
    ],
)
def test_words_of_a_question(question: str, words: list[str], compounds: list[str]) -> None:
    """Each word once; what stands in one piece, also as it stands there."""
    terms = terms_of(question)
    assert [word.strip('"').strip() for word in terms.words] == words
    assert [each.strip('"').strip() for each in terms.compounds] == compounds


def test_a_page_pasted_as_a_question_is_cut() -> None:
    """However long a question is, the work is bounded."""
    terms = terms_of(" ".join(f"w{number}x_y{number}" for number in range(100_000)))
    assert len(terms.words) == MOST_WORDS
    assert len(terms.compounds) <= MOST_WORDS


def test_text_that_cannot_be_stored_becomes_one_that_can() -> None:
    """Lone surrogates and NUL come from hostile arguments and hostile pages."""
    assert encodable("a\ud800b\udcffc\0d") == "a?b?c d"
