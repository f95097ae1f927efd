"""Notes as people and programs read them; whatever a note holds, it is shown escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from memoryfield_readers import as_unicode, visible, visible_lines

from .output import no_command, say

if TYPE_CHECKING:
    from memoryfield_notes import Lineage, Rebuilt, Record
    from memoryfield_notes.showing import Shown

    from .noting_judging import Judged

MOST_FIRST_LINE = 100
"""Characters of a note, or of a line of a page, that stand in a line with other things."""

_MARK = "| "
_MOST_NAMED = 5
_AS_IT_IS = "made on this page as it is"
_CHANGED = "STALE: the page has changed since"
_GONE = "STALE: the page is not in the field any more"
_AS_IT_WAS = "made on this page as it was last seen (it cannot be had now)"
_HAD_CHANGED = "STALE: the page had changed when it was last seen (it cannot be had now)"
_WAS_GONE = "STALE: the page was not in the field when that was last seen (it cannot be had now)"


def print_note(name: str, shown: Shown) -> None:
    """Print a note above its page: each line with a mark, so that none is taken for the page."""
    state = _CHANGED if shown.stale else _AS_IT_IS
    say(f"==> note on {visible(name)}, revision {shown.revision}, {state} <==", bold=True)
    for line in note_lines(shown.note.text):
        say(no_command(f"{_MARK}{line}"))


def note_lines(text: str) -> Iterator[str]:
    """The lines of a note, escaped, as they stand behind a mark."""
    for line in text.removesuffix("\n").split("\n"):
        yield visible_lines(line.removesuffix("\r"))


def first_line(text: str) -> str:
    """The first line of a text that is not blank, escaped and cut."""
    lines = (line.strip() for line in text.splitlines())
    line = visible(next((line for line in lines if line), ""))
    return line if len(line) <= MOST_FIRST_LINE else f"{line[: MOST_FIRST_LINE - 1]}…"


def brief(revision: int, text: str, *, stale: bool) -> str:
    """A note in a part of a line: its revision, whether it is stale, and how it begins."""
    return f"revision {revision}{', stale' if stale else ''}: {first_line(text)}"


def record_facts(record: Record, *, stale: bool, gone: bool) -> dict[str, Any]:
    """What is known of a page, but for the page itself, as JSON.

    Arguments:
        record: what the store knows.
        stale: whether the note is stale.
        gone: whether the page is not in the field any more.
    """
    note = record.note
    return {
        "id": as_unicode(record.id),
        "name": as_unicode(record.name),
        "revision": record.rev,
        "orphan": gone,
        "parent": None if record.parent is None else as_unicode(record.parent),
        "sha256": record.sha256,
        "pin": record.pin,
        "note": None
        if note is None
        else {
            "text": note.text,
            "stale": stale,
            "sha256": note.sha256,
            "pin": note.pin,
            "written": note.written,
        },
    }


def judged_facts(found: Judged) -> dict[str, Any]:
    """The same of a page that was held against the field, and whether it could be."""
    facts = record_facts(found.record, stale=found.stale, gone=found.gone)
    if found.now is not None:
        facts["name"] = as_unicode(found.now)
    return {**facts, "checked": found.checked}


def record_line(record: Record, *, stale: bool, gone: bool, now: str | None = None) -> str:
    """A page and its note in one line: `a.md  revision 3, stale: how it begins`."""
    name = f"{visible(record.name if now is None else now)}{' (gone)' if gone else ''}"
    if record.note is None:
        return f"{name}  revision {record.rev}, no note"
    return f"{name}  {brief(record.rev, record.note.text, stale=stale)}"


def line_with(text: str, term: str) -> str:
    """The first line of a text that holds a term, escaped and cut to what is near to it."""
    at = max(text.find(term), 0)
    begin = text.rfind("\n", 0, at) + 1
    near = max(begin, at - MOST_FIRST_LINE // 2)
    return f"{'…' if near > begin else ''}{first_line(text[near:])}"


def fact_lines(found: Judged) -> Iterator[str]:
    """What is to be known of a note, above its text."""
    record, note = found.record, found.record.note
    if note is None:
        state = "no note"
    elif found.checked:
        state = _GONE if found.gone else _CHANGED if found.stale else _AS_IT_IS
    else:
        state = _WAS_GONE if found.gone else _HAD_CHANGED if found.stale else _AS_IT_WAS
    name = record.name if found.now is None else found.now
    yield f"{visible(name)}, revision {record.rev}, {state}"
    yield f"id       {visible(record.id)}"
    if note is not None:
        yield f"written  {note.written}"
        yield f"made on  sha256:{note.sha256} in {note.pin}"
    if note is None or note.sha256 != record.sha256:
        yield f"page     sha256:{record.sha256} in {record.pin}"


def family_facts(lineage: Lineage, children: Iterable[Record]) -> dict[str, Any]:
    """The ancestors and the children of a page, as JSON."""
    return {
        "ancestors": [_named(each) for each in lineage.records],
        "missing": None if lineage.missing is None else as_unicode(lineage.missing),
        "cycle": None if lineage.cycle is None else as_unicode(lineage.cycle),
        "cut": lineage.cut,
        "children": [_named(each) for each in children],
    }


def family_lines(record: Record, lineage: Lineage, children: Iterable[Record]) -> Iterator[str]:
    """The ancestors and the children of a page, for people, one in a line."""
    for each in lineage.records:
        yield f"parent   {visible(each.name)}"
    if lineage.missing is not None:
        yield f"parent   {visible(lineage.missing)}, which is no page of the field"
    if lineage.cycle is not None:
        back = next((e for e in (record, *lineage.records) if e.id == lineage.cycle), record)
        yield f"parent   {visible(back.name)} again: the pages are in a circle"
    if lineage.cut:
        yield "parent   and more, which are not followed"
    for each in children:
        yield f"child    {visible(each.name)}"


def _named(record: Record) -> dict[str, str]:
    return {"id": as_unicode(record.id), "name": as_unicode(record.name)}


def rebuilt_facts(told: Rebuilt) -> dict[str, Any]:
    """What came of a rebuild, as JSON."""
    return {
        "pin": told.pin,
        "added": _all(told.added),
        "changed": _all(told.changed),
        "unchanged": told.unchanged,
        "orphans": _all(told.orphans),
        "stale": _all(told.stale),
        "unread": _all(told.unread),
    }


def rebuilt_lines(told: Rebuilt, names: Mapping[str, str]) -> Iterator[str]:
    """What came of a rebuild, for people.

    Arguments:
        told: what came of it.
        names: the file names of stale and orphaned pages, by their ids.
    """
    counts = (
        f"{len(told.added):,} added, {len(told.changed):,} changed, {told.unchanged:,} as they were"
    )
    yield f"{told.pin}: pages: {counts}"
    for what, ids in (
        ("stale, as the page has changed", told.stale),
        ("whose page is not in the field any more", told.orphans),
    ):
        if ids:
            notes = "1 note" if len(ids) == 1 else f"{len(ids):,} notes"
            shown = ", ".join(visible(names.get(id, id)) for id in ids[:_MOST_NAMED])
            more = f" and {len(ids) - _MOST_NAMED:,} more" if len(ids) > _MOST_NAMED else ""
            yield f"{notes} {what}: {shown}{more}"


def _all(names: Iterable[str]) -> list[str]:
    return [as_unicode(name) for name in names]
