"""Indexes change in the same plan as pages: no stale row is left, and the rest is not made anew."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.index.fields import INDEX, ModelEmbedder, build, folder, foreign, page, pages, vector

from memoryfield_index.building import rebuild
from memoryfield_index.storage import open_index
from memoryfield_index.vectors import VectorCache
from memoryfield_index.verifying import Verification, verify
from memoryfield_readers import EmbedderUnavailable, Field, Manifest, SourceChanged, open_field
from memoryfield_readers.errors import IndexMismatch
from memoryfield_writer.indexes.keeping import kept
from memoryfield_writer.indexes.reindex import Reindex
from memoryfield_writer.plan import Plan, Put
from memoryfield_writer.result import Change

CHANGED = page(1, "Other woks")


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def plan_of(before: Mapping[str, bytes], after: Mapping[str, bytes], *renamed: str) -> Plan:
    """The plan that makes one set of files of another; `renamed` are pairs "was>name"."""
    pairs = {pair.split(">")[1]: pair.split(">")[0] for pair in renamed}
    puts, changes = {}, []
    for name, content in after.items():
        was = pairs.get(name)
        if was is None and before.get(name) == content:
            continue
        old = before.get(was or name)
        kind = "renamed" if was else "added" if old is None else "changed"
        puts[name] = Put(content, was or (name if old is not None else None), moved=bool(was))
        changes.append(Change(kind, name, was, old and sha(old), sha(content)))  # type: ignore[arg-type]
    gone = [name for name in before if name not in after]
    for name in gone:
        if name not in pairs.values():
            changes.append(Change("removed", name, None, sha(before[name]), None))
    manifest = Manifest.of({name: sha(content) for name, content in after.items()})
    return Plan(puts, tuple(gone), tuple(changes), manifest)


def carried_out(place: Path, plan: Plan) -> None:
    for name in plan.removes:
        (place / name).unlink()
    for name, put in plan.puts.items():
        (place / name).write_bytes(put.content)


def verified(place: Path) -> Verification:
    with open_field(place) as field, open_index(place / INDEX) as index:
        return verify(index, field)


def done(place: Path, plan: Plan, reindex: Reindex | None = None) -> tuple[str, ...]:
    """Carry out a plan with what becomes of the indexes; what there is to say."""
    with open_field(place) as field:
        plan, notes = kept(field, plan, reindex)
    carried_out(place, plan)
    return notes


FILES = pages(5) | {"data.csv": b"1\n"}
EDITS = {
    "changed": ({**FILES, "page-001.md": CHANGED}, ()),
    "removed": ({name: FILES[name] for name in FILES if name != "page-001.md"}, ()),
    "added": ({**FILES, "new.md": page(9)}, ()),
    "renamed": (
        {**{n: c for n, c in FILES.items() if n != "page-001.md"}, "new.md": FILES["page-001.md"]},
        ("page-001.md>new.md",),
    ),
    "renamed and changed": (
        {**{n: c for n, c in FILES.items() if n != "page-001.md"}, "new.md": CHANGED},
        ("page-001.md>new.md",),
    ),
}
EMBEDDED = {"changed": 1, "removed": 0, "added": 1, "renamed": 0, "renamed and changed": 1}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_leaves_no_stale_row(tmp_path: Path, edit: str) -> None:
    """The next build embeds what changed and no more; a page of another name keeps its vector."""
    after, renamed = EDITS[edit]
    place = folder(tmp_path / "f", FILES)
    build(place)
    assert done(place, plan_of(FILES, after, *renamed)) == ()
    found = verified(place)
    assert (found.stale, found.superfluous, found.faulty) == ((), (), ())
    assert len(found.missing) == EMBEDDED[edit]
    embedder = ModelEmbedder()
    stats = build(place, embedder)
    assert len(embedder.embedded) == EMBEDDED[edit]
    assert stats.removed == ()
    assert verified(place).is_sound


def test_other_changes_leave_the_index_alone(tmp_path: Path) -> None:
    place = folder(tmp_path / "f", FILES)
    build(place)
    plan = plan_of(FILES, {**FILES, "data.csv": b"2\n"})
    with open_field(place) as field:
        assert kept(field, plan, None) == (plan, ())
    plan = plan_of(FILES, {**FILES, "new.md": page(9)})
    with open_field(place) as field:
        assert kept(field, plan, None) == (plan, ())


def test_a_row_for_a_page_that_comes_back_goes(tmp_path: Path) -> None:
    """A row that was superfluous would be stale once there is a page of that name."""
    place = folder(tmp_path / "f", FILES)
    foreign(place / INDEX, [("new.md", "{}", "2026-01-01T00:00:00Z", bytes(32), vector())])
    assert done(place, plan_of(FILES, {**FILES, "new.md": page(9)})) == ()
    assert verified(place).rows == 0


def test_an_index_that_a_batch_removes(tmp_path: Path) -> None:
    place = folder(tmp_path / "f", FILES)
    build(place)
    plan = plan_of(FILES, {**FILES, "page-001.md": CHANGED})
    plan = Plan(plan.puts, (INDEX,), plan.changes, plan.manifest)
    assert done(place, plan) == ()
    assert not (place / INDEX).exists()


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_an_index_that_is_open_elsewhere(tmp_path: Path, ending: str) -> None:
    """What is beside it would be played into another one: it is left alone, and that is said."""
    place = folder(tmp_path / "f", FILES)
    build(place)
    (place / (INDEX + ending)).write_bytes(b"log")
    before = (place / INDEX).read_bytes()
    [note] = done(place, plan_of(FILES, {**FILES, "page-001.md": CHANGED}))
    assert INDEX + ending in note
    assert "`page-001.md`" in note
    assert (place / INDEX).read_bytes() == before


def test_an_index_that_cannot_be_pruned(tmp_path: Path) -> None:
    place = folder(tmp_path / "f", {**FILES, INDEX: b"no database", "b.sqlite3": b""})
    after = {name: CHANGED for name in FILES if name.endswith(".md")}
    notes = done(place, plan_of(FILES, after))
    assert [note.split(",")[0] for note in notes] == [
        "`b.sqlite3` is no SQLite file", f"`{INDEX}` is no SQLite file",
    ]  # fmt: skip
    assert (place / INDEX).read_bytes() == b"no database"
    (place / INDEX).write_bytes(b"SQLite format 3\0 and then nothing")
    notes = done(place, plan_of(dict.fromkeys(after, CHANGED), dict.fromkeys(after, b"# X\n")))
    assert notes[1].startswith(f"`{INDEX}` could not be pruned: its rows of ")
    assert "`page-002.md` and 2 more are stale" in notes[1]


def test_an_index_that_is_a_link(tmp_path: Path) -> None:
    """The file that it leads to is written in its place; the link stays."""
    place = folder(tmp_path / "f", FILES)
    build(place)
    (place / "kept").mkdir()
    (place / INDEX).rename(place / "kept" / "real.sqlite3")
    (place / INDEX).symlink_to("kept/real.sqlite3")
    plan = plan_of(FILES, {**FILES, "page-001.md": CHANGED})
    with open_field(place) as field:
        found, _ = kept(field, plan, None)
    assert found.puts.keys() - plan.puts.keys() == {"kept/real.sqlite3"}


def test_an_index_that_changed_meanwhile(tmp_path: Path) -> None:
    place = folder(tmp_path / "f", FILES)
    build(place)
    plan = plan_of(FILES, {**FILES, "page-001.md": CHANGED})
    with open_field(place) as field:
        field.content(INDEX)
        data = bytearray((place / INDEX).read_bytes())
        data[-1] ^= 1
        (place / INDEX).write_bytes(bytes(data))
        with pytest.raises(SourceChanged):
            kept(field, plan, None)


class Rebuilding:
    """Makes an index anew with a cheap embedder; counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.embedder = ModelEmbedder()

    def __call__(self, field: Field, name: str, old: bytes) -> bytes:
        self.path.mkdir()
        (self.path / name).write_bytes(old)
        vectors = VectorCache(self.embedder.recipe, None)
        rebuild(field, self.embedder, self.path / name, vectors=vectors)
        vectors.close()
        return (self.path / name).read_bytes()


