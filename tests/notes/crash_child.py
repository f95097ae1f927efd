"""Changes stores in processes that end in the middle; run as a process of its own, as it forks.

python -m tests.notes.crash_child crash FOLDER CASE…   killed at each step of each case
python -m tests.notes.crash_child once FILE ACT        does it once, between two marks, for `strace`
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.notes.sample_fields import FAMILY, ONE, TWO, field_of, page, store_of
from tests.writer.stepping import every_crash, marked

from memoryfield_notes import Document, Store, StoreKind, convert, open_store

NAME = "field.notes"
LATER: dict[str, str | bytes] = {
    **{name: text for name, text in FAMILY.items() if name != "stray"},
    "stem": page("Another text " * 400, TWO, ONE),
    **{f"new-{number}": f"New {number} " * 300 for number in range(8)},
}
"""A version of the field that changes, adds and takes away pages."""


def prepare(path: Path, kind: StoreKind) -> None:
    """A store with some notes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with store_of(path, kind) as store:
        store.cas(TWO, 1, "a note " * 300)
        store.cas("stray.md", 1, "of a page that goes")


def act(path: Path, name: str) -> None:
    """Do one thing to a store."""
    if name in ("json", "sqlite"):
        convert(path, "json" if name == "json" else "sqlite")
        return
    with open_store(path) as store:
        _acts()[name](store)


def _acts() -> dict[str, Callable[[Store], object]]:
    return {
        "cas": lambda store: store.cas(ONE, 1, "set " * 3_000),
        "rebuild": _rebuild,
        "restore": lambda store: store.restore(_restored()),
        "backup": lambda store: store.backup(store.path.with_name("copy")),
    }


def _rebuild(store: Store) -> None:
    with field_of(LATER) as field:
        store.rebuild(field)


def _restored() -> Document:
    from memoryfield_notes.contents import Contents
    from memoryfield_notes.identity import sight_of
    from memoryfield_notes.record import Origin

    with field_of(LATER) as field:
        empty = Contents(Document(Origin("", "", "")))
        return empty.with_sight(sight_of(field), "", force=False)[1].document


def exported(path: Path) -> Document:
    """All that a store holds."""
    with open_store(path) as store:
        return store.export()


def crash(folder: Path, case: str) -> int:
    """Kill what a case does at each step; at how many it was."""
    name, what = case.split("/")
    kind: StoreKind = "json" if name == "json" else "sqlite"
    prepare(folder / "whole" / NAME, kind)
    before = undated(exported(folder / "whole" / NAME))
    act(folder / "whole" / NAME, what)
    after = undated(exported(folder / "whole" / NAME))
    was_after = False

    def check(place: Path, nth: int, done: bool) -> None:
        nonlocal was_after
        path = place / NAME
        found = undated(exported(path))
        is_after = found == after
        assert is_after or found == before, nth
        if before != after:
            assert is_after or not (was_after or done), nth
            was_after = is_after
        copy = path.with_name("copy")
        assert not done or what != "backup" or copy.exists(), nth
        with open_store(path) as store:
            if what == "backup" and not copy.exists():
                store.backup(copy)
            if copy.exists():
                assert undated(exported(copy)) == before, nth
                copy.unlink()
            assert store.cas("leaf.md", store.get("leaf.md").rev, "next").applied
        assert {each.name for each in place.iterdir()} == {NAME, f".{NAME}.lock"}, nth

    def begin(place: Path) -> None:
        prepare(place / NAME, kind)

    return every_crash(folder, begin, lambda place: act(place / NAME, what), check)


def crash_made(folder: Path, kind: StoreKind) -> int:
    """Kill the making of a store at each step."""

    def make(place: Path) -> None:
        place.mkdir(exist_ok=True)
        open_store(place / NAME, kind=kind, create=True).close()

    def check(place: Path, nth: int, done: bool) -> None:
        assert not done or (place / NAME).exists()
        make(place)
        assert exported(place / NAME).records == ()
        assert {each.name for each in place.iterdir()} == {NAME, f".{NAME}.lock"}, nth

    return every_crash(folder, lambda place: place.mkdir(parents=True), make, check)


def undated(document: Document) -> Document:
    """The same, but for when notes were written: each place of a test has its own time."""
    records = [
        each if each.note is None else replace(each, note=replace(each.note, written=""))
        for each in document.records
    ]
    return replace(document, records=tuple(records))


if __name__ == "__main__":
    gc.disable()  # its marks would have every child copy all that the parent has
    if sys.argv[1] == "once":
        with open_store(Path(sys.argv[2])) as opened:
            opened.origin()
            with marked("once"):
                _acts()[sys.argv[3]](opened)
        os._exit(0)
    for _case in sys.argv[3:]:
        _name, _what = _case.split("/")
        _folder = Path(sys.argv[2], _case.replace("/", "-"))
        _made: StoreKind = "json" if _name == "json" else "sqlite"
        _kills = crash_made(_folder, _made) if _what == "make" else crash(_folder, _case)
        print(_case, _kills, flush=True)
