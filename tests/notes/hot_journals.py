"""Stores in SQLite whose last writer was ended in the middle of a change."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path


def cut_off(path: Path) -> None:
    """Leave a database as a writer does that is killed: half written, with its journal.

    Arguments:
        path: the database, which nobody has open; it has more than a few pages.
    """
    half = path.with_name("half")
    half.mkdir()
    names = (path.name, f"{path.name}-journal")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")  # so that what is changed is written early
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE records SET text = upper(text)")
        for name in names:
            shutil.copyfile(path.with_name(name), half / name)
        connection.execute("ROLLBACK")
    before = path.read_bytes()
    for name in names:
        shutil.copyfile(half / name, path.with_name(name))
    shutil.rmtree(half)
    assert path.read_bytes() != before
