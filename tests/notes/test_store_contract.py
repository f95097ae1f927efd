"""What every store does, whichever kind it is."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.notes.sample_fields import FAMILY, KINDS, ONE, THREE, TWO, field_of, page, store_of

from memoryfield_notes import (
    MOST_NOTE_BYTES,
    InvalidNote,
    NotesAtRisk,
    Origin,
    StaleSource,
    Store,
    StoreError,
    StoreKind,
    open_store,
    render,
)
from memoryfield_notes.record import MOST_REVISION
from memoryfield_notes.restoring import restored
from memoryfield_readers import Limits, LockTimeout, MemoryfieldError, NotFound, memory_field
from memoryfield_readers.holding import held_lock_file


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> StoreKind:
    found: StoreKind = request.param
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "field.notes"


@pytest.fixture
def store(path: Path, kind: StoreKind) -> Iterator[Store]:
    with store_of(path, kind) as made:
        yield made


def ids(records: object) -> list[str]:
    return [record.id for record in records]  # type: ignore[attr-defined]


class TestReading:
    def test_a_new_store_is_about_nothing(self, path: Path, kind: StoreKind) -> None:
        with open_store(path, kind=kind, create=True) as made:
            assert made.kind == kind
            assert made.path == path
            assert made.origin() == Origin("", "", "")
            assert list(made.records()) == []
            assert stat.S_IMODE(os.stat(path).st_mode) == 0o600

    def test_it_knows_each_page(self, store: Store) -> None:
        with field_of(FAMILY) as field:
            assert store.origin() == Origin("field", "<memory>", field.digest())
            leaf = field.page("leaf.md")
            record = store.get("leaf.md")
            assert (record.name, record.text, record.sha256) == (leaf.name, leaf.text, leaf.sha256)
            assert (record.parent, record.rev, record.pin) == (TWO, 1, field.digest())
            assert record.note is None
            assert not record.orphan
        assert store.get(TWO).name == "stem.md"
        assert ids(store.records()) == sorted([ONE, TWO, "bud.md", "leaf.md", "stray.md"])

    @pytest.mark.parametrize("id", ["root.md", "", "x", ONE.upper() + "x", "\ud800", "a\0b"])
    def test_an_unknown_id_is_told(self, store: Store, id: str) -> None:
        for ask in (store.get, store.children, store.ancestors, store.fresh):
            with pytest.raises(NotFound) as told:
                ask(id)
            assert told.value.exit_code == 4
        with pytest.raises(NotFound):
            store.cas(id, 1, "x")
        assert store.find([id, TWO]).keys() == {TWO}

    def test_names_lead_to_records(self, store: Store) -> None:
        assert ids(store.named("stem.md")) == [TWO]
        assert store.named("none.md") == store.named("\udcff.md") == ()

    def test_texts_are_searched_letter_by_letter(self, store: Store) -> None:
        assert ids(store.search("The ")) == [ONE, TWO]
        assert store.search("the ") == ()
        assert ids(store.search("%")) == []
        store.cas(ONE, 1, "Grüße, 100 %")
        assert ids(store.search("üße, 1", notes=True)) == [ONE]
        assert store.search("The root", notes=True) == ()
        for term in ("", "\ud800"):
            with pytest.raises(InvalidNote):
                store.search(term)

    def test_families(self, store: Store) -> None:
        assert ids(store.children(TWO)) == ["bud.md", "leaf.md"]
        assert store.children("bud.md") == ()
        above = store.ancestors("leaf.md")
        assert (ids(above.records), above.missing, above.cycle) == ([TWO, ONE], None, None)
        assert store.ancestors("stray.md").missing == "nowhere"
        assert store.ancestors(ONE).records == ()

    def test_a_cycle_of_parents_ends(self, tmp_path: Path, kind: StoreKind) -> None:
        pages: dict[str, str | bytes] = {
            "a": page("", parent="b"),
            "b": page("", parent="c"),
            "c": page("", parent="b"),
        }
        with store_of(tmp_path / "x", kind, pages) as store:
            assert store.ancestors("a.md").cycle == "b.md"
            assert ids(store.ancestors("a.md").records) == ["b.md", "c.md"]

    def test_odd_bytes_stay_what_they_are(self, tmp_path: Path, kind: StoreKind) -> None:
        pages: dict[str, str | bytes] = {
            "nul": b"a\0b \0",
            "latin": b"caf\xe9",
            "empty": b"",
            "bom": b"\xef\xbb\xbfx",
            "astral": "\U0001f600 e\u0301\u2028\x7f".encode(),
        }
        with store_of(tmp_path / "x", kind, pages) as store, field_of(pages) as field:
            for name in field.pages:
                assert store.get(name).text == field.page(name).text
            assert ids(store.search("\0b \0")) == ["nul.md"]
            assert ids(store.search("\ufffd")) == ["latin.md"]


class TestSetting:
    def test_a_note_is_set_at_its_revision_alone(self, store: Store) -> None:
        record = store.get(TWO)
        done = store.cas(TWO, 1, "checked")
        assert (done.applied, done.status, done.record.rev) == (True, "applied", 2)
        note = done.record.note
        assert note is not None
        assert (note.text, note.sha256, note.pin) == ("checked", record.sha256, record.pin)
        assert store.get(TWO) == done.record
        for rev in (0, 1, 3, MOST_REVISION):
            late = store.cas(TWO, rev, "other")
            assert (late.applied, late.status, late.record) == (False, "stale", done.record)
        assert ids(store.records(noted=True)) == [TWO]

    def test_a_note_is_taken_away(self, store: Store) -> None:
        store.cas(TWO, 1, "x")
        assert store.cas(TWO, 2, "").record == store.get(TWO)
        assert (store.get(TWO).rev, store.get(TWO).note) == (3, None)
        assert list(store.records(noted=True)) == []

    @pytest.mark.parametrize(
        ("rev", "note"),
        [(-1, "x"), (True, "x"), ("1", "x"), (1.0, "x"), (1, "a\0"), (1, "\ud800"), (1, 5),
         (1, "x" * (MOST_NOTE_BYTES + 1)), (1, "ü" * (MOST_NOTE_BYTES // 2 + 1)),
         (MOST_REVISION + 1, "x"), (10**5000, "x"), (1, " \t\n"), (1, "\r\n")],
        ids=["negative", "bool", "text", "float", "nul", "half", "number", "long", "wide",
             "high", "digits", "white", "line end"],
    )  # fmt: skip
    def test_what_is_no_note_changes_nothing(self, store: Store, rev: int, note: str) -> None:
        before = store.path.read_bytes()
        with pytest.raises(InvalidNote) as told:
            store.cas(TWO, rev, note)
        assert told.value.exit_code == 2
        assert store.path.read_bytes() == before

    def test_the_longest_note(self, store: Store) -> None:
        note = "ü" * (MOST_NOTE_BYTES // 2)
        assert store.cas(TWO, 1, note).record.note == store.get(TWO).note
        assert store.search("üü", notes=True)[0].note is not None

    def test_revisions_have_an_end(self, store: Store) -> None:
        document = store.export()
        last = tuple(
            type(record)(
                **{name: getattr(record, name) for name in record.__slots__} | {"rev": rev}
            )
            for record, rev in zip(document.records, [MOST_REVISION] * 5, strict=True)
        )
        store.restore(type(document)(document.origin, MOST_REVISION, last))
        before = store.export()
        with pytest.raises(StoreError) as told:
            store.cas(TWO, MOST_REVISION, "x")
        assert told.value.location == str(store.path)
        with field_of({**FAMILY, "new": "x"}) as field, pytest.raises(StoreError):
            store.rebuild(field)
        with field_of({**FAMILY, "leaf": "changed"}) as field, pytest.raises(StoreError):
            store.rebuild(field)
        assert store.export() == before


class TestRebuilding:
    def test_a_new_version_of_the_field(self, store: Store) -> None:
        store.cas(TWO, 1, "on the stem")
        store.cas("leaf.md", 1, "on the leaf")
        store.cas("bud.md", 1, "on the bud")
        now: dict[str, str | bytes] = {**FAMILY, "stem": page("A new text", TWO, ONE), "new": "New"}
        del now["bud"], now["stray"]
        with field_of(now) as field:
            told = store.rebuild(field)
            pin = field.digest()
        assert (told.pin, told.added, told.changed, told.unchanged) == (pin, ("new.md",), (TWO,), 2)
        assert (told.orphans, told.stale, told.unread) == (("bud.md",), (TWO,), ())
        assert {each.id: each.rev for each in store.records()} == {
            ONE: 1, TWO: 3, "bud.md": 2, "leaf.md": 2, "new.md": 3,
        }  # fmt: skip
        assert store.search("quite short") == store.search("A bud") == ()
        assert ids(store.search("A new text")) == [TWO]
        orphan = store.get("bud.md")
        assert (orphan.orphan, orphan.text, orphan.is_stale) == (True, "", True)
        assert orphan.note is not None
        assert orphan.note.text == "on the bud"
        assert store.get("leaf.md").pin == pin != orphan.pin
        assert ids(store.children(TWO)) == ["bud.md", "leaf.md"]

    def test_the_same_version_again_changes_no_byte(self, store: Store) -> None:
        store.cas(TWO, 1, "x")
        before = store.path.read_bytes()
        with field_of(FAMILY) as field:
            told = store.rebuild(field)
        assert (told.added, told.changed, told.unchanged) == ((), (), 5)
        assert store.path.read_bytes() == before

    def test_a_page_that_is_back_has_its_note(self, store: Store) -> None:
        store.cas("bud.md", 1, "kept")
        with field_of({"other": "Another"}) as field, pytest.raises(NotesAtRisk) as told:
            store.rebuild(field)
        assert told.value.exit_code == 5
        with field_of({"root": FAMILY["root"]}) as field:
            assert store.rebuild(field).orphans == ("bud.md",)
        with field_of(FAMILY) as field:
            assert "bud.md" in store.rebuild(field).added
        back = store.get("bud.md")
        assert (back.rev, back.orphan, back.is_stale) == (2, False, False)
        assert store.get("leaf.md").rev == 3

    def test_the_note_of_an_orphan_goes_with_it(self, store: Store) -> None:
        store.cas("bud.md", 1, "kept")
        with field_of({"root": FAMILY["root"]}) as field:
            store.rebuild(field, force=True)
        assert store.cas("bud.md", 2, "told").applied
        gone = store.cas("bud.md", 3, "")
        assert (gone.applied, gone.record.rev, gone.record.note) == (True, 4, None)
        with pytest.raises(NotFound):
            store.get("bud.md")
        assert store.export().floor == 4
        with field_of(FAMILY) as field:
            store.rebuild(field)
        assert store.get("bud.md").rev == 5

    def test_a_page_that_gets_a_uuid_keeps_its_note(self, store: Store) -> None:
        store.cas("leaf.md", 1, "kept")
        with field_of({**FAMILY, "leaf": page("A leaf", THREE, "stem")}) as field:
            told = store.rebuild(field)
        assert (told.changed, told.stale, told.orphans) == ((THREE,), (THREE,), ())
        assert (store.get(THREE).rev, store.get(THREE).is_stale) == (3, True)
        with pytest.raises(NotFound):
            store.get("leaf.md")

    def test_pages_that_cannot_be_read_stay(self, store: Store) -> None:
        store.cas("leaf.md", 1, "kept")
        old = store.get("leaf.md")
        longer: dict[str, bytes] = {"leaf.md": b"x" * 2000, "stem.md": bytes(FAMILY["stem"])}  # type: ignore[arg-type]
        for _ in range(2):
            with memory_field(longer, limits=Limits(page_bytes=1000)) as field:
                told = store.rebuild(field)
            assert told.unread == ("leaf.md",)
            assert store.get("leaf.md") == old
        with field_of(FAMILY) as field:
            assert store.rebuild(field).changed == ()
        assert store.get("leaf.md") == old

    def test_fresh(self, store: Store) -> None:
        store.cas(TWO, 1, "x")
        assert store.fresh(TWO) == store.get(TWO)
        changed: dict[str, str | bytes] = {**FAMILY, "stem": page("New", TWO)}
        renamed: dict[str, str | bytes] = {**FAMILY, "trunk": FAMILY["stem"]}
        del renamed["stem"]
        gone = {name: text for name, text in FAMILY.items() if name != "stem"}
        for pages, actual in ((changed, True), (gone, False)):
            with field_of(pages) as field, pytest.raises(StaleSource) as told:
                store.fresh(TWO, field)
            assert told.value.exit_code == 3
            assert told.value.expected == store.get(TWO).sha256
            assert bool(told.value.actual) is actual
        with field_of(renamed) as field:
            assert store.fresh(TWO, field).name == "stem.md"
        with field_of(changed) as field:
            store.rebuild(field)
            for live in (None, field):
                with pytest.raises(StaleSource):
                    store.fresh(TWO, live)
            store.cas(TWO, 3, "checked again")
            assert store.fresh(TWO, field) == store.fresh(TWO)
            assert store.fresh("leaf.md", field).note is None


class TestWhole:
    def test_export_and_restore(self, store: Store, tmp_path: Path, kind: StoreKind) -> None:
        store.cas(TWO, 1, "x")
        with field_of({"stem": FAMILY["stem"], "new": "N"}) as field:
            store.rebuild(field)
        whole = store.export()
        with store_of(tmp_path / "other", kind, {"a": "A"}) as other:
            other.cas("a.md", 1, "gone after this")
            mine = other.export()
            with pytest.raises(NotesAtRisk):
                other.restore(whole, replace=False)
            assert other.export() == mine
            other.restore(whole)
            assert other.kind == kind
            assert other.export() == restored(mine, whole, "")
            assert {each.rev for each in other.records()} == {3}  # above what was let go of
        for into in KINDS:  # what is new takes it over as it is
            with open_store(tmp_path / into, kind=into, create=True) as new:
                new.restore(whole)
                assert render(new.export()) == render(whole)

    def test_restored_where_no_notes_are(self, store: Store) -> None:
        whole = store.export()
        with field_of({**FAMILY, "bud": "Another"}) as field:
            store.rebuild(field)
        store.restore(whole, replace=False)
        assert {each.id: each.rev for each in store.records()} == {
            each.id: 3 if each.id == "bud.md" else 1 for each in whole.records
        }

    def test_line_ends_at_the_end_of_a_note_go(self, store: Store) -> None:
        note = store.cas(TWO, 1, "\none\r\n\ntwo \n\r\n").record.note
        assert note is not None
        assert note.text == "\none\r\n\ntwo "
        assert store.get(TWO).note == note

    def test_backup(self, store: Store, tmp_path: Path, kind: StoreKind) -> None:
        store.cas(TWO, 1, "x")
        copy = tmp_path / "copy"
        store.backup(copy)
        with open_store(copy) as other:
            assert (other.kind, other.export()) == (kind, store.export())
        before = copy.read_bytes()
        with pytest.raises(NotesAtRisk):
            store.backup(copy)
        assert copy.read_bytes() == before
        with pytest.raises(StoreError):
            store.backup(tmp_path / "missing" / "copy")
        assert {each.name for each in tmp_path.iterdir()} == {
            "copy", "field.notes", ".field.notes.lock",
        }  # fmt: skip

    def test_others_are_seen_at_once(self, store: Store, path: Path) -> None:
        with open_store(path) as other:
            assert other.cas(TWO, 1, "x").applied
            assert store.get(TWO).rev == 2
            assert store.cas(TWO, 2, "y").applied
            assert other.get(TWO).note == store.get(TWO).note
            other.restore(store.export())
            assert store.cas(TWO, 3, "z").applied
            assert other.get(TWO).rev == 4

    def test_reading_leaves_no_trace(self, store: Store, path: Path) -> None:
        store.cas(TWO, 1, "x")
        store.close()
        path.with_name(".field.notes.lock").unlink()
        before, status = path.read_bytes(), os.stat(path)
        with open_store(path) as other:
            other.export()
            other.search("x")
        assert [each.name for each in path.parent.iterdir()] == ["field.notes"]
        assert (path.read_bytes(), os.stat(path).st_mtime_ns) == (before, status.st_mtime_ns)

    def test_a_reader_stands_in_nobodys_way(self, store: Store, path: Path) -> None:
        records = store.records()
        next(records)
        with open_store(path, wait=0) as other:
            assert other.cas(TWO, 1, "x").applied
        assert [record.rev for record in records] == [1, 1, 1, 1]

    def test_a_writer_waits_no_longer_than_that(self, path: Path, store: Store) -> None:
        with (
            held_lock_file(path.with_name(".field.notes.lock"), wait=0, location="x"),
            open_store(path, wait=0) as other,
        ):
            assert other.get(TWO).rev == 1
            with pytest.raises(LockTimeout):
                other.cas(TWO, 1, "x")
        assert store.get(TWO).rev == 1

    def test_a_store_that_is_gone_is_told(self, store: Store, path: Path) -> None:
        path.unlink()
        for ask in (store.origin, store.export, lambda: store.cas(TWO, 1, "x")):
            with pytest.raises(MemoryfieldError) as told:
                ask()
            assert told.value.exit_code == 4
        assert not path.exists()

    def test_the_mode_stays(self, store: Store, path: Path) -> None:
        path.chmod(0o640)
        store.cas(TWO, 1, "x")
        store.restore(store.export())
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
