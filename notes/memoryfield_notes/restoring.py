"""What a store holds after a document was restored into it; pure, and equal for all stores."""

from __future__ import annotations

from dataclasses import replace

from .document import Document
from .errors import StoreError
from .record import MOST_REVISION, Record


def restored(there: Document, document: Document, location: str) -> Document:
    """A document as it is to be held by a store that holds something else so far.

    An empty store holds the document as it is. Else no revision comes again with another content:
    who has read something at a revision can never change what was not read. A record with the same
    content keeps its revision, or has that of the document if it is higher; one with another
    content is above both. What is new to the store begins above all that was let go of, and what
    goes leaves its revision behind as a floor, as it does in a rebuild.

    Arguments:
        there: what the store holds.
        document: what it is to hold.
        location: the store, for messages.

    Raises:
        StoreError: a revision would be too high.
    """
    known = {each.id: each for each in there.records}
    kept = {each.id for each in document.records}
    left = max([there.floor, *(each.rev for id, each in known.items() if id not in kept)])
    records = tuple(
        replace(each, rev=_revision(each, known.get(each.id), left)) for each in document.records
    )
    if max([0, *(each.rev for each in records)]) > MOST_REVISION:
        raise StoreError("a revision cannot be any higher; nothing was changed", location=location)
    return Document(document.origin, max(left, document.floor), records)


def _revision(record: Record, there: Record | None, left: int) -> int:
    if there is None:
        return record.rev if record.rev > left else left + 1
    if (there.sha256, there.note) == (record.sha256, record.note):
        return max(there.rev, record.rev)
    return record.rev if record.rev > there.rev else there.rev + 1
