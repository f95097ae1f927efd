"""Pages become texts of a bounded number of bytes."""

from __future__ import annotations

import random
import string


def beginning(page: bytes, most: int) -> bytes:
    """The longest beginning of at most so many bytes that ends between two characters.

    Arguments:
        page: valid UTF-8.
        most: a number of bytes, at least 4 (no character is longer).
    """
    end = min(most, len(page))
    while 0 < end < len(page) and page[end] & 0xC0 == 0x80:  # in the middle of a character
        end -= 1
    return page[:end]


def utf8_fault(page: bytes) -> str | None:
    """Why these bytes are no text, or None."""
    try:
        page.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"not UTF-8 (at byte {error.start})"
    return None


def sayable(question: str) -> str:
    """A question in which every character can be encoded; what a terminal gave may hold others."""
    return question.encode("utf-8", "replace").decode("utf-8")


def dense_text(size: int) -> str:
    """A text of so many bytes, always the same, that breaks into more tokens than any page."""
    letters = random.Random(size)  # noqa: S311 - a fixed sequence, not a secret
    alphabet = string.ascii_letters + string.digits + string.punctuation
    return "".join(letters.choices(alphabet, k=size))
