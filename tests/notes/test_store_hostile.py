"""Files that are no store, or a bad one: told, and left as they are."""

from __future__ import annotations

import os
import sqlite3
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.notes.sample_fields import FAMILY, KINDS, ONE, TWO, field_of, store_of

from memoryfield_notes import Store, StoreError, StoreKind, convert, open_store, parse, render
from memoryfield_notes import json_store as json_module
from memoryfield_notes import placing as placing_module
from memoryfield_readers import NotFound


def image(tmp_path: Path, kind: StoreKind) -> bytes:
    """The bytes of a store with a note."""
    with store_of(tmp_path / "made", kind) as store:
        store.cas(TWO, 1, "x")
    return (tmp_path / "made").read_bytes()


def refused(path: Path, match: str = "nothing was changed") -> StoreError:
    """See that a file is refused, and that it and its folder stay as they are."""
    before, names = path.read_bytes(), sorted(path.parent.iterdir())
    for create in (False, True):
        with pytest.raises(StoreError, match=match) as told, open_store(path, create=create):
            pass
        assert told.value.exit_code == 4
        assert told.value.location == str(path)
        assert told.value.hint
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == names
    return told.value


NO_STORES: dict[str, bytes] = {
    "empty": b"",
    "blank": b" \n",
    "text": b"hello",
    "braces": b"{}",
    "list": b"[]",
    "deep": b'{"a":' + b"[" * 100_000,
    "archive": b"PK\3\4",
    "header": placing_module.SQLITE_HEADER,
    "short": placing_module.SQLITE_HEADER + bytes(50),
    "zeros": placing_module.SQLITE_HEADER + bytes(5000),
    "utf-16": "{}".encode("utf-16"),
}


@pytest.mark.parametrize("data", NO_STORES.values(), ids=NO_STORES.keys())
def test_what_is_no_store_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(data)
    refused(tmp_path / "x.db")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    store_of(tmp_path / "real", "json").close()
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "nowhere").symlink_to("gone")
    os.mkfifo(tmp_path / "pipe")
    names = sorted(tmp_path.iterdir())
    for name in ("folder", "link", "nowhere", "pipe"):
        with pytest.raises(StoreError), open_store(tmp_path / name, create=True):
            pass
    with pytest.raises(StoreError, match="no file"), open_store(os.devnull):
        pass
    with pytest.raises(NotFound), open_store(tmp_path / "none"):
        pass
    with pytest.raises(StoreError, match="folder"):
        open_store(tmp_path / "none" / "x", create=True)
    assert sorted(tmp_path.iterdir()) == names


@pytest.mark.parametrize("kind", KINDS)
def test_a_newer_version_is_told(kind: StoreKind, tmp_path: Path) -> None:
    data = image(tmp_path, kind)
    path = tmp_path / "newer"
    if kind == "json":
        path.write_bytes(data.replace(b'"version": 1', b'"version": 2'))
    else:
        path.write_bytes(data[:60] + struct.pack(">I", 2) + data[64:])
    assert refused(path, "newer version").hint == "update memoryfield-kit"


STATEMENTS: dict[str, str] = {
    "a view": "CREATE VIEW v AS SELECT * FROM records",
    "a trigger": "CREATE TRIGGER t AFTER UPDATE ON records BEGIN DELETE FROM notes; END",
    "another table": "CREATE TABLE other (a)",
    "no index": "DROP INDEX records_by_parent",
    "another index": "CREATE INDEX i ON records (pin) WHERE abs(rev)",
    "statistics": "ANALYZE",
    "another column": "ALTER TABLE notes ADD COLUMN more",
    "an older version": "PRAGMA user_version = 0",
    "another program": "PRAGMA application_id = 5",
    "a log": "PRAGMA journal_mode = WAL",
}


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS.keys())
def test_another_database_is_refused(statement: str, tmp_path: Path) -> None:
    path = tmp_path / "made"
    image(tmp_path, "sqlite")
    change(path, statement)
    refused(path, "no store")


