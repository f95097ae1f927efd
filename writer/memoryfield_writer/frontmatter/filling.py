"""The frontmatter of a new page: what it does not say of itself is put in (MF303)."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from memoryfield_readers import Entry, EntryKind, Page
from memoryfield_validator.fixes.missing_fields import WANTED, block_with_fields, field_splices
from memoryfield_validator.fixes.splices import spliced

_SECOND = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def filled(raw: bytes, name: str, now: datetime) -> bytes:
    """A page that is new, with the fields that it lacks (MF303).

    `title` is the first heading, or else the name in words, `uuid` a new one, and `created` and
    `updated` are now, or as near to it as what the page states of the other allows. Lines are
    added at the end of the block, and a block where there is none; no byte that is there changes.
    A page stays as it is where a line more has no right answer: its block is broken, may be meant
    as one in another form, or takes no line at its end, or there is no text.

    Arguments:
        raw: the bytes of the page.
        name: its file name.
        now: the time, aware of its zone.
    """
    page = page_of(raw, name, now)
    splices = field_splices(page, WANTED, _unborn, _new_uuid)
    return spliced(raw, splices or block_with_fields(page, _unborn, _new_uuid))


def page_of(raw: bytes, name: str, now: datetime) -> Page:
    """A page that is not in a field yet, last changed now."""
    seconds = (now - _EPOCH).days * 86_400 + (now - _EPOCH).seconds
    return Page(name, raw, Entry(name, EntryKind.FILE, len(raw), seconds * _SECOND))


def _unborn(name: str) -> datetime | None:
    return None


def _new_uuid() -> str:
    return str(uuid4())
