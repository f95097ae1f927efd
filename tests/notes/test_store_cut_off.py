"""After a writer was ended in the middle: who writes undoes that first, and who reads is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.notes.hot_journals import cut_off
from tests.notes.sample_fields import field_of, store_of
from tests.readers.unprivileged import without_rights

from memoryfield_notes import Document, Store, StoreError, convert, open_store
from memoryfield_notes.presence import is_there

PAGES: dict[str, str | bytes] = {f"page-{number}": f"Text {number} " * 400 for number in range(30)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with store_of(tmp_path / "x", "sqlite", PAGES) as store:
        store.cas("page-1.md", 1, "kept")
    return tmp_path / "x"


def exported(path: Path) -> Document:
    with open_store(path) as store:
        return store.export()


def _rebuild(path: Path) -> None:
    with open_store(path) as store, field_of(PAGES) as field:
        store.rebuild(field)


def _read_then_set(path: Path) -> None:
    """As `note set` does: it reads before it writes."""
    with open_store(path, create=True) as store:
        record = store.get("page-1.md")
        assert store.cas(record.id, record.rev, "more").applied
        assert store.cas(record.id, record.rev + 1, "kept").applied


WRITERS: dict[str, Callable[[Path], object]] = {
    "set": _read_then_set,
    "rebuild": _rebuild,
    "convert": lambda path: convert(path, "sqlite"),
    "opening": lambda path: open_store(path, create=True).close(),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_writer_goes_on(writer: str, path: Path) -> None:
    before = {each.id: each.text for each in exported(path).records}
    cut_off(path)
    with pytest.raises(StoreError, match="ended in the middle") as told:
        exported(path)
    assert told.value.hint is not None
    assert "`memoryfield note convert LOCATION sqlite`" in told.value.hint
    WRITERS[writer](path)
    assert {each.id: each.text for each in exported(path).records} == before
    assert {each.name for each in path.parent.iterdir()} == {"x", ".x.lock"}


def test_a_writer_that_has_it_open_goes_on(path: Path) -> None:
    with open_store(path, create=True) as store:
        before = store.export()
        cut_off(path)
        assert store.export() == before


def test_where_it_cannot_be_looked_nothing_is_said_to_be(tmp_path: Path) -> None:
    """A folder that is a file, or that may not be entered, is no folder without notes."""
    (tmp_path / "file").touch()
    (tmp_path / "circle").symlink_to("circle")
    assert not is_there(tmp_path / "gone" / "x")
    assert is_there(tmp_path / "circle")
    acts: tuple[Callable[[Path], Store | bool], ...] = (
        is_there,
        open_store,
        lambda path: convert(path, "json"),
    )
    for folder in ("file", "circle"):
        for act in acts:
            with pytest.raises(StoreError, match="cannot be looked at") as told:
                act(tmp_path / folder / "x")
            assert told.value.exit_code == 4

    def work(own: Path) -> None:
        (own / "closed").mkdir(mode=0)
        with pytest.raises(StoreError, match="cannot be looked at: permission"):
            is_there(own / "closed" / "x")

    without_rights(work)
