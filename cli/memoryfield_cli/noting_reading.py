"""The notes that commands show beside pages; what is wrong with notes keeps no page away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoryfield_readers import Limits, MemoryfieldError

from .noting_options import Wanted
from .output import warn

if TYPE_CHECKING:
    from memoryfield_notes.showing import PageNotes


def notes_shown(location: str, noting: Wanted, limits: Limits) -> PageNotes:
    """The notes on the pages of a field; a store that is damaged is told of, and has none.

    Arguments:
        location: the field, as a person typed it.
        noting: which notes are wanted.
        limits: how many files a field of a lock file may have.

    Raises:
        LocationError: the store that was named would be a part of the field.
    """
    from memoryfield_notes.notebook import page_notes
    from memoryfield_notes.showing import PageNotes

    if noting.none:
        return PageNotes(None)
    return page_notes(location, noting.store, told=_told, limits=limits)


def _told(error: MemoryfieldError) -> None:
    hint = f" ({error.hint})" if error.hint else ""
    warn(f"no notes are shown: {error}{hint}")
