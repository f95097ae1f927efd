"""What a store holds of each page: its content as it was last seen, and the note on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

StoreKind: TypeAlias = Literal["json", "sqlite"]

MOST_NOTE_BYTES = 65_536
"""Bytes of a note in UTF-8."""

MOST_REVISION = 2**53 - 1
"""The highest revision: the largest whole number that every reader of JSON keeps."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a reader wrote about a page, and what it was written about.

    Attributes:
        text: the note; never empty, at most `MOST_NOTE_BYTES` in UTF-8.
        sha256: that of the page that it was made on, in hexadecimal.
        pin: the field pin of the field that the page was read from.
        written: when, in UTC, as RFC 3339 has it, to the second and with `Z`.
    """

    text: str
    sha256: str
    pin: str
    written: str


@dataclass(frozen=True, slots=True)
class Record:
    """One page of a field as a store knows it.

    Attributes:
        id: its uuid in lower case; its file name where it has none that is its own alone.
        name: its file name.
        text: its text, as `Page.text` gives it; "" for an orphan.
        parent: the id of the page that it names as its parent; the text itself where that is no
            page of the field; None where it names none.
        rev: its revision, from 1: one higher for each change of the note or of the page's content.
        sha256: that of its bytes, in hexadecimal.
        pin: the field pin of the last version of the field in which it was seen.
        orphan: whether it is not in the field any more; it is kept for its note.
        note: the note on it, or None.
    """

    id: str
    name: str
    text: str
    parent: str | None
    rev: int
    sha256: str
    pin: str
    orphan: bool = False
    note: Note | None = None

    @property
    def is_stale(self) -> bool:
        """Whether there is a note, and the page is no longer what it was made on.

        What is compared is the page as the store last saw it, not as it may be by now.
        """
        return self.note is not None and (self.orphan or self.note.sha256 != self.sha256)


@dataclass(frozen=True, slots=True)
class Origin:
    """Which field a store is about.

    Attributes:
        name: the name of the field.
        location: where it was last read from, as messages show it.
        pin: its field pin at that time; "" where it was never read.
    """

    name: str
    location: str
    pin: str
