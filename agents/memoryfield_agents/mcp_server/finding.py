"""What a search found, as an agent gets it: names, hashes and summaries, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from memoryfield_readers import Page

from ..fields import HeldField
from .arguments import Question
from .cursors import Cursors, Kind, short_pin
from .note_stores import Noted, NoteStores
from .noted import noted_on, notice_for, reader_note, troubles
from .reading import origin
from .sizing import MOST_POINTS, short, weight

if TYPE_CHECKING:
    from memoryfield_index.searching import Answer, Hit

Row: TypeAlias = "list[Any]"
"""A page that was found: number of the field, number of the page, distance, whether it is stale."""

_MOST_SUMMARY = 700
_MOST_NOTE = 300
_MOST_NOTES = 6
_MOST_READER_NOTE = 300
_MOST_ORIGINS = 20
_MOST_LOCATION = 200
_CURSOR_POINTS = 2000


@dataclass(frozen=True, slots=True)
class _Found:
    number: int
    answer: Answer


def find(
    fields: Sequence[HeldField],
    question: Question,
    cursors: Cursors,
    stores: NoteStores | None = None,
) -> dict[str, Any]:
    """An answer with the pages of some fields that answer a question, and the notes on them.

    Raises:
        EmbedderUnavailable: an embedder was named at start, and cannot be had.
    """
    from memoryfield_index.searching import Asked

    asked = Asked(how=question.mode, most=question.k)
    found = [
        _Found(number, held.search(question.query, asked)) for number, held in enumerate(fields)
    ]
    rows = [
        [number, fields[number].field.pages.index(hit.filename), _rounded(hit.distance), hit.stale]
        for number, hit in _merged(found)[: question.k]
    ]
    notes = [
        _in_its_name(fields[each.number], text)
        for each in found
        for text in (*each.answer.notes, *map(str, each.answer.errors))
    ]
    if not rows:
        notes += [
            _nearest(fields[each.number], each.answer)
            for each in found
            if each.answer.nearest is not None
        ]
    ways = {each.answer.how for each in found}
    more = {
        "ranking": next(iter(ways)) if len(ways) == 1 else "mixed",
        "notes": [short(note, _MOST_NOTE) for note in dict.fromkeys(notes)][:_MOST_NOTES],
    }
    return show(fields, rows, cursors, more, stores)


def show(
    fields: Sequence[HeldField],
    rows: Sequence[Row],
    cursors: Cursors,
    more: dict[str, Any],
    stores: NoteStores | None = None,
) -> dict[str, Any]:
    """An answer with as many of these pages as there is room for, and a cursor for the others."""
    numbers = dict.fromkeys(row[0] for row in rows)
    told = fields if len(fields) <= _MOST_ORIGINS else [fields[number] for number in numbers]
    pages = [fields[row[0]].field.page(fields[row[0]].field.pages[row[1]]) for row in rows]
    noted = {
        number: noted_on(stores, fields[number], [pages[place] for place in places])
        for number, places in _places(rows).items()
    }
    answer: dict[str, Any] = {
        "version": 1,
        "notice": notice_for(*noted.values()),
        "fields": [origin(held, _MOST_LOCATION) for held in told],
        **more,
        **troubles(*noted.values()),
        "results": [],
        "cursor": None,
    }
    left = MOST_POINTS - weight(answer) - _CURSOR_POINTS
    for row, page in zip(rows, pages, strict=True):
        result = _result(fields[row[0]], row, page, noted[row[0]])
        left -= weight(result)
        if left < 0 and answer["results"]:
            break
        answer["results"].append(result)
    while len(answer["results"]) < len(rows):
        rest = rows[len(answer["results"]) :]
        answer["cursor"] = _cursor(fields, rest, cursors)
        if weight(answer) <= MOST_POINTS or len(answer["results"]) == 1:
            break
        answer["results"].pop()
    return answer


def _cursor(fields: Sequence[HeldField], rest: Sequence[Row], cursors: Cursors) -> str:
    numbers = list(dict.fromkeys(row[0] for row in rest))
    places = {number: place for place, number in enumerate(numbers)}
    known = [[fields[number].name, short_pin(fields[number].pin)] for number in numbers]
    return cursors.seal(Kind.HITS, known, [[places[row[0]], *row[1:]] for row in rest])


def _merged(found: Sequence[_Found]) -> list[tuple[int, Hit]]:
    """The hits of several fields as one row.

    Distances can be compared if there is one for all; scores of different fields cannot, so that
    the best of each come first then, the second best next, and so on.
    """
    hits = [
        (place, each.number, hit) for each in found for place, hit in enumerate(each.answer.hits)
    ]
    if all(hit.distance is not None for _, _, hit in hits) and all(
        each.answer.how == "semantic" for each in found
    ):
        hits.sort(key=lambda each: (each[2].distance, each[1], each[0]))
    else:
        hits.sort(key=lambda each: (each[0], each[1]))
    return [(number, hit) for _, number, hit in hits]


def _places(rows: Sequence[Row]) -> dict[int, list[int]]:
    """By the number of each field, which of the rows are of it."""
    found: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        found.setdefault(row[0], []).append(place)
    return found


def _result(held: HeldField, row: Row, page: Page, noted: Noted) -> dict[str, Any]:
    _, _, distance, stale = row
    summary = page.frontmatter.text("summary")
    result: dict[str, Any] = {
        "field": held.name,
        "name": page.name,
        "sha256": page.sha256,
        "title": short(page.title, _MOST_NOTE),
        "summary": None if summary is None else short(summary, _MOST_SUMMARY),
        "bytes": len(page.raw),
        "distance": distance,
    }
    if summary is None:
        result["begins"] = short(page.body[:_MOST_SUMMARY].strip(), _MOST_SUMMARY // 2)
    if stale:
        result["stale"] = True
    result |= reader_note(noted.records.get(page.name), page, _MOST_READER_NOTE)
    return result


def _rounded(distance: float | None) -> float | None:
    return None if distance is None else round(distance, 4)


def _in_its_name(held: HeldField, text: str) -> str:
    """A note that begins with where the field came from, with the name that a client knows."""
    return held.told(text) if text.startswith(f"{held.location}: ") else text


def _nearest(held: HeldField, answer: Answer) -> str:
    hit = answer.nearest
    assert hit is not None  # noqa: S101 - who calls has looked
    return f"nothing is near enough; the nearest is {hit.filename} of {held.name}"