def change(path: Path, *statements: str) -> None:
    """Change a database as another program could."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement).fetchall()
    connection.close()


def test_other_people_write_to_an_open_store(tmp_path: Path) -> None:
    with store_of(tmp_path / "x", "sqlite") as store:
        change(tmp_path / "x", STATEMENTS["a trigger"])
        for ask in (store.origin, store.export, lambda: store.cas(ONE, 1, "x")):
            with pytest.raises(StoreError, match="its tables are others"):
                ask()


VALUES: dict[str, str] = {
    "a revision that is text": "UPDATE records SET rev = 'x'",
    "a revision of zero": "UPDATE records SET rev = 0",
    "a revision that is too high": "UPDATE records SET rev = 9223372036854775807",
    "a name that is bytes": "UPDATE records SET name = x'00ff'",
    "a text that is bytes": "UPDATE records SET text = x'ff'",
    "a text that is no utf-8": "UPDATE records SET text = CAST(x'ff' AS TEXT)",
    "a hash": "UPDATE records SET sha256 = 'abc'",
    "a pin": "UPDATE records SET pin = 'abc'",
    "an orphan": "UPDATE records SET orphan = 2",
    "an orphan with a text": "UPDATE records SET orphan = 1",
    "a note of nothing": "UPDATE notes SET text = ''",
    "a note of bytes": "UPDATE notes SET text = x'41'",
    "a long note": "UPDATE notes SET text = hex(zeroblob(40000))",
    "a note without a record": "UPDATE notes SET id = 'gone'",
    "a time": "UPDATE notes SET written = 'now'",
    "no origin": "DELETE FROM meta",
    "a floor": "UPDATE meta SET floor = -1",
    "an origin of bytes": "UPDATE meta SET name = x'41'",
    "a field pin": "UPDATE meta SET pin = 'abc'",
}


@pytest.mark.parametrize("statement", VALUES.values(), ids=VALUES.keys())
def test_values_of_another_kind_are_refused(statement: str, tmp_path: Path) -> None:
    path = tmp_path / "made"
    image(tmp_path, "sqlite")
    change(path, statement)
    before = path.read_bytes()
    with open_store(path) as store:
        for act in (
            store.export,
            lambda: store.backup(tmp_path / "copy"),
            lambda: convert(path, "json"),
        ):
            with pytest.raises(StoreError, match="no store of notes that can be read"):
                act()
    assert path.read_bytes() == before


def test_a_damaged_page_in_the_middle(tmp_path: Path) -> None:
    """What meets it is refused, and the file stays; what does not, is not in its way."""
    path = tmp_path / "x"
    pages: dict[str, str | bytes] = {
        f"page-{number:03}": f"Text {number} " * 99 for number in range(60)
    }
    store_of(path, "sqlite", pages).close()
    data = bytearray(path.read_bytes())
    found = data.index(b"Text 30 ")
    data[found // 4096 * 4096 : found // 4096 * 4096 + 8] = b"\xff" * 8
    path.write_bytes(data)
    with open_store(path) as store, field_of({**pages, "new": "x"}) as field:
        attempts: tuple[Callable[[], object], ...] = (
            store.export,
            lambda: store.search("Text"),
            lambda: store.rebuild(field),
            lambda: store.backup(tmp_path / "copy"),
            lambda: store.cas("page-030.md", 1, "x"),
        )
        for attempt in attempts:
            with pytest.raises(StoreError):
                attempt()
        assert path.read_bytes() == data
    assert {each.name for each in tmp_path.iterdir()} == {"x", ".x.lock"}


def test_rows_that_repeat_without_end(tmp_path: Path) -> None:
    """Pages that lead to one page again and again ask for more than a file of that size can."""
    pages: dict[str, str | bytes] = {
        f"page-{number:03}": f"Text {number} " * 200 for number in range(400)
    }
    path = tmp_path / "x"
    store_of(path, "sqlite", pages).close()
    data = bytearray(path.read_bytes())
    connection = sqlite3.connect(path)
    (root,) = connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 'records'"
    ).fetchone()
    connection.close()
    at = (root - 1) * 4096
    assert data[at] == 5  # it has pages below it
    (cells,) = struct.unpack_from(">H", data, at + 3)
    first = struct.unpack_from(">H", data, at + 12)[0]
    child = data[at + first : at + first + 4]
    for cell in range(cells):
        offset = struct.unpack_from(">H", data, at + 12 + 2 * cell)[0]
        data[at + offset : at + offset + 4] = child
    path.write_bytes(data)
    with open_store(path) as store:
        for attempt in (store.export, store.records, lambda: store.search("Text")):
            with pytest.raises(StoreError):
                attempt()


def test_a_journal_of_something_else_is_not_taken_in(tmp_path: Path) -> None:
    """A database that is put where another one was must not get what that one left."""
    (tmp_path / "x.db-journal").write_bytes(b"of another database")
    with pytest.raises(StoreError, match="journal"):
        open_store(tmp_path / "x.db", create=True)
    with (
        store_of(tmp_path / "y", "sqlite") as store,
        pytest.raises(StoreError, match="journal"),
    ):
        store.backup(tmp_path / "x.db")
    assert not (tmp_path / "x.db").exists()


def test_a_json_store_has_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with store_of(tmp_path / "x", "json") as store:
        before = store.path.read_bytes()
        monkeypatch.setattr(json_module, "MOST_BYTES", len(before) + 100)
        with pytest.raises(StoreError, match="too many"):
            store.cas(TWO, 1, "x" * 200)
        assert store.path.read_bytes() == before
        assert store.get(TWO).rev == 1
        monkeypatch.setattr(placing_module, "MOST_BYTES", len(before) - 1)
        refused(tmp_path / "x", "too many")


@given(data=st.data())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@pytest.mark.parametrize("kind", KINDS)
def test_flipped_bytes(
    kind: StoreKind, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever bytes are flipped or cut off, there are answers or a `StoreError`, and no change."""
    whole = _whole(kind)
    content = bytearray(whole)
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=4)):
        content[at] ^= data.draw(st.integers(1, 255))
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(whole))) :]
    path = tmp_path_factory.mktemp("flipped") / "x"
    path.write_bytes(content)
    asked: tuple[Callable[[Store], object], ...] = (
        lambda store: store.origin(), lambda store: parse(render(store.export()), ""),
        lambda store: store.get(TWO), lambda store: store.search("a"),
        lambda store: store.children(TWO), lambda store: store.ancestors("leaf.md"),
        lambda store: list(store.records(noted=True)), lambda store: store.named("leaf.md"),
    )  # fmt: skip
    for ask in asked:
        try:
            with open_store(path) as store:
                ask(store)
        except (StoreError, NotFound):
            pass
    assert path.read_bytes() == content
    try:
        with open_store(path) as store, field_of(FAMILY) as field:
            store.cas(TWO, 2, "another")
            store.rebuild(field, force=True)
    except (StoreError, NotFound):
        assert not path.with_name("x-journal").exists()


_WHOLE: dict[StoreKind, bytes] = {}


def _whole(kind: StoreKind) -> bytes:
    if kind not in _WHOLE:
        with tempfile.TemporaryDirectory() as folder:
            _WHOLE[kind] = image(Path(folder), kind)
    return _WHOLE[kind]


def test_a_store_of_tiny_pages_is_no_hostile_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row is given the pin of the field, which stands in the file once."""
    monkeypatch.setattr("memoryfield_notes.sqlite_store.database._SPARE_BYTES", 0)
    pages: dict[str, str | bytes] = {f"{number:x}": b"" for number in range(2_000)}
    with store_of(tmp_path / "store", "sqlite", pages) as store:
        assert len(store.export().records) == 2_000
        assert store.cas("0.md", 1, "x").applied
