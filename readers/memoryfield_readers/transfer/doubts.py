"""What is told of a transfer that could be deceived: of bytes that were proved, it says nothing."""

from __future__ import annotations

from collections.abc import Iterable

NO_VERSION = (
    "the server gives no version: a change between two requests is seen only by sizes and CRCs"
)
NO_LENGTH = (
    "the server announced no length: that it is whole is seen only by its end record and CRCs"
)


def without_doubts(notes: Iterable[str]) -> tuple[str, ...]:
    """Notes on something whose bytes were proved by a hash."""
    return tuple(note for note in notes if note not in (NO_VERSION, NO_LENGTH))
