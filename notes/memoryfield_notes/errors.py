"""What can go wrong with notes, beside what can go wrong with the field itself.

MemoryfieldError
├── InvalidNote    the note, the revision or the term makes no sense               exit 2
├── StaleSource    the page is no longer what the note was made on                 exit 3
├── StoreError     the store cannot be used as it is: damaged, newer, no store     exit 4
└── NotesAtRisk    it would take away notes that nobody asked to take away         exit 5
"""

from __future__ import annotations

from typing import Final

from memoryfield_readers import MemoryfieldError

UPDATE: Final = "update memoryfield-kit"
"""The hint where something was made by a newer version."""


class InvalidNote(MemoryfieldError):
    """A note, a revision or a term that no store takes; nothing was changed."""

    exit_code = 2


class StaleSource(MemoryfieldError):
    """The page is no longer what the note was made on.

    Attributes:
        expected: the SHA-256 of the page that the note was made on, in hexadecimal.
        actual: that of the page as it is; "" if it is gone.
    """

    exit_code = 3

    def __init__(
        self,
        message: str,
        *,
        location: str | None = None,
        entry: str | None = None,
        hint: str | None = None,
        expected: str = "",
        actual: str = "",
    ) -> None:
        """Say what differs; see the attributes."""
        super().__init__(message, location=location, entry=entry, hint=hint)
        self.expected = expected
        self.actual = actual


class StoreError(MemoryfieldError):
    """A store of notes cannot be used as it is; nothing was changed.

    `location` is the path of the store.
    """


class NotesAtRisk(MemoryfieldError):
    """What was asked for would lose notes or leave all of them without a page; nothing was done."""

    exit_code = 5
