"""Pages as an agent gets them: whole where they fit, else a piece of each, and where it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from memoryfield_readers import Page

from ..answers import NOTICE
from ..fields import HeldField
from .cursors import Cursors, Kind, short_pin
from .note_stores import Noted, NoteStores
from .noted import noted_on, notice_for, reader_note, troubles, with_cursor
from .refusals import Refusal
from .sizing import MOST_POINTS, answer_text, cut, points, shares, short, weight
from .uris import is_uri, parts_of

_MOST_LOCATION = 600
_MOST_TITLE = 300
_LEAST_TEXT = 300
_MOST_NOTE = 3000
_NEAR = 3
_MOST_SOUGHT = 1000
_MOST_NEARED = 5
"""So many names that are none have their near ones told: to find them is much work."""

_CURSOR_POINTS = 420
"""A cursor of a piece, or of twenty pages; its letters are random."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A page, from one of its characters on."""

    number: int
    start: int = 0


def origin(held: HeldField, most: int = _MOST_LOCATION) -> dict[str, Any]:
    """Which field it is, as answers say it; its location has so many points at most."""
    return {
        "field": held.name,
        "pin": held.pin,
        "location": short(held.location, most),
    }


def heading(held: HeldField, notice: str = NOTICE) -> dict[str, Any]:
    """What an answer from one field begins with."""
    return {"version": 1, "notice": notice, **origin(held)}


def numbers_of(held: HeldField, names: Sequence[str]) -> tuple[list[Piece], list[str]]:
    """The pages of these names or URIs, and the names for which there is no page.

    A name is that of a page, character by character, or it is none: no path is made of it.
    """
    numbers = {name: number for number, name in enumerate(held.field.pages)}
    found: dict[int, Piece] = {}
    missing = []
    for text in names:
        number = numbers.get(_name_in(held, text))
        if number is None:
            missing.append(text)
        else:
            found[number] = Piece(number)
    return list(found.values()), missing


def _name_in(held: HeldField, text: str) -> str:
    if not is_uri(text) or text in held.field.pages:
        return text
    field, name = parts_of(text)
    if field != held.name:
        raise Refusal(
            f"the URI {short(text, 400)} is of another field than {held.name}",
            "read the pages of each field by themselves",
        )
    return name


