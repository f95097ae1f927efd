"""Fields to index, and indexes as other tools leave them."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import apsw
from tests.index.hash_embedder import HashEmbedder

from memoryfield_index.building import IndexStats, rebuild
from memoryfield_index.values import Embedding, Failed
from memoryfield_index.vectors import VectorCache
from memoryfield_readers import open_field

MODEL = "nomic-embed-text-v1.5"
DIMENSION = 768
INDEX = f"{MODEL}.sqlite3"

PAGE = """\
---
title: {title}
created: '2026-03-01T09:00:00Z'
updated: '2026-08-22T14:30:00Z'
uuid: {uuid}
summary: Thermal properties.
---
{title} conduct heat unevenly. Source: https://example.com/
"""

SUGGESTED = """
CREATE TABLE pages(filename TEXT PRIMARY KEY, frontmatter JSON NOT NULL,
  last_modified DATETIME NOT NULL, sha256_hash BLOB NOT NULL, embedding BLOB NOT NULL)
"""


def page(number: int, title: str | None = None) -> bytes:
    """A page in which no fault is to be found."""
    uuid = f"6aa615f0-486f-48a7-a210-{number:012d}"
    return PAGE.format(title=title or f"Woks {number}", uuid=uuid).encode()


def pages(count: int) -> dict[str, bytes]:
    """Pages that have names in the order of their numbers."""
    return {f"page-{number:03d}.md": page(number) for number in range(count)}


def folder(path: Path, files: Mapping[str, bytes]) -> Path:
    """A field in a folder, its files last changed at a time that is known."""
    path.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (path / name).write_bytes(content)
        os.utime(path / name, ns=(0, 1_750_000_000_123_456_789))
    return path


class ModelEmbedder(HashEmbedder):
    """The cheap embedder, for the model that everybody knows."""

    def __init__(self, *, failing: Sequence[bytes] = (), stop_after: int | None = None) -> None:
        """Embed nothing yet; see `HashEmbedder`."""
        super().__init__(dimension=DIMENSION, model=MODEL, failing=failing, stop_after=stop_after)


class GivingEmbedder(ModelEmbedder):
    """An embedder that gives what it is told to."""

    def __init__(self, give: Callable[[Sequence[bytes]], Sequence[Embedding | Failed]]) -> None:
        """Arguments: give: what `documents` gives."""
        super().__init__()
        self._give = give

    def documents(self, pages: Sequence[bytes]) -> Sequence[Embedding | Failed]:
        """What was told."""
        super().documents(pages)
        return self._give(pages)


def build(
    place: Path, embedder: HashEmbedder | None = None, *, kept: Path | None = None
) -> IndexStats:
    """Build the index of a folder.

    Arguments:
        place: the folder.
        embedder: what makes the vectors.
        kept: where vectors are kept; None for nowhere.
    """
    embedder = embedder or ModelEmbedder()
    with open_field(place) as field, closing(VectorCache(embedder.recipe, kept)) as vectors:
        path = place / f"{embedder.recipe.model}.sqlite3"
        return rebuild(field, embedder, path, vectors=vectors)


def query(path: Path, statement: str) -> list[tuple[object, ...]]:
    """What any program that reads SQLite sees in a file."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as database:
        return list(database.execute(statement))


def change(path: Path, *statements: str) -> None:
    """Do to a database what a program can that has no good in mind."""
    with closing(apsw.Connection(str(path))) as database:
        database.execute("PRAGMA writable_schema=on")
        for statement in statements:
            database.execute(statement)


def foreign(path: Path, rows: Iterable[tuple[object, ...]], schema: str = SUGGESTED) -> Path:
    """An index of the suggested schema, as another tool writes it."""
    with closing(apsw.Connection(str(path))) as database:
        database.execute(schema)
        database.executemany("INSERT INTO pages VALUES(?, ?, ?, ?, ?)", list(rows))
    return path


def vector(*beginning: float, dimension: int = DIMENSION) -> bytes:
    """A vector of some numbers, and ones."""
    numbers = [*beginning, *[1.0] * dimension][:dimension]
    return struct.pack(f"<{dimension}f", *numbers)
