"""Notes are shown with their pages: bounded, marked as data, and whether they are stale."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.agents.mcp_places import HOSTILE, INJECTED, desk_of, folder, shelf_of
from tests.agents.noted_places import KINDS, PAGES, UUID, answered, leave, noted_desk, read

from memoryfield_agents.mcp_server import Desk, Refusal
from memoryfield_agents.mcp_server.note_stores import NoteStores
from memoryfield_agents.mcp_server.sizing import MOST_POINTS, weight
from memoryfield_notes import MOST_NOTE_BYTES, NotesAtRisk, StoreError, StoreKind
from memoryfield_readers import LocationError, MemoryfieldError, NotFound


@pytest.mark.parametrize("kind", KINDS)
def test_notes_are_shown_wherever_their_pages_are(kind: StoreKind, tmp_path: Path) -> None:
    """With revision, time and pin; found by uuid or by name; a page without one has none."""
    place = folder(tmp_path / "f", PAGES)
    store = tmp_path / "store"
    revisions = leave(store, place, {"a.md": "seen on Monday", UUID: "of two"}, kind)
    with noted_desk(place, store) as desk:
        rows = read(desk, *PAGES)
        note = rows["a.md"]["reader_note"]
        assert set(note) == {"revision", "stale", "written", "pin", "text", "truncated"}
        assert (note["text"], note["revision"]) == ("seen on Monday", revisions["a.md"])
        assert (note["stale"], note["truncated"]) == (False, False)
        assert note["pin"] == desk.list_fields({})["fields"][0]["pin"]
        assert note["written"].endswith("Z")
        assert rows["b.md"]["reader_note"]["text"] == "of two"
        assert "reader_note" not in rows["c.md"]
        assert not any("revision" in row for row in rows.values())
        found = answered(desk.search({"query": "wok", "mode": "lexical"}))["results"]
        assert {row["name"]: row.get("reader_note", {}).get("text") for row in found} == {
            "a.md": "seen on Monday", "b.md": "of two", "c.md": None,
        }  # fmt: skip
        (page,) = answered(desk.resource("memoryfield://f/a.md"))["pages"]
        assert page["reader_note"] == note
        (field,) = answered(desk.list_fields({}))["fields"]
        assert field["reader_notes"] == {"notes": 2, "stale": 0}
        listed = answered(desk.list_fields({"field": "f"}))["pages"]
        assert [row.get("noted") for row in listed] == [
            {"revision": revisions["a.md"], "stale": False},
            {"revision": revisions[UUID], "stale": False},
            None,
        ]


def test_a_field_without_notes_is_answered_as_ever(tmp_path: Path) -> None:
    """To the byte, be there no store or an empty one."""
    place = folder(tmp_path / "f", PAGES)
    leave(tmp_path / "store", place, {})
    asked = {"names": [*PAGES, "x.md"]}
    with desk_of(f"f={place}") as desk:
        plain = desk.read_pages(asked), desk.list_fields({"field": "f"})
    with noted_desk(place, tmp_path / "store") as desk:
        assert (desk.read_pages(asked), desk.list_fields({"field": "f"})) == plain
        assert "reader_notes" not in desk.list_fields({})["fields"][0]
    with shelf_of(f"f={place}") as shelf, NoteStores({"f": tmp_path / "none"}) as notes:
        desk = Desk(shelf, notes)
        assert (desk.read_pages(asked), desk.list_fields({"field": "f"})) == plain
        leave(tmp_path / "none", place, {"c.md": "made meanwhile"})
        assert read(desk, "c.md")["c.md"]["reader_note"]["text"] == "made meanwhile"
        (tmp_path / "none").unlink()
        assert desk.read_pages(asked) == plain[0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_others_change_is_seen_at_once(kind: StoreKind, tmp_path: Path) -> None:
    """Notes of theirs; a page that they change is another one only when it is read anew."""
    place, store = folder(tmp_path / "f", PAGES), tmp_path / "store"
    leave(store, place, {"a.md": "one"}, kind)
    with noted_desk(place, store) as desk:
        assert read(desk, "a.md")["a.md"]["reader_note"]["stale"] is False
        leave(store, place, {"a.md": "two"})
        assert read(desk, "a.md")["a.md"]["reader_note"]["text"] == "two"
        folder(place, {"a.md": "another wok\n"})
        assert read(desk, "a.md")["a.md"]["reader_note"]["stale"] is False
        (field,) = answered(desk.list_fields({"reload": True}))["fields"]
        assert field["reader_notes"] == {"notes": 1, "stale": 1}
        note = read(desk, "a.md")["a.md"]["reader_note"]
        assert (note["text"], note["stale"]) == ("two", True)
        (place / "a.md").rename(place / "z.md")
        assert answered(desk.list_fields({"reload": True}))["fields"][0]["reader_notes"] == {
            "notes": 1, "stale": 1,
        }  # fmt: skip


def test_a_page_of_another_name_keeps_its_note(tmp_path: Path) -> None:
    """By its uuid; it is not stale if nothing else has changed."""
    place, store = folder(tmp_path / "f", PAGES), tmp_path / "store"
    leave(store, place, {UUID: "of two"})
    (place / "b.md").rename(place / "moved.md")
    with noted_desk(place, store) as desk:
        assert read(desk, "moved.md")["moved.md"]["reader_note"]["stale"] is False
        assert desk.list_fields({})["fields"][0]["reader_notes"] == {"notes": 1, "stale": 0}


def test_hostile_notes_stay_text(tmp_path: Path) -> None:
    """Closing marks, tool instructions and what cannot be seen come out of one string."""
    place, store = folder(tmp_path / "f", HOSTILE), tmp_path / "store"
    text = INJECTED.decode().replace("\x00", "")
    leave(store, place, dict.fromkeys(HOSTILE, text))
    with noted_desk(place, store) as desk:
        for row in read(desk, *HOSTILE).values():
            assert row["reader_note"]["text"] == text.rstrip("\n")
        found = answered(desk.search({"query": "tool instructions", "mode": "lexical"}))
        assert found["results"][0]["reader_note"]["truncated"] is True
        assert text.startswith(found["results"][0]["reader_note"]["text"])


@pytest.mark.parametrize("letter", ["\u202e", "茶", "x\ny"], ids=ascii)
def test_long_notes_are_read_to_their_ends(letter: str, tmp_path: Path) -> None:
    """Twenty pages at once, each with the longest note; each answer is within its bounds."""
    long = letter * (MOST_NOTE_BYTES // len(letter.encode()))
    unseen = "\u202e" * 80
    pages = {f"p{number:02}{unseen}.md": "page\n" for number in range(20)}
    place, store = folder(tmp_path / "f", pages), tmp_path / "store"
    leave(store, place, dict.fromkeys(pages, long))
    with noted_desk(place, store, settable=True) as desk:
        for most in (6000, MOST_POINTS):
            names, answer = [], desk.read_pages({"names": list(pages), "max_bytes": most})
            assert weight(answer) <= most
            while True:
                for row in answered(answer)["pages"]:
                    names.append(row["name"])
                    assert row["text"] == "page\n"
                if answer["cursor"] is None:
                    break
                answer = desk.read_more({"cursor": answer["cursor"]})
            assert names == list(pages)
        note = read(desk, names[0])[names[0]]["reader_note"]
        text = note["text"]
        while note["truncated"]:
            (row,) = answered(desk.read_more({"cursor": note["cursor"]}))["pages"]
            note = row["reader_note"]
            assert note["offset"] == len(text)
            text += note["text"]
        assert text == long
        assert "cursor" not in note


def test_a_note_that_changes_is_not_read_on(tmp_path: Path) -> None:
    """Its rest would be of another one."""
    place, store = folder(tmp_path / "f", PAGES), tmp_path / "store"
    leave(store, place, {"a.md": "x" * 50_000})
    with noted_desk(place, store) as desk:
        cursor = read(desk, "a.md")["a.md"]["reader_note"]["cursor"]
        leave(store, place, {"a.md": "y" * 50_000})
        with pytest.raises(Refusal, match="has changed since"):
            desk.read_more({"cursor": cursor})
        store.unlink()
        with pytest.raises(Refusal, match="has changed since"):
            desk.read_more({"cursor": cursor})


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"SQLite format 3\0 and more", b'{"format": "memoryfield-notes", "version": 99}'],
    ids=["empty", "cut", "no database", "newer"],
)
def test_a_damaged_store_keeps_no_page_from_being_read(content: bytes, tmp_path: Path) -> None:
    """It is told, without where it is, and stays as it was."""
    place, store = folder(tmp_path / "f", PAGES), tmp_path / "store"
    store.write_bytes(content)
    with shelf_of(f"f={place}") as shelf, NoteStores.of(shelf, store) as notes:
        desk = Desk(shelf, notes)
        said = notes.trouble(shelf.get("f"))
        assert said is not None
        assert str(store) in said
        for answer in (
            desk.read_pages({"names": list(PAGES)}),
            desk.search({"query": "wok"}),
            desk.list_fields({"field": "f"}),
            desk.list_fields({})["fields"][0] | {"notice": "unverified data"},
        ):
            told = answered(answer)
            assert told["unread_notes"].startswith("notes on f: ")
            assert str(tmp_path) not in told["unread_notes"]
        assert {name: row["text"] for name, row in read(desk, *PAGES).items()} == PAGES
        with pytest.raises(MemoryfieldError):
            NoteStores.of(shelf, store, settable=True)
    assert store.read_bytes() == content


def test_a_folder_of_notes_that_cannot_be_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is told that there are no notes where nobody could look."""
    place = folder(tmp_path / "f", PAGES)
    (tmp_path / "file").touch()
    monkeypatch.setenv("MEMORYFIELD_NOTES_DIR", str(tmp_path / "file"))
    with shelf_of(f"f={place}") as shelf, NoteStores.of(shelf) as notes:
        for answer in (
            Desk(shelf, notes).read_pages({"names": list(PAGES)}),
            Desk(shelf, notes).list_fields({"field": "f"}),
        ):
            told = answered(answer)["unread_notes"]
            assert told.startswith("notes on f: cannot be looked at")
        with pytest.raises(StoreError):
            NoteStores.of(shelf, settable=True)


