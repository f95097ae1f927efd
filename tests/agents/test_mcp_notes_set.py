"""`set_note`: a note is set on what was read, or not at all; nothing else can be changed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agents.mcp_places import ODD_NAMES, folder, shelf_of
from tests.agents.noted_places import (
    KINDS,
    PAGES,
    UUID,
    answered,
    leave,
    noted_desk,
    notes_in,
    read,
)
from tests.agents.test_mcp_sizing import JSON

from memoryfield_agents import UnknownField
from memoryfield_agents.mcp_server import Desk, Refusal, note_stores
from memoryfield_agents.mcp_server.arguments import setting_of
from memoryfield_agents.mcp_server.catalogue import SET_NOTE
from memoryfield_agents.mcp_server.note_stores import NoteStores
from memoryfield_notes import MOST_NOTE_BYTES, StoreKind
from memoryfield_notes.opening import open_store
from memoryfield_notes.placing import lock_path
from memoryfield_readers import NotFound, open_field, parse_pins


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A field whose notes can be set, and a store that is made for them."""
    with noted_desk(folder(tmp_path / "f", PAGES), tmp_path / "store", settable=True) as made:
        yield made


def revision_of(desk: Desk, page: str) -> Any:
    """What an agent reads before it sets a note."""
    return read(desk, page)[page]["revision"]


def put(desk: Desk, page: str, revision: int, text: str, **more: Any) -> dict[str, Any]:
    """Set a note; the answer is within its bounds."""
    given_ = {"page": page, "revision": revision, "text": text, **more}
    return answered(desk.set_note(given_))


def test_a_note_is_set_replaced_and_taken_away(desk: Desk, tmp_path: Path) -> None:
    """Each at the revision that was read; what is answered is what is there."""
    first = revision_of(desk, "a.md")
    done = put(desk, "a.md", first, "one")
    assert (done["status"], done["revision"], done["field"]) == ("applied", first + 1, "f")
    assert (done["name"], done["sha256"]) == ("a.md", read(desk, "a.md")["a.md"]["sha256"])
    assert done["reader_note"]["text"] == "one"
    assert done["reader_note"]["pin"] == done["pin"]
    row = read(desk, "a.md")["a.md"]
    assert row["reader_note"] == done["reader_note"]
    assert row["revision"] == row["reader_note"]["revision"] == first + 1
    assert put(desk, "memoryfield://f/a.md", first + 1, "two")["status"] == "applied"
    assert notes_in(tmp_path / "store") == {"a.md": "two"}
    gone = put(desk, "a.md", first + 2, "", field="f")
    assert (gone["status"], gone["reader_note"]) == ("applied", None)
    assert notes_in(tmp_path / "store") == {}
    assert put(desk, "b.md", revision_of(desk, "b.md"), "of two")["status"] == "applied"
    assert notes_in(tmp_path / "store") == {UUID: "of two"}


