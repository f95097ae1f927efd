"""What a field that is another one now does to records, whatever the field."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.notes.sample_fields import ONE, THREE, TWO

from memoryfield_notes.identity import Seen, Sight
from memoryfield_notes.merging import Known, Merge, Put, Rebuilt, loses_all, merged
from memoryfield_readers import PageError

PIN = "field-sha256:" + "0" * 64


def seen(name: str, uuid: str | None = None, content: str = "a", parent: str | None = None) -> Seen:
    """A page as it stands."""
    return Seen(uuid or f"{name}.md", f"{name}.md", content, parent, content * 64)


def sight(*pages: Seen, unread: tuple[str, ...] = ()) -> Sight:
    """A field of these pages."""
    errors = {f"{name}.md": PageError("no") for name in unread}
    return Sight("f", "l", PIN, tuple(sorted(pages, key=lambda page: page.name)), errors)


def known(
    page: Seen, rev: int = 1, *, noted: bool = False, orphan: bool = False, current: bool = True
) -> Known:
    """What a store knows of a page that it has seen."""
    return Known(page.id, page.name, page.parent, rev, page.sha256, orphan, current, noted)


def merge_of(before: list[Known], now: Sight, floor: int = 0) -> tuple[Merge, Rebuilt]:
    return merged({each.id: each for each in before}, now, floor)


A, B = seen("a", ONE), seen("b")


def test_nothing_changed() -> None:
    merge, told = merge_of([known(A, 5), known(B, 2, noted=True)], sight(A, B), 3)
    assert merge == Merge((), (), (), (), 3)
    assert told == Rebuilt(PIN, (), (), 2, (), (), ())


@pytest.mark.parametrize(
    ("before", "page", "rev"),
    [
        (known(A, 4), replace(A, sha256="b" * 64), 5),
        (known(A, 4), replace(A, name="renamed.md"), 4),
        (known(A, 4), replace(A, parent="x"), 4),
        (known(A, 4, current=False), A, 4),
        (known(A, 4, orphan=True, noted=True), A, 4),
        (known(A, 4, orphan=True, noted=True), replace(A, sha256="b" * 64), 5),
        (known(B, 4), replace(B, id=TWO, sha256="b" * 64), 5),
        (known(replace(B, id=TWO), 4), replace(B, sha256="b" * 64), 5),
    ],
    ids=["changed", "renamed", "parent", "unseen", "back", "back-changed", "uuid", "no-uuid"],
)
def test_a_page_is_put(before: Known, page: Seen, rev: int) -> None:
    merge, told = merge_of([before], sight(page))
    assert merge.puts == (Put(before.id, page, rev),)
    assert (merge.orphaned, merge.dropped, merge.outdated) == ((), (), ())
    assert (told.added == (page.id,)) is before.orphan
    assert (told.changed == (page.id,)) is (rev == 5 and not before.orphan)


def test_another_uuid_is_another_page() -> None:
    merge, told = merge_of([known(A, 7, noted=True)], sight(replace(A, id=TWO)))
    assert merge.orphaned == told.orphans == (ONE,)
    assert merge.puts == (Put(None, replace(A, id=TWO), 8),)
    assert told.added == (TWO,)


def test_a_name_that_was_another_pages_begins_above_it() -> None:
    """Who knows a page by its name, and the revision of what was there before, meets no other."""
    moved, new = replace(A, name="moved.md"), replace(A, id="a.md", sha256="b" * 64)
    merge, _ = merge_of([known(A, 7, noted=True), known(B)], sight(new, B, moved))
    assert merge.puts == (Put(ONE, moved, 7), Put(None, new, 8))
    assert merge.floor == 7


def test_pages_that_go() -> None:
    before = [known(A, 7), known(B, 3, noted=True), known(seen("c"), 9), known(seen("d"), 2)]
    merge, told = merge_of(before, sight(seen("new"), unread=("c",)), 4)
    assert merge.dropped == (ONE, "d.md")
    assert (merge.orphaned, merge.outdated) == (("b.md",), ("c.md",))
    assert merge.floor == 7
    assert merge.puts == (Put(None, seen("new"), 8),)
    assert (told.orphans, told.unread) == (("b.md",), ("c.md",))


def test_an_id_that_was_another_pages_begins_above_it() -> None:
    """A uuid leaves one page and comes to another: none of its revisions come again."""
    first = seen("a", THREE)
    merge, _ = merge_of([known(first, 50), known(B, 1)], sight(replace(first, id="a.md"), B))
    assert merge.puts == (Put(THREE, replace(first, id="a.md"), 50),)
    assert merge.floor == 50
    merge, _ = merge_of(
        [known(replace(first, id="a.md"), 50), known(B, 1)],
        sight(replace(first, id="a.md"), replace(B, id=THREE)),
        merge.floor,
    )
    assert merge.puts == (Put("b.md", replace(B, id=THREE), 51),)


@pytest.mark.parametrize(
    ("before", "now", "lost"),
    [
        ([], [], False),
        ([known(A)], [], False),
        ([known(A, noted=True)], [], True),
        ([known(A, noted=True), known(B)], [B], False),
        ([known(A, noted=True), known(B)], [seen("c")], True),
        ([known(A, noted=True), known(B, noted=True)], [B], False),
        ([known(A, noted=True, orphan=True)], [B], False),
        ([known(A, noted=True, orphan=True), known(B, noted=True)], [A], True),
        ([known(A, noted=True, orphan=True), known(B)], [A], False),
        ([known(A, noted=True)], [replace(A, name="x.md")], False),
    ],
)
def test_all_notes_lost(before: list[Known], now: list[Seen], lost: bool) -> None:
    merge, _ = merge_of(before, sight(*now))
    assert loses_all(before, merge) is lost


PAGES = st.dictionaries(
    st.sampled_from("abcd"),
    st.tuples(
        st.sampled_from([None, None, ONE, TWO]),
        st.sampled_from("xyz"),
        st.sampled_from([None, "p"]),
        st.sampled_from([True, True, True, False]),
    ),
)


def sight_from(drawn: dict[str, tuple[str | None, str, str | None, bool]]) -> Sight:
    """A field in which a uuid that two pages have is nobody's, as `identity` has it."""
    readable = {name: each for name, each in drawn.items() if each[3]}
    uuids = [uuid for uuid, *_ in readable.values()]
    pages = [
        # A page with a uuid has other bytes than one without.
        replace(
            seen(name, uuid if uuids.count(uuid) == 1 else None, content, parent),
            sha256=f"{uuid} {content}",
        )
        for name, (uuid, content, parent, _) in readable.items()
    ]
    return sight(*pages, unread=tuple(drawn.keys() - readable.keys()))