def test_where_a_store_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is named is there, or may be made; none is a part of its field."""
    place = folder(tmp_path / "f", PAGES)
    monkeypatch.setenv("MEMORYFIELD_NOTES_DIR", str(place))
    with shelf_of(f"f={place}") as shelf:
        with pytest.raises(LocationError):
            NoteStores.of(shelf, place / "store", settable=True)
        with pytest.raises(NotFound):
            NoteStores.of(shelf, tmp_path / "none")
        with pytest.raises(LocationError):
            NoteStores.of(shelf, settable=True)
        with NoteStores.of(shelf) as notes:  # shows none
            told = notes.trouble(shelf.get("f"))
            assert told is not None
            assert "a part of it" in told
            assert set(read(Desk(shelf, notes), *PAGES)) == set(PAGES)
    assert {path.name for path in place.iterdir()} == set(PAGES)


def test_a_store_is_not_brought_up_to_another_field(tmp_path: Path) -> None:
    """All its notes would be left without a page; nor to a field that was not read whole."""
    place, other = folder(tmp_path / "f", PAGES), folder(tmp_path / "other", {"x.md": "X"})
    leave(tmp_path / "store", place, {"a.md": "kept"})
    before = (tmp_path / "store").read_bytes()
    with shelf_of(f"f={other}") as shelf, pytest.raises(NotesAtRisk):
        NoteStores.of(shelf, tmp_path / "store", settable=True)
    (place / "b.md").unlink()
    (place / "b.md").symlink_to(place / "a.md")
    with shelf_of(f"f={place}") as shelf, pytest.raises(StoreError, match=r"b\.md") as caught:
        NoteStores.of(shelf, tmp_path / "store", settable=True)
    assert "taken for gone" in caught.value.message
    assert (tmp_path / "store").read_bytes() == before
