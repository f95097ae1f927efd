"""A store becomes one of the other kind, in its place; and what kind a new one is."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.notes.sample_fields import FAMILY, KINDS, ONE, TWO, field_of, page, store_of

from memoryfield_notes import (
    MOST_IN_JSON,
    Document,
    Origin,
    Store,
    StoreError,
    StoreKind,
    convert,
    open_store,
    render,
)
from memoryfield_notes.backend import image_of
from memoryfield_readers import NotFound


def rich(path: Path, kind: StoreKind) -> None:
    """A store with notes, an orphan and odd texts."""
    with store_of(path, kind, {**FAMILY, "odd": b"\0 \xff \xf0\x9f\x98\x80"}) as store:
        store.cas(TWO, 1, "Ä " * 3000)
        store.cas("stray.md", 1, "goes")
        store.cas("odd.md", 1, "\x01\x7f\u2028\\\"'")
        now: dict[str, str | bytes] = {**FAMILY, "odd": b"\0", "stem": page("New", TWO)}
        del now["stray"]
        with field_of(now) as field:
            store.rebuild(field)


@pytest.mark.parametrize("kind", KINDS)
def test_to_and_fro(kind: StoreKind, tmp_path: Path) -> None:
    path = tmp_path / "x.notes"
    other = next(each for each in KINDS if each != kind)
    rich(path, kind)
    path.chmod(0o640)
    first = path.read_bytes()
    with open_store(path) as store:
        whole = render(store.export())
        assert not convert(path, kind)
        assert path.read_bytes() == first
        assert convert(path, other)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert render(store.export()) == whole
        assert store.kind == other
        assert store.cas(ONE, 1, "after").applied
        assert convert(path, kind)
        assert store.get(ONE).rev == 2
        assert store.kind == kind
    assert {each.name for each in tmp_path.iterdir()} == {"x.notes", ".x.notes.lock"}
    if kind == "json":
        with open_store(path) as store:
            assert path.read_bytes() == render(store.export())


@pytest.mark.parametrize("kind", KINDS)
def test_restored_across(kind: StoreKind, tmp_path: Path) -> None:
    rich(tmp_path / "x", kind)
    other = next(each for each in KINDS if each != kind)
    with open_store(tmp_path / "x") as store:
        whole = store.export()
    with open_store(tmp_path / "y", kind=other, create=True) as store:
        store.restore(whole)
        assert store.kind == other
        assert render(store.export()) == render(whole)
        with field_of(FAMILY) as field:
            assert store.rebuild(field).added == ("stray.md",)


def test_there_must_be_one(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        convert(tmp_path / "none", "json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "pages", "kind"),
    [
        ("x.json", 10**6, "json"),
        ("x.sqlite3", 1, "sqlite"),
        ("x.SQLite", None, "sqlite"),
        ("x.db", None, "sqlite"),
        ("x.notes", None, "json"),
        ("x.notes", MOST_IN_JSON, "json"),
        ("x.notes", MOST_IN_JSON + 1, "sqlite"),
    ],
)
def test_the_kind_of_a_new_one(
    name: str, pages: int | None, kind: StoreKind, tmp_path: Path
) -> None:
    other = next(each for each in KINDS if each != kind)
    with open_store(tmp_path / name, pages=pages, create=True) as store:
        assert store.kind == kind
    with open_store(tmp_path / name, kind=other, create=True) as store:
        assert store.kind == kind  # it is what it is
    with open_store(tmp_path / f"asked-{name}", kind=other, pages=pages, create=True) as store:
        assert store.kind == other


def test_an_orphan_keeps_its_pin(tmp_path: Path) -> None:
    """Also one that says it was seen in the version that was last read, as only a hand writes."""
    rich(tmp_path / "x", "json")
    with open_store(tmp_path / "x") as store:
        whole = store.export()
    told = tuple(
        replace(each, pin=whole.origin.pin) if each.orphan else each for each in whole.records
    )
    documents = []
    for kind in KINDS:
        with open_store(tmp_path / kind, kind=kind, create=True) as store, field_of(FAMILY) as now:
            store.restore(replace(whole, records=told))
            with field_of({"root": FAMILY["root"]}) as other:
                store.rebuild(other, force=True)
            assert store.get("stray.md").pin == whole.origin.pin
            store.rebuild(now)
            documents.append(store.export())
    assert documents[0] == documents[1]


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_made_is_looked_at(
    kind: StoreKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An image that holds something else, or cannot be read, takes no store's place."""
    path = tmp_path / "x"
    rich(path, kind)
    before = path.read_bytes()
    empty = Document(Origin("", "", ""))
    for image in (image_of(empty, "json", path), image_of(empty, "sqlite", path), b"{", b""):
        monkeypatch.setattr("memoryfield_notes.file_store.image_of", lambda *_, made=image: made)
        with open_store(path) as store:
            for change in (lambda: convert(path, KINDS[kind == "json"]), lambda: again(store)):
                with pytest.raises(StoreError) as told:
                    change()
                assert told.value.location == str(path)
    assert path.read_bytes() == before
    assert {each.name for each in tmp_path.iterdir()} == {"x", ".x.lock"}


def again(store: Store) -> None:
    """Restore what is there."""
    store.restore(store.export())