@given(versions=st.lists(st.tuples(PAGES, st.sets(st.integers(0, 5))), min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_through_many_versions(
    versions: list[tuple[dict[str, tuple[str | None, str, str | None, bool]], set[int]]],
) -> None:
    """No note is lost, no id is two pages', and no revision comes again with another content."""
    records: dict[str, Known] = {}
    notes: dict[str, int] = {}
    history: dict[tuple[str, int], object] = {}
    floor = number = 0
    for drawn, written in versions:
        now = sight_from(drawn)
        before = dict(records)
        merge, told = merged(records, now, floor)
        assert merged(records, now, floor) == (merge, told)
        assert merge.floor >= floor
        floor = merge.floor
        moved = {put.before: put.page.id for put in merge.puts if put.before is not None}
        kept = {
            id: each for id, each in records.items() if id not in moved and id not in merge.dropped
        }
        for id, each in kept.items():
            orphan = each.orphan or id in merge.orphaned
            kept[id] = replace(each, orphan=orphan, current=id not in merge.outdated)
        assert not any(records[id].noted for id in merge.dropped)
        for put in merge.puts:
            old = None if put.before is None else before[put.before]
            assert put.page.id not in kept
            assert old is None or put.rev in range(old.rev, max(old.rev + 1, floor + 1) + 1)
            if old is not None and old.sha256 != put.page.sha256:
                assert put.rev > old.rev
            kept[put.page.id] = known(put.page, put.rev, noted=old is not None and old.noted)
        notes = {moved.get(id, id): note for id, note in notes.items()}
        assert {id for id, each in kept.items() if each.noted} == notes.keys()
        live = {id: each for id, each in kept.items() if not each.orphan}
        for page in now.pages:
            each = live.pop(page.id)
            assert (each.name, each.parent, each.sha256) == (page.name, page.parent, page.sha256)
        assert {each.name for each in live.values()} <= set(told.unread)
        assert told.unchanged + len(told.added) + len(told.changed) == len(now.pages)
        assert {*told.orphans} == {id for id, each in kept.items() if each.orphan}
        records = kept
        for at in written:  # somebody sets notes
            if at < len(records):
                id = sorted(records)[at]
                number += 1
                notes[id] = number
                records[id] = replace(records[id], rev=records[id].rev + 1, noted=True)
        for id, each in records.items():
            content = (each.sha256, notes.get(id))
            assert history.setdefault((id, each.rev), content) == content