@pytest.mark.parametrize("edit", EDITS)
def test_an_index_that_is_brought_up_to_date(tmp_path: Path, edit: str) -> None:
    """It is whole afterwards; what was not changed was not embedded, and keeps its time."""
    after, renamed = EDITS[edit]
    place = folder(tmp_path / "f", FILES)
    build(place)
    reindex = Rebuilding(tmp_path / "r")
    assert done(place, plan_of(FILES, after, *renamed), reindex) == ()
    assert verified(place).is_sound
    assert len(reindex.embedder.embedded) == EMBEDDED[edit]
    with open_field(place) as field, open_index(place / INDEX) as index:
        assert index.meta.field_digest == field.digest()
        times = {row.filename: row.last_modified or "" for row in index.rows()}
    assert times.pop("page-000.md").startswith("2025-06-15T15:06:40")
    assert not any(time.startswith("1970") for time in times.values())


def refusing(error: Exception) -> Reindex:
    def reindex(field: Field, name: str, old: bytes) -> bytes:
        raise error

    return reindex


def test_an_index_of_another_model_is_pruned(tmp_path: Path) -> None:
    place = folder(tmp_path / "f", FILES)
    build(place)
    plan = plan_of(FILES, {**FILES, "page-001.md": CHANGED})
    [note] = done(place, plan, refusing(IndexMismatch("is of another model")))
    assert note == f"`{INDEX}` was not brought up to date: is of another model"
    assert verified(place).missing == ("page-001.md",)


def test_what_else_stands_in_the_way_is_raised(tmp_path: Path) -> None:
    """Who asks for an index that is up to date gets that, or nothing."""
    place = folder(tmp_path / "f", FILES)
    build(place)
    plan = plan_of(FILES, {**FILES, "page-001.md": CHANGED})
    with open_field(place) as field, pytest.raises(EmbedderUnavailable):
        kept(field, plan, refusing(EmbedderUnavailable("there is none")))


def test_there_is_no_index_to_bring_up_to_date(tmp_path: Path) -> None:
    place = folder(tmp_path / "f", FILES)
    reindex = refusing(AssertionError())
    [note] = done(place, plan_of(FILES, {**FILES, "page-001.md": CHANGED}), reindex)
    assert "no vector index" in note
