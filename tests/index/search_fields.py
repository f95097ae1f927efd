"""Fields and indexes to search, as a stranger could have made them."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import apsw
from tests.index.hash_embedder import HashEmbedder

from memoryfield_index.building import rebuild
from memoryfield_index.embedders import Options
from memoryfield_index.searching import Answer, Asked, Embedders, search
from memoryfield_index.values import Embedder
from memoryfield_readers import Field, open_field
from memoryfield_readers.errors import EmbedderUnavailable

Row: TypeAlias = "tuple[Any, Any, Any]"
"""A file name, a hash, and an embedding, of any type."""

SCHEMA = (
    "CREATE TABLE pages(filename TEXT PRIMARY KEY, frontmatter JSON NOT NULL, "
    "last_modified DATETIME NOT NULL, sha256_hash BLOB NOT NULL, embedding BLOB NOT NULL)"
)


def vector(*numbers: float) -> bytes:
    """Numbers as an index stores them."""
    return struct.pack(f"<{len(numbers)}f", *numbers)


def page(title: str, body: str = "", **more: str) -> bytes:
    """A page with frontmatter."""
    fields = {"title": title, **more}
    lines = "".join(
        f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items()
    )
    return f"---\n{lines}---\n{body}\n".encode("utf-8", "surrogatepass")


def make_folder(path: Path, pages: Mapping[str, bytes]) -> Path:
    """A folder of pages."""
    path.mkdir(parents=True, exist_ok=True)
    for name, content in pages.items():
        (path / name).write_bytes(content)
    return path


def make_index(path: Path, rows: Iterable[Row], schema: str = SCHEMA) -> Path:
    """An index that says nothing of how it was made."""
    connection = apsw.Connection(str(path))
    connection.execute(schema)
    with connection:
        for name, sha256, embedding in rows:
            connection.execute(
                "INSERT INTO pages VALUES (?, '{}', '2026-01-01T00:00:00Z', ?, ?)",
                (name, sha256, embedding),
            )
    connection.close()
    return path


def sha256_of(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def build(folder: Path, embedder: Embedder) -> Path:
    """Build the index of a folder in it."""
    path = folder / f"{embedder.recipe.model}.sqlite3"
    with open_field(folder) as field:
        rebuild(field, embedder, path)
    return path


class Starting:
    """Starts the embedders that there are, under the names that they are asked for by."""

    def __init__(self, embedders: Mapping[str, Embedder]) -> None:
        self.embedders = embedders
        self.asked: list[str] = []

    def __call__(self, name: str, options: Options) -> Embedder:
        self.asked.append(name)
        if name not in self.embedders:
            raise EmbedderUnavailable(f"there is no {name}", hint="start it")
        return self.embedders[name]


def ask(
    folders: Sequence[Path] | Path,
    question: str,
    embedder: Embedder | None = None,
    **asked: Any,
) -> Answer:
    """Put a question to fields, with an embedder that was named, or with none to be had."""
    fields = [folders] if isinstance(folders, Path) else folders
    named = {} if embedder is None else {"named": embedder}
    name = "auto" if embedder is None else "named"
    with opened(fields) as found:
        return search(found, question, Embedders(name, Options(), Starting(named)), Asked(**asked))


@contextmanager
def opened(folders: Sequence[Path]) -> Iterator[list[Field]]:
    """Fields that are open meanwhile."""
    with ExitStack() as stack:
        yield [stack.enter_context(open_field(folder)) for folder in folders]


def names(answer: Answer) -> list[str]:
    """The names of the pages in an answer, in order."""
    return [hit.filename for hit in answer.hits]


class Pointing(HashEmbedder):
    """An embedder of two dimensions: a text points where its first number says, in degrees."""

    def __init__(self, **more: Any) -> None:
        super().__init__(dimension=2, **more)

    def query(self, text: str) -> bytes:
        """East for 0, north for 90."""
        import math

        self.questions.append(text)
        angle = math.radians(float(text.split()[0]))
        return vector(math.cos(angle), math.sin(angle))
