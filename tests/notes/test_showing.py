"""Which note belongs to a page: by its uuid, else by its name, and as a rebuild has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryfield_notes import Store
from memoryfield_notes.notebook import page_notes
from memoryfield_notes.opening import open_store
from memoryfield_notes.showing import PageNotes, Shown
from memoryfield_readers import Field, MemoryfieldError, memory_field

ONE = "6aa615f0-486f-48a7-a210-ba4f5ff18c8b"
TWO = "7bb615f0-486f-48a7-a210-ba4f5ff18c8b"


def page(uuid: str | None = None, text: str = "x") -> bytes:
    head = "" if uuid is None else f"---\nuuid: {uuid}\n---\n"
    return f"{head}{text}\n".encode()


def noted_store(path: Path, files: Mapping[str, bytes]) -> Store:
    """A store that knows a field, with a note on each page that names it."""
    store = open_store(path, kind="json", create=True)
    with memory_field(files) as field:
        store.rebuild(field)
    for record in list(store.records()):
        assert store.cas(record.id, record.rev, record.name).applied
    return store


def shown(store: Store, files: Mapping[str, bytes]) -> dict[str, str | None]:
    """The note that each page of a field is shown with, by the names of the pages."""
    notes = PageNotes(store)
    with memory_field(files) as field:
        found = {name: notes.of(field.page(name), field.pages) for name in field.pages}
    return {name: None if each is None else each.note.text for name, each in found.items()}


CASES: dict[str, tuple[dict[str, bytes], dict[str, bytes], dict[str, str | None]]] = {
    "the same": ({"a.md": page(ONE)}, {"a.md": page(ONE)}, {"a.md": "a.md"}),
    "renamed": ({"a.md": page(ONE)}, {"b.md": page(ONE)}, {"b.md": "a.md"}),
    "capital letters": ({"a.md": page(ONE)}, {"b.md": page(ONE.upper())}, {"b.md": "a.md"}),
    "a copied uuid": (
        {"a.md": page(ONE)},
        {"a.md": page(ONE), "b.md": page(ONE)},
        {"a.md": "a.md", "b.md": None},
    ),
    "by name": (
        {"a.md": page()},
        {"a.md": page(text="y"), "b.md": page()},
        {"a.md": "a.md", "b.md": None},
    ),
    "names that have changed": (
        {"a.md": page(ONE), "b.md": page()},
        {"a.md": page(TWO), "b.md": page(ONE)},
        {"a.md": None, "b.md": None},
    ),
    "a uuid that is new": ({"a.md": page()}, {"a.md": page(ONE)}, {"a.md": "a.md"}),
    "a uuid that is lost": ({"a.md": page(ONE)}, {"a.md": page()}, {"a.md": "a.md"}),
    "another uuid": ({"a.md": page(ONE)}, {"a.md": page(TWO)}, {"a.md": None}),
    "what is no uuid": ({"a.md": page("x")}, {"a.md": page("y")}, {"a.md": "a.md"}),
    "shared before": (
        {"a.md": page(ONE), "b.md": page(ONE)},
        {"a.md": page(ONE), "b.md": page(ONE)},
        {"a.md": "a.md", "b.md": "b.md"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_notes_find_their_pages(name: str, tmp_path: Path) -> None:
    """Each page has the note that was made on it, under whatever name, and no other one."""
    before, after, expected = CASES[name]
    with noted_store(tmp_path / "x", before) as store:
        assert shown(store, after) == expected


def test_a_page_that_comes_back(tmp_path: Path) -> None:
    """An orphan's note is shown on the page that has its id again."""
    files = {"a.md": page(ONE), "b.md": page(), "c.md": page()}
    with noted_store(tmp_path / "x", files) as store:
        with memory_field({"c.md": page()}) as field:
            store.rebuild(field)
        back = {"z.md": page(ONE), "b.md": page(), "c.md": page()}
        assert shown(store, back) == {"z.md": "a.md", "b.md": "b.md", "c.md": "c.md"}
        another = {"b.md": page(TWO), "c.md": page()}  # a page of its own, of an old name
        assert shown(store, another) == {"b.md": None, "c.md": "c.md"}