def test_stale_is_an_answer_with_the_note_that_is_there(desk: Desk, tmp_path: Path) -> None:
    """At a revision of before, or one that is still to come, nothing is changed."""
    first = revision_of(desk, "a.md")
    leave(tmp_path / "store", tmp_path / "f", {"a.md": "of another"})
    for revision in (first, first + 2, 2**53 - 1):
        done = put(desk, "a.md", revision, "mine")
        assert (done["status"], done["revision"]) == ("stale", first + 1)
        assert done["reader_note"]["text"] == "of another"
    assert put(desk, "a.md", first + 1, "of both")["status"] == "applied"
    leave(tmp_path / "store", tmp_path / "f", {"a.md": "x" * 60_000})
    done = put(desk, "a.md", 1, "mine")
    assert done["reader_note"]["truncated"] is True
    rest = answered(desk.read_more({"cursor": done["reader_note"]["cursor"]}))
    assert rest["pages"][0]["reader_note"]["offset"] == len(done["reader_note"]["text"])


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_at_one_revision_one_is_applied(kind: StoreKind, tmp_path: Path) -> None:
    """Each server has opened the store for itself; nothing is lost."""
    place, store = folder(tmp_path / "f", PAGES), tmp_path / "store"
    leave(store, place, {}, kind)
    with (
        noted_desk(place, store, settable=True) as one,
        noted_desk(place, store, settable=True) as two,
    ):
        for turn in range(4):
            revision = revision_of(one, "a.md")
            assert revision_of(two, "a.md") == revision
            start = threading.Barrier(2)
            said: dict[str, str] = {}

            def work(desk: Desk, text: str, revision: int = revision) -> None:
                start.wait(60)  # noqa: B023 - it is joined before the next turn
                said[text] = put(desk, "a.md", revision, text)["status"]  # noqa: B023

            threads = [
                threading.Thread(target=work, args=(each, f"{turn} {name}"))
                for name, each in (("one", one), ("two", two))
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
            assert sorted(said.values()) == ["applied", "stale"]
            (winner,) = [text for text, status in said.items() if status == "applied"]
            assert notes_in(store) == {"a.md": winner}


def test_no_note_is_made_on_what_nobody_here_has_read(desk: Desk, tmp_path: Path) -> None:
    """Another program has brought the store up to a newer field: first that is to be read."""
    first = revision_of(desk, "a.md")
    folder(tmp_path / "f", {"a.md": "another\n"})
    leave(tmp_path / "store", tmp_path / "f", {})
    row = read(desk, "a.md")["a.md"]
    assert row["revision"] is None
    for revision in (first, first + 1):
        with pytest.raises(Refusal, match="the field has moved on") as caught:
            put(desk, "a.md", revision, "x")
        assert caught.value.hint is not None
        assert "reload=true" in caught.value.hint
    assert notes_in(tmp_path / "store") == {}
    desk.list_fields({"reload": True, "field": "f"})
    assert revision_of(desk, "a.md") == first + 1
    assert put(desk, "a.md", first, "x")["status"] == "stale"
    assert put(desk, "a.md", first + 1, "x")["status"] == "applied"


def test_a_revision_that_comes_meanwhile_is_of_another_page(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who names the next revision does not get it by a rebuild between the look and the writing."""
    look = note_stores._records

    def looked(*arguments: Any) -> Any:
        found = look(*arguments)
        folder(tmp_path / "f", {"a.md": "another\n"})
        leave(tmp_path / "store", tmp_path / "f", {})
        return found

    first = revision_of(desk, "a.md")
    monkeypatch.setattr(note_stores, "_records", looked)
    assert put(desk, "a.md", first + 1, "x")["status"] == "stale"
    assert notes_in(tmp_path / "store") == {}


def test_what_is_set_is_on_the_page_as_it_is_held(desk: Desk, tmp_path: Path) -> None:
    """The place has moved on, and nobody has looked there: after a look the note is stale."""
    folder(tmp_path / "f", {"a.md": "another\n"})
    assert put(desk, "a.md", revision_of(desk, "a.md"), "x")["status"] == "applied"
    assert read(desk, "a.md")["a.md"]["reader_note"]["stale"] is False
    assert desk.list_fields({"reload": True})["fields"][0]["reload"] == "changed"
    row = read(desk, "a.md")["a.md"]
    assert row["reader_note"]["stale"] is True
    done = put(desk, "a.md", row["revision"], "x again")
    assert (done["status"], done["reader_note"]["stale"]) == ("applied", False)


def test_a_pinned_field_has_notes_too(tmp_path: Path) -> None:
    """A store that was brought up to another version comes back when it is reloaded."""
    place, store = folder(tmp_path / "f", PAGES), tmp_path / "store"
    with open_field(str(place)) as field:
        pin = field.digest()
    with (
        shelf_of(f"f={place}", pins=parse_pins([pin])) as shelf,
        NoteStores.of(shelf, store, settable=True) as notes,
    ):
        desk = Desk(shelf, notes)
        folder(place, {"a.md": "another\n"})
        leave(store, place, {})
        assert revision_of(desk, "a.md") is None
        (row,) = desk.list_fields({"reload": True})["fields"]
        assert row["reload"] == "pinned: it is what it was"
        assert put(desk, "a.md", revision_of(desk, "a.md"), "x")["status"] == "applied"
        with open_store(store) as opened:
            assert opened.get("a.md").pin == pin


@pytest.mark.parametrize("name", [*ODD_NAMES, "x.md"], ids=ascii)
def test_no_path_is_made_of_a_name(name: str, desk: Desk, tmp_path: Path) -> None:
    """Neither of that of a page nor of that of a field."""
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    with pytest.raises(Refusal, match="has no page"):
        put(desk, name, 1, "x")
    with pytest.raises(UnknownField):
        put(desk, "a.md", 1, "x", field=name)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_near_names_are_told(desk: Desk) -> None:
    """As `read_pages` tells them."""
    with pytest.raises(Refusal) as caught:
        put(desk, "A", 1, "x")
    assert caught.value.hint == "there is a.md"


def test_arguments_that_mean_nothing(desk: Desk, tmp_path: Path) -> None:
    """Each is refused with what is wrong, and nothing is set."""
    good: dict[str, Any] = {"page": "a.md", "revision": 1, "text": "x"}
    for more, says in (
        ({"page": None}, "page is missing"),
        ({"page": 5}, "page is a text"),
        ({"page": "x" * 2000}, "page is longer"),
        ({"revision": None}, "revision is missing"),
        ({"revision": 0}, "whole number"),
        ({"revision": -1}, "whole number"),
        ({"revision": 2**53}, "whole number from 1 to 9,007,199,254,740,991"),
        ({"revision": 10**30}, "whole number"),
        ({"text": " \n"}, "the note is empty"),
        ({"revision": True}, "whole number"),
        ({"revision": "1"}, "whole number"),
        ({"revision": 1.5}, "whole number"),
        ({"text": None}, "text is missing"),
        ({"text": "x" * (MOST_NOTE_BYTES + 1)}, "longer than 65,536"),
        ({"text": "茶" * 30_000}, "notes on f: the note has 90000 bytes"),
        ({"text": "\x00"}, "without NUL"),
        ({"text": "\ud800"}, "no text"),
        ({"store": "/etc/x"}, "no argument 'store'"),
        ({"path": str(tmp_path)}, "no argument 'path'"),
    ):
        with pytest.raises(Refusal) as caught:
            desk.set_note({**good, "revision": revision_of(desk, "a.md"), **more})
        assert says in f"{caught.value} ({caught.value.hint})"
    assert notes_in(tmp_path / "store") == {}


@given(st.dictionaries(st.sampled_from(["field", "page", "revision", "text", "x"]), JSON))
@settings(max_examples=40)
def test_arguments_are_values_or_refused(given_: dict[str, Any]) -> None:
    """Whatever JSON comes."""
    try:
        wish = setting_of(given_)
    except Refusal:
        return
    assert set(given_) <= set(SET_NOTE.takes["properties"])
    assert wish.page
    assert 1 <= wish.revision < 2**53


def test_what_stands_in_the_way_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another writer, a store that is damaged or taken away: an error, and a field to read."""
    from filelock import FileLock

    monkeypatch.setattr(note_stores, "_WAIT_SECONDS", 0.05)
    place, store = folder(tmp_path / "f", PAGES), tmp_path / "store"
    with noted_desk(place, store, settable=True) as desk:
        revision = revision_of(desk, "a.md")
        with FileLock(lock_path(store)), pytest.raises(Refusal, match=r"^notes on f: ") as caught:
            put(desk, "a.md", revision, "x")
        assert caught.value.hint is not None
        kept = store.read_bytes()
        store.write_bytes(kept[:-9])
        with pytest.raises(Refusal, match=r"^notes on f: ") as caught:
            put(desk, "a.md", revision, "x")
        assert caught.value.hint is not None
        assert str(tmp_path) not in str(caught.value)
        (row,) = answered(desk.list_fields({"reload": True}))["fields"]
        assert row["reload"].startswith("the same; notes on f: ")
        with pytest.raises(Refusal, match=r"^notes on f: "):
            desk.list_fields({"reload": True, "field": "f"})
        assert store.read_bytes() == kept[:-9]
        store.unlink()
        with pytest.raises(Refusal, match="the field has moved on"):
            put(desk, "a.md", revision, "x")
        desk.list_fields({"reload": True})
        assert put(desk, "a.md", revision_of(desk, "a.md"), "x")["status"] == "applied"


def test_who_may_not_set_notes_cannot(tmp_path: Path) -> None:
    """There is no such tool, and what would set one refuses; no store is made."""
    place = folder(tmp_path / "f", PAGES)
    paths = {"f": tmp_path / "store"}
    with shelf_of(f"f={place}") as shelf, NoteStores(paths) as notes:
        for desk in (Desk(shelf), Desk(shelf, notes)):
            assert "set_note" not in desk.tools
            with pytest.raises(Refusal, match="cannot be set here"):
                desk.set_note({"page": "a.md", "revision": 1, "text": "x"})
        held = shelf.get()
        with pytest.raises(NotFound, match="cannot be set here"):
            notes.rebuild(held)
        with pytest.raises(NotFound, match="cannot be set here"):
            notes.set(held, held.field.page("a.md"), 1, "x")
    assert os.listdir(tmp_path) == ["f"]
