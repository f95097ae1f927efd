"""The one thing that an agent may change, and only where it was allowed at start: a note."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from memoryfield_readers import MemoryfieldError

from ..fields import HeldField
from .arguments import Setting
from .cursors import Cursors
from .note_stores import Noted, NoteStores, reason
from .noted import notice_for, reader_note, with_cursor
from .reading import heading, near, numbers_of
from .refusals import Refusal
from .sizing import MOST_POINTS, short

_MOST_NAME = 400
_MOST_SHOWN = MOST_POINTS // 2
"""Points of the note that is there now: who replaces it should have read it."""


def set_note(held: HeldField, wish: Setting, notes: NoteStores, cursors: Cursors) -> dict[str, Any]:
    """An answer that says whether a note was set, and which note is there now.

    Arguments:
        held: the field.
        wish: the page, the revision that was read, and the text.
        notes: where the notes are.
        cursors: what makes cursors.

    Raises:
        Refusal: it cannot be set: there is no such page, the note is none, or the store cannot be
            written to; nothing was changed.
    """
    pieces, missing = numbers_of(held, [wish.page])
    if missing:
        nears = near(held, wish.page)
        raise Refusal(
            f"field {held.name} has no page {short(wish.page, _MOST_NAME)!r}",
            f"there is {', '.join(short(name, _MOST_NAME) for name in nears)}"
            if nears
            else "search finds those there are",
        )
    number = pieces[0].number
    page = held.field.page(held.field.pages[number])
    with told_of(held):
        outcome = notes.set(held, page, wish.revision, wish.text)
    if outcome is None:
        raise Refusal(
            f"{short(page.name, _MOST_NAME)} is another text here than where the notes are kept: "
            "the field has moved on",
            "list_fields with reload=true; then read the page anew",
        )
    record = outcome.record
    row: dict[str, Any] = {"reader_note": None} | reader_note(record, page, _MOST_SHOWN)
    with_cursor(row, held, number, cursors)
    return {
        **heading(held, notice_for(Noted({page.name: record}))),
        "status": outcome.status,
        "name": page.name,
        "sha256": page.sha256,
        "revision": record.rev,
        **row,
    }


@contextmanager
def told_of(held: HeldField) -> Iterator[None]:
    """Say of what goes wrong with a store which field it is of, and not where the store is.

    Raises:
        Refusal: something went wrong.
    """
    try:
        yield
    except MemoryfieldError as error:
        raise Refusal(reason(held, error), error.hint) from None
