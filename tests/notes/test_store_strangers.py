"""Programs that know nothing of stores, and this one used from several threads."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.notes.sample_fields import ONE, TWO, store_of

from memoryfield_notes import StoreError, open_store, placing
from memoryfield_notes.sqlite_store import database as database_module
from memoryfield_notes.sqlite_store.database import Database
from memoryfield_readers import LockTimeout

WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    connection.execute("BEGIN EXCLUSIVE")
except sqlite3.OperationalError as error:
    print(error)
else:
    print("free")
"""


def seen_by_others(path: Path) -> str:
    """Whether another process could write to a database now."""
    command = [sys.executable, "-c", WRITER, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_opening_a_store_again_takes_no_lock_away(tmp_path: Path) -> None:
    """Closing a file would let go of all locks of the process on it, those of SQLite among them."""
    path = tmp_path / "x"
    with store_of(path, "sqlite") as store:
        database = Database(path, write=False, wait=0)
        with database, database.transaction() as reading:
            assert list(reading.rows("SELECT count(*) FROM records")) == [(5,)]
            with open_store(path) as other:
                assert other.get(TWO).rev == 1
            store.close()
            assert seen_by_others(path) == "database is locked"
        assert seen_by_others(path) == "free"
        with placing.OPENING:
            assert not placing.IN_USE


def test_a_program_that_holds_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "_LEAST_WAIT", 0.05)
    path = tmp_path / "x"
    store_of(path, "sqlite").close()
    connection = sqlite3.connect(path, isolation_level=None)
    with open_store(path, wait=0) as store:
        connection.execute("BEGIN IMMEDIATE")
        assert store.get(TWO).rev == 1
        with pytest.raises(LockTimeout):
            store.cas(TWO, 1, "x")
        connection.execute("ROLLBACK")
        connection.execute("BEGIN EXCLUSIVE")
        for ask in (lambda: store.get(TWO), lambda: store.cas(TWO, 1, "x"), store.export):
            with pytest.raises(LockTimeout):
                ask()
        connection.execute("ROLLBACK")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM records").fetchall()
        with pytest.raises(LockTimeout):  # one who reads keeps a writer from its commit
            store.cas(TWO, 1, "x")
        connection.execute("COMMIT")
        connection.close()
        assert store.cas(TWO, 1, "x").applied


def test_a_json_store_edited_in_place(tmp_path: Path) -> None:
    """An editor that writes over the file is seen, and what it writes is not believed."""
    path = tmp_path / "x"
    with store_of(path, "json") as store:
        store.cas(TWO, 1, "a word")
        data = path.read_bytes()
        with path.open("r+b") as file:
            file.write(data.replace(b"a word", b"words!"))
        note = store.get(TWO).note
        assert note is not None
        assert note.text == "words!"
        assert store.cas(ONE, 1, "x").applied
        assert store.search("words!", notes=True) == (store.get(TWO),)
        good = path.read_bytes()
        with path.open("r+b") as file:
            file.truncate(len(data) // 2)
        cut = path.read_bytes()
        for ask in (store.export, lambda: store.cas(TWO, 2, "x"), lambda: store.get(ONE)):
            with pytest.raises(StoreError):
                ask()
        assert path.read_bytes() == cut
        path.write_bytes(good)
        assert store.get(ONE).rev == 2
