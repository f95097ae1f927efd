"""SQLite indexes as bytes, good and hostile, made without touching a disk."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import apsw
from tests.validator.fields import as_bytes

TABLE = """CREATE TABLE pages(
  filename TEXT PRIMARY KEY,
  frontmatter JSON NOT NULL,
  last_modified DATETIME NOT NULL,
  sha256_hash BLOB NOT NULL,
  embedding BLOB NOT NULL
)"""
LOOSE = "CREATE TABLE pages(filename, frontmatter, last_modified, sha256_hash, embedding)"
"""A table that takes anything, also twice."""

PAGE_SIZE = 512


class Row(NamedTuple):
    """A row of an index."""

    filename: Any
    sha256_hash: Any
    embedding: Any
    frontmatter: Any = "{}"


def vector(*numbers: float) -> bytes:
    """An embedding."""
    return struct.pack(f"<{len(numbers)}f", *numbers)


VECTOR = vector(0.5, 0.5, 0.5, 0.5)


def row(name: str, content: str | bytes, embedding: Any = VECTOR) -> Row:
    """The row of a page as it stands."""
    return Row(name, hashlib.sha256(as_bytes(content)).digest(), embedding)


def index(
    rows: Iterable[Row] = (),
    *,
    table: str = TABLE,
    before: Iterable[str] = (),
    after: Iterable[str] = (),
    page_size: int = PAGE_SIZE,
) -> bytes:
    """An index with these rows; statements come before the table and after the rows."""
    connection = apsw.Connection(":memory:")
    connection.execute(f"PRAGMA page_size = {page_size}; PRAGMA ignore_check_constraints = on")
    for statement in before:
        connection.execute(statement)
    connection.execute("BEGIN")
    connection.execute(table)
    connection.executemany(
        "INSERT INTO pages(filename, sha256_hash, embedding, frontmatter, last_modified)"
        " VALUES(?, ?, ?, ?, '2026-08-22T14:30:00Z')",
        rows,
    )
    connection.execute("COMMIT")
    for statement in after:
        connection.execute(statement)
    return serialized(connection)


def serialized(connection: apsw.Connection) -> bytes:
    """The file that a database in memory would be; the connection is closed."""
    data = connection.serialize("main")
    connection.close()
    return data


def index_of(pages: Mapping[str, str | bytes], embedding: bytes = VECTOR) -> bytes:
    """A good index of some pages."""
    return index([row(name, content, embedding) for name, content in pages.items()])


OTHER_TABLE = index(after=["ALTER TABLE pages RENAME TO x"])
"""An index that has no table `pages`, about which there is nothing to say."""

COMMON = "nomic-embed-text-v1.5.sqlite3"
"""The name of an index about which there is nothing to say either."""


def patched(data: bytes, at: int, new: bytes) -> bytes:
    """Data with some bytes in the place of others."""
    return data[:at] + new + data[at + len(new) :]


def with_pages(data: bytes, pages: Mapping[int, bytes]) -> bytes:
    """A database with some of its pages put in the place of others, or behind them."""
    count = max(len(data) // PAGE_SIZE, *pages)
    made = bytearray(data.ljust(count * PAGE_SIZE, b"\0"))
    for number, content in pages.items():
        start = number * PAGE_SIZE - len(content)
        made[start : number * PAGE_SIZE] = content
    made[28:32] = struct.pack(">I", count)
    return bytes(made)


def interior(child: int, cells: int, size: int = PAGE_SIZE) -> bytes:
    """An interior page of a table: so many cells, each of which leads to one and the same page.

    The first page of a file has 100 bytes less.
    """
    cell = struct.pack(">IB", child, 1)
    start = PAGE_SIZE - cells * len(cell)
    head = struct.pack(">BHHHBI", 5, 0, cells, start, 0, child)
    places = b"".join(struct.pack(">H", start + n * len(cell)) for n in range(cells))
    body = head + places
    return body + bytes(size - len(body) - cells * len(cell)) + cell * cells