def test_stale_is_what_the_page_itself_says(tmp_path: Path) -> None:
    """A note is held against the page as it is, whatever the store last saw."""
    with noted_store(tmp_path / "x", {"a.md": page()}) as store:
        seen = []
        for text in ("x", "y", "x"):
            with memory_field({"a.md": page(text=text)}) as field:
                found = PageNotes(store).of(field.page("a.md"), field.pages)
                assert isinstance(found, Shown)
                seen.append((found.stale, found.revision))
                facts = found.to_json()
                note = found.note
                store.rebuild(field)
        assert seen == [(False, 2), (True, 2), (False, 3)]
        hashes = {"sha256": note.sha256, "pin": note.pin, "written": note.written}
        assert facts == {"id": "a.md", "revision": 3, "text": "a.md", "stale": False, **hashes}


NAMES = st.sampled_from(["a.md", "b.md", "c.md"])
UUIDS = st.sampled_from([None, ONE, TWO])
FIELDS = st.dictionaries(NAMES, st.builds(page, UUIDS, st.sampled_from(["x", "y"])), min_size=1)


def uuids_of(field: Field) -> dict[str, str | None]:
    return {name: field.page(name).frontmatter.text("uuid") for name in field.pages}


@given(FIELDS, FIELDS)
@settings(max_examples=30, deadline=None)
def test_no_page_is_shown_what_a_rebuild_would_give_to_another(
    before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    """What is shown on a page at once, a rebuild gives to that page, too.

    A uuid that two pages state, or one that went to another page, only a rebuild can see.
    """
    with TemporaryDirectory() as place, noted_store(Path(place) / "x", before) as store:
        told = shown(store, after)
        with memory_field(after) as field, memory_field(before) as old:
            store.rebuild(field, force=True)
            uuids, were = uuids_of(field), uuids_of(old)
        count = Counter(uuids.values())
        later = {
            record.name: record.note.text
            for record in store.records(noted=True)
            if not record.orphan and record.note is not None
        }
        for name, note in told.items():
            uuid, was = uuids[name], were.get(name)
            unseen = count[uuid] > 1 if uuid is not None else was is not None and was in count
            if note is not None and not unseen:
                assert later.get(name) == note


def test_a_field_without_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to show, nothing to tell, and nothing is made."""
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path))
    told: list[MemoryfieldError] = []
    with (
        page_notes("field", told=told.append) as notes,
        memory_field({"a.md": page(ONE)}) as field,
    ):
        assert not notes
        assert notes.of(field.page("a.md"), field.pages) is None
    assert (told, list(tmp_path.iterdir())) == ([], [])


def test_a_store_that_fails_is_told_once(tmp_path: Path) -> None:
    """When it is opened, or later: there are no notes then, and pages are read all the same."""
    store = tmp_path / "x"
    with noted_store(store, {"a.md": page(), "b.md": page()}):
        pass
    whole = store.read_bytes()
    for data in (whole[:-20], b"", b"junk", b"SQLite format 3\0" + bytes(4096), whole * 2):
        store.write_bytes(data)
        told: list[MemoryfieldError] = []
        with (
            page_notes("field", store, told=told.append) as notes,
            memory_field({"a.md": page(), "b.md": page()}) as field,
        ):
            pages = [field.page(name) for name in field.pages]
            assert [notes.of(each, field.pages) for each in pages] == [None, None]
            assert notes.problem is told[0]
        assert (len(told), told[0].exit_code) == (1, 4)
        assert store.read_bytes() == data


def test_names_that_are_no_text(tmp_path: Path) -> None:
    """No store is asked for a name that UTF-8 cannot carry."""
    with noted_store(tmp_path / "x", {"a.md": page()}) as store:
        assert shown(store, {"a.md": page(), "\udce9.md": page()}) == {
            "a.md": "a.md",
            "\udce9.md": None,
        }
