"""Stores of notes for the tests of the MCP server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.agents.mcp_places import shelf_of

from memoryfield_agents.mcp_server import Desk
from memoryfield_agents.mcp_server.note_stores import NoteStores
from memoryfield_agents.mcp_server.sizing import MOST_POINTS, answer_text, weight
from memoryfield_notes import StoreKind
from memoryfield_notes.opening import open_store
from memoryfield_readers import open_field

KINDS: tuple[StoreKind, ...] = ("json", "sqlite")

UUID = "11111111-2222-4333-8444-555555555555"
PAGES = {
    "a.md": "---\ntitle: A\n---\nwok one\n",
    "b.md": f"---\nuuid: {UUID}\n---\nwok two\n",
    "c.md": "wok three\n",
}


def leave(
    store: Path, field: Path, notes: Mapping[str, str], kind: StoreKind | None = None
) -> dict[str, int]:
    """Bring a store up to a field, as another program does, and set notes in it.

    Arguments:
        store: its file; it is made if it is not there.
        field: the field.
        notes: the notes, by the ids of the pages.
        kind: of the store, if it is made.

    Returns:
        The revisions of the pages afterwards, by the ids.
    """
    with open_store(store, kind=kind, create=True) as opened, open_field(str(field)) as source:
        opened.rebuild(source)
        for id, text in notes.items():
            assert opened.cas(id, opened.get(id).rev, text).applied
        return {record.id: record.rev for record in opened.records()}


def notes_in(store: Path) -> dict[str, str]:
    """The notes in a store, by the ids of the pages."""
    with open_store(store) as opened:
        return {each.id: each.note.text for each in opened.records(noted=True) if each.note}


@contextmanager
def noted_desk(field: str | Path, store: Path, *, settable: bool = False) -> Iterator[Desk]:
    """What answers for a field with notes."""
    with (
        shelf_of(f"f={field}") as shelf,
        NoteStores.of(shelf, store, settable=settable) as notes,
    ):
        yield Desk(shelf, notes)


def answered(answer: dict[str, Any], most: int = MOST_POINTS) -> dict[str, Any]:
    """An answer as a client gets it; it is within its bounds."""
    text = answer_text(answer)
    assert weight(answer) <= most
    assert text.isprintable()
    back: dict[str, Any] = json.loads(text)
    assert "unverified data" in back["notice"]
    assert ("reader_note is" in back["notice"]) == ('"reader_note":{' in text)
    return back


def read(desk: Desk, *names: str, **how: Any) -> dict[str, dict[str, Any]]:
    """The rows of some pages, by their names."""
    answer = answered(desk.read_pages({"names": list(names), **how}))
    return {row["name"]: row for row in answer["pages"]}
