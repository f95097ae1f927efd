"""What is restored into a store that is not empty: no revision comes again with another content."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.notes.sample_fields import KINDS, TWO, store_of

from memoryfield_notes import Document, Note, Origin, Record, StoreError, StoreKind
from memoryfield_notes.contents import Contents
from memoryfield_notes.identity import Seen, Sight
from memoryfield_notes.record import MOST_REVISION
from memoryfield_notes.restoring import restored

PIN = "field-sha256:" + "0" * 64
ORIGIN = Origin("f", "l", PIN)
EMPTY = Document(Origin("", "", ""))


def of_text(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def record(id: str, rev: int, text: str = "x", note: str | None = None) -> Record:
    """A record of a page, with a note on it as it is."""
    digest = of_text(text)
    made = None if note is None else Note(note, digest, PIN, "2026-03-01T09:00:00Z")
    return Record(id, id, text, None, rev, digest, PIN, note=made)


def document(*records: Record, floor: int = 0) -> Document:
    return Document(ORIGIN, floor, records)


@pytest.mark.parametrize(
    ("there", "given", "expected"),
    [
        (EMPTY, document(record("a.md", 3), floor=9), document(record("a.md", 3), floor=9)),
        (document(record("a.md", 5)), document(record("a.md", 3)), document(record("a.md", 5))),
        (document(record("a.md", 3)), document(record("a.md", 5)), document(record("a.md", 5))),
        (
            document(record("a.md", 5)),
            document(record("a.md", 3, "y")),
            document(record("a.md", 6, "y")),
        ),
        (
            document(record("a.md", 5)),
            document(record("a.md", 5, note="n")),
            document(record("a.md", 6, note="n")),
        ),
        (
            document(record("a.md", 5)),
            document(record("a.md", 7, "y")),
            document(record("a.md", 7, "y")),
        ),
        (
            document(record("a.md", 5), floor=2),
            document(record("b.md", 1)),
            document(record("b.md", 6), floor=5),
        ),
        (
            document(floor=4),
            document(record("b.md", 4), record("c.md", 5), floor=7),
            document(record("b.md", 5), record("c.md", 5), floor=7),
        ),
    ],
    ids=["empty", "same", "same, higher", "other", "other note", "other, higher", "gone", "floor"],
)
def test_what_is_held_then(there: Document, given: Document, expected: Document) -> None:
    assert restored(there, given, "x") == expected


def test_what_the_store_says_beside_the_content_is_no_other_content() -> None:
    """A page that was seen in another version, or under another name, has the revision it had."""
    moved = replace(record("a.md", 3), name="b.md", pin=PIN[:-1] + "1")
    assert restored(document(record("a.md", 3)), document(moved), "x") == document(moved)


def test_a_revision_that_would_be_too_high() -> None:
    high = document(record("a.md", MOST_REVISION))
    with pytest.raises(StoreError) as told:
        restored(high, document(record("a.md", 1, "y")), "the store")
    assert told.value.location == "the store"
    assert restored(high, document(record("a.md", 1)), "x") == high


@pytest.mark.parametrize("kind", KINDS)
def test_who_has_seen_what_a_restore_took_away_is_too_late(kind: StoreKind, tmp_path: Path) -> None:
    with store_of(tmp_path / "x", kind) as store:
        store.cas(TWO, 1, "first")
        whole = store.export()
        seen = store.cas(TWO, 2, "seen")
        store.restore(whole)
        back = store.cas(TWO, 4, "that nobody else has seen")
        assert (back.applied, back.record.rev) == (True, 5)
        assert not store.cas(TWO, seen.record.rev, "over it").applied


IDS = st.sampled_from(["a.md", "b.md"])
TEXTS = st.sampled_from("xy")
DOCUMENTS = st.builds(
    lambda records, floor: document(*sorted(records, key=lambda each: each.id), floor=floor),
    st.lists(
        st.builds(record, IDS, st.integers(1, 6), TEXTS, st.sampled_from([None, "m", "n"])),
        max_size=2,
        unique_by=lambda each: each.id,
    ),
    st.integers(0, 6),
)
SIGHTS = st.dictionaries(IDS, TEXTS, max_size=2)
SETS = st.tuples(IDS, st.sampled_from(["", "m", "n"]))


@given(st.lists(DOCUMENTS | SIGHTS | SETS, min_size=2, max_size=10))
@settings(max_examples=100, deadline=None)
def test_no_revision_ever_has_two_contents(steps: list[object]) -> None:
    """Through any restores, rebuilds and notes, one after the other."""
    held = EMPTY
    seen: dict[tuple[str, int], object] = {}
    for step in steps:
        floor = held.floor
        if isinstance(step, Document):
            held = restored(held, step, "x")
        elif isinstance(step, dict):
            pages = tuple(Seen(id, id, step[id], None, of_text(step[id])) for id in sorted(step))
            sight = Sight("f", "l", PIN, pages, {})
            held = Contents(held).with_sight(sight, "x", force=True)[1].document
        elif isinstance(step, tuple):
            known = {each.id: each.rev for each in held.records}
            done = Contents(held).with_note(step[0], known.get(step[0], 1), step[1])
            held = held if done is None else done[1].document
        assert held.floor >= floor
        for each in held.records:
            content = (each.sha256, each.note)
            assert seen.setdefault((each.id, each.rev), content) == content
