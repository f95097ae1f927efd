"""What the database of a store looks like, and whether one does."""

from __future__ import annotations

import struct
from typing import Final

from ..errors import UPDATE, StoreError
from ..placing import HEAD_BYTES, SQLITE_HEADER

APPLICATION_ID: Final = 0x4D464E54
USER_VERSION: Final = 1

_TABLES: Final = {
    "meta": (
        "CREATE TABLE meta (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL, "
        "location TEXT NOT NULL, pin TEXT NOT NULL, floor INTEGER NOT NULL)"
    ),
    # `pin` is NULL where it is that of `meta`: a new version of the field does not touch every row.
    # `text` comes last: what is before it can be read without it.
    "records": (
        "CREATE TABLE records (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, parent TEXT, "
        "rev INTEGER NOT NULL, sha256 TEXT NOT NULL, pin TEXT, orphan INTEGER NOT NULL, "
        "text TEXT NOT NULL)"
    ),
    "notes": (
        "CREATE TABLE notes (id TEXT PRIMARY KEY NOT NULL REFERENCES records (id) "
        "ON UPDATE CASCADE ON DELETE RESTRICT, text TEXT NOT NULL, sha256 TEXT NOT NULL, "
        "pin TEXT NOT NULL, written TEXT NOT NULL)"
    ),
}
_INDEXES: Final = {
    "records_by_name": ("records", "CREATE INDEX records_by_name ON records (name)"),
    "records_by_parent": ("records", "CREATE INDEX records_by_parent ON records (parent)"),
}

STATEMENTS: Final = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {USER_VERSION}",
    *_TABLES.values(),
    *(sql for _, sql in _INDEXES.values()),
)
"""What makes an empty database one of a store, but for the row in `meta`."""

EXPECTED: Final = frozenset({
    *(("table", name, name, sql) for name, sql in _TABLES.items()),
    *(("index", name, table, sql) for name, (table, sql) in _INDEXES.items()),
    *(
        ("index", f"sqlite_autoindex_{table}_1", table, None)
        for table in ("records", "notes")
    ),
})  # fmt: skip
"""All entries of the schema: type, name, table, statement."""

_UTF_8 = 1
_ROLLBACK = b"\1\1"


def check_head(head: bytes, location: str) -> None:
    """See whether a file begins as the database of a store does.

    Arguments:
        head: its first bytes.
        location: where it is, for messages.

    Raises:
        StoreError: it does not, or was made by a newer version.
    """
    if len(head) < HEAD_BYTES or not head.startswith(SQLITE_HEADER):
        raise no_store("it is no SQLite database, or not all of one", location)
    encoding, version, application = struct.unpack_from(">Ii4xI", head, 56)
    check_marks(application, version, location)
    if head[18:20] != _ROLLBACK or encoding != _UTF_8:
        raise no_store("it is written in another way", location)


def check_marks(application: object, version: object, location: str) -> None:
    """See whether the two numbers in a header are those of a store; raises as `check_head`."""
    if application != APPLICATION_ID or not isinstance(version, int) or version < 1:
        raise no_store("it is a database of something else", location)
    if version > USER_VERSION:
        raise StoreError(
            f"was made by a newer version of this program: its format is {version}, "
            f"and {USER_VERSION} is known",
            location=location,
            hint=UPDATE,
        )


def no_store(reason: str, location: str) -> StoreError:
    """The error of a database that cannot be used."""
    return StoreError(
        f"is no store of notes that can be read: {reason}; nothing was changed",
        location=location,
        hint="move the file away, then restore a backup or begin anew",
    )