def read(
    held: HeldField,
    pieces: Sequence[Piece],
    missing: Sequence[str],
    cursors: Cursors,
    most: int = MOST_POINTS,
    notes: NoteStores | None = None,
) -> dict[str, Any]:
    """An answer with pages of a field, and the notes on them.

    Each page gets what it needs, or as much as any other that is cut, too. Pages for which there is
    no room at all follow by a cursor. A note has its room before the text of its page.

    Arguments:
        held: the field.
        pieces: the pages, and where to begin in each.
        missing: names for which there is no page; near ones are told.
        cursors: what makes cursors.
        most: points of the answer.
        notes: what is noted on the fields; None if that is not shown.
    """
    asked = [held.field.page(held.field.pages[piece.number]) for piece in pieces]
    noted = noted_on(notes, held, asked)
    answer: dict[str, Any] = {
        **heading(held, notice_for(noted)),
        **troubles(noted),
        "pages": [],
        "missing": [],
        "cursor": None,
    }
    if missing:
        answer["missing"] = _missing(held, missing, most // 8)
    left = most - weight(answer) - _CURSOR_POINTS
    pages: list[Page] = []
    heads: list[dict[str, Any]] = []
    for piece, page in zip(pieces, asked, strict=True):
        head = _head(page, piece.start)
        if notes is not None:
            head |= _noted(page, noted, min(_MOST_NOTE, most // 8), settable=notes.settable)
            with_cursor(head, held, piece.number, cursors)
        cost = weight(head) + _CURSOR_POINTS
        if heads and left - cost < _LEAST_TEXT * (len(heads) + 1):
            break
        left -= cost
        pages.append(page)
        heads.append(head)
    pin = short_pin(held.pin)
    wanted = [
        _points_of(page.text[piece.start :], left)
        for page, piece in zip(pages, pieces, strict=False)
    ]
    for page, piece, head, share in zip(pages, pieces, heads, shares(wanted, left), strict=False):
        text = cut(page.text[piece.start :][: max(share, 1)], share)
        end = piece.start + len(text)
        head["text"] = text
        head["truncated"] = end < len(page.text)
        if head["truncated"]:
            head["cursor"] = cursors.seal(Kind.PIECE, held.name, pin, piece.number, end)
        answer["pages"].append(head)
    rest = [piece.number for piece in pieces[len(pages) :]]
    if rest:
        answer["cursor"] = cursors.seal(Kind.REST, held.name, pin, rest)
    return answer


def _points_of(text: str, most: int) -> int:
    """The points of a text, or more than `most`."""
    return points(answer_text(text[: most + 1]))


def _head(page: Page, start: int) -> dict[str, Any]:
    head: dict[str, Any] = {
        "name": page.name,
        "sha256": page.sha256,
        "title": short(page.title, _MOST_TITLE),
        "bytes": len(page.raw),
        "offset": start,
        "text": "",
        "truncated": False,
        "cursor": None,
    }
    if page.undecodable_at is not None:
        head["note"] = "the page is not UTF-8: what is not shows as U+FFFD"
    return head


def read_note(
    held: HeldField,
    number: int,
    revision: int,
    start: int,
    cursors: Cursors,
    notes: NoteStores | None,
) -> dict[str, Any]:
    """An answer with what follows of a note that was cut.

    Arguments:
        held: the field.
        number: of the page.
        revision: that the note had when it was cut.
        start: the character to begin at.
        cursors: what makes cursors.
        notes: what is noted on the fields.

    Raises:
        Refusal: it is another note by now.
    """
    page = held.field.page(held.field.pages[number])
    noted = noted_on(notes, held, [page])
    record = noted.records.get(page.name)
    if record is None or record.rev != revision:
        told = noted.trouble or f"the note on {short(page.name, _MOST_TITLE)} has changed since"
        raise Refusal(told, "read the page anew")
    row = {"name": page.name, "title": short(page.title, _MOST_TITLE), "bytes": len(page.raw)}
    row |= reader_note(record, page, MOST_POINTS // 2, start)
    with_cursor(row, held, number, cursors)
    return {**heading(held, notice_for(noted)), "pages": [row], "cursor": None}


def _noted(page: Page, noted: Noted, most: int, *, settable: bool) -> dict[str, Any]:
    """What the row of a page says of the note on it, and of the revision to set one at."""
    record = noted.records.get(page.name)
    told = reader_note(record, page, most)
    if settable:
        same = record is not None and record.sha256 == page.sha256
        told["revision"] = record.rev if record is not None and same else None
    return told


def _missing(held: HeldField, names: Sequence[str], most: int) -> list[dict[str, Any]]:
    """What is told of names for which there is no page, as far as there is room for it."""
    told: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        nears = near(held, name) if number < _MOST_NEARED else []
        each: dict[str, Any] = {"name": short(name, 300), "near": nears}
        if name in held.unread:
            each["unreadable"] = short(str(held.unread[name]), 300)
        if weight(each) > most // len(names):
            each = {"name": short(name, 100), "near": []}
        told.append(each)
        if weight(told) > most:
            return told[:-1]
    return told


def near(held: HeldField, name: str) -> list[str]:
    """Names of pages that one may have meant who wrote this one."""
    pages = held.field.pages
    wanted = name.casefold().removesuffix(".md") + ".md"
    same = [page for page in pages if page.casefold() == wanted]
    if same:
        return same[:_NEAR]
    return get_close_matches(name[:255], pages[:_MOST_SOUGHT], n=_NEAR)
