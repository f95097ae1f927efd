"""Which fields there are, and which pages a field has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memoryfield_readers import Page

from ..answers import NOTICE
from ..fields import HeldField
from .cursors import Cursors, Kind, short_pin
from .note_stores import Noted, NoteStores
from .noted import is_stale, noted_on, tally_of, troubles
from .reading import heading, origin
from .sizing import MOST_POINTS, short, weight

_MOST_SUMMARY = 400
_MOST_TITLE = 250
_CURSOR_POINTS = 400
_MOST_ROWS = 200
_INDEX = "index.md"


def list_fields(
    fields: Sequence[HeldField],
    start: int,
    cursors: Cursors,
    reloaded: Mapping[str, str] | None = None,
    notes: NoteStores | None = None,
) -> dict[str, Any]:
    """An answer that names fields, and what became of each that was to be opened anew.

    Arguments:
        fields: all that there are.
        start: the number of the first to be told.
        cursors: what makes cursors.
        reloaded: by name, what came of it.
        notes: what is noted on the fields; None if that is not shown.
    """
    answer: dict[str, Any] = {"version": 1, "notice": NOTICE, "fields": [], "cursor": None}
    left = MOST_POINTS - weight(answer) - _CURSOR_POINTS
    for number, held in enumerate(fields[start:], start):
        row = _field(held)
        if notes is not None:
            row |= tally_of(notes.tally(held))
        if reloaded is not None and held.name in reloaded:
            row["reload"] = short(reloaded[held.name], _MOST_SUMMARY)
        left -= weight(row)
        if left < 0 and answer["fields"]:
            answer["cursor"] = cursors.seal(Kind.FIELDS, number)
            break
        answer["fields"].append(row)
    return answer


def list_pages(
    held: HeldField, start: int, cursors: Cursors, notes: NoteStores | None = None
) -> dict[str, Any]:
    """An answer that names pages of a field, in the order of their names, and which have a note."""
    pages = [held.field.page(name) for name in held.field.pages[start : start + _MOST_ROWS]]
    noted = noted_on(notes, held, pages)
    answer: dict[str, Any] = {
        **heading(held),
        **troubles(noted),
        "of": len(held.field.pages),
        "pages": [],
        "cursor": None,
    }
    left = MOST_POINTS - weight(answer) - _CURSOR_POINTS
    for page in pages:
        summary = page.frontmatter.text("summary")
        row = {
            "name": page.name,
            "title": short(page.title, _MOST_TITLE),
            "summary": None if summary is None else short(summary, _MOST_SUMMARY),
            "bytes": len(page.raw),
            **_noted(page, noted),
        }
        left -= weight(row)
        if answer["pages"] and left < 0:
            break
        answer["pages"].append(row)
    following = start + len(answer["pages"])
    if following < len(held.field.pages):
        answer["cursor"] = cursors.seal(Kind.PAGES, held.name, short_pin(held.pin), following)
    return answer


def _noted(page: Page, noted: Noted) -> dict[str, Any]:
    """That there is a note on a page, if there is one; what it says is read with the page."""
    record = noted.records.get(page.name)
    if record is None or record.note is None:
        return {}
    return {"noted": {"revision": record.rev, "stale": is_stale(record, page)}}


def _field(held: HeldField) -> dict[str, Any]:
    row: dict[str, Any] = {
        **origin(held),
        "archive_pin": held.archive_pin,
        "pinned": held.pinned,
        "opened": held.opened.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "pages": len(held.field.pages),
        "attachments": len(held.field.attachments),
        "title": None,
        "summary": None,
    }
    if _INDEX in held.field.pages:
        page = held.field.page(_INDEX)
        summary = page.frontmatter.text("summary")
        row["title"] = short(page.title, _MOST_TITLE)
        row["summary"] = None if summary is None else short(summary, _MOST_SUMMARY)
    if held.unread:
        row["unreadable"] = len(held.unread)
    if held.notes:
        row["notes"] = [short(note, _MOST_SUMMARY) for note in held.notes[:3]]
    return row
