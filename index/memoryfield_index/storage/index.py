"""An index that is open: what it says of itself, and its rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from memoryfield_spec import model_of

from ..values import Recipe, Vector
from ..vector_faults import MOST_DIMENSION, NUMBER_BYTES, fault_of
from .disarmed import Database
from .meta import Meta
from .schema import MOST_FRONTMATTER

_MOST_NAME = 131_072
"""Bytes of a file name that is looked at: twice what the longest name in an archive has."""

_MOST_TIME = 64
_HASH_BYTES = 32

# The lengths are known without the values: none is read that is longer than it may be.
_ROWS = """
SELECT
  CASE WHEN typeof(filename) = 'text' AND octet_length(filename) <= ?1
    THEN CAST(filename AS BLOB) END,
  CASE WHEN typeof(sha256_hash) = 'blob' AND octet_length(sha256_hash) = ?2
    THEN sha256_hash END,
  CASE WHEN typeof(embedding) = 'blob' AND octet_length(embedding) BETWEEN 1 AND ?3
    THEN embedding END,
  CASE WHEN typeof(frontmatter) IN ('text', 'blob') AND octet_length(frontmatter) <= ?4
    THEN CAST(frontmatter AS BLOB) END,
  CASE WHEN octet_length(last_modified) <= ?5 THEN CAST(last_modified AS BLOB) END
FROM main.pages NOT INDEXED
"""
# What may be taken over into another index; only the numbers are not looked at.
_WHOLE_ROWS = """
SELECT CAST(filename AS BLOB), CAST(frontmatter AS BLOB), CAST(last_modified AS BLOB),
  sha256_hash, embedding
FROM main.pages NOT INDEXED
WHERE typeof(filename) = 'text' AND octet_length(filename) <= ?1
  AND typeof(sha256_hash) = 'blob' AND octet_length(sha256_hash) = ?2
  AND typeof(embedding) = 'blob' AND octet_length(embedding) = ?3
  AND typeof(frontmatter) = 'text' AND octet_length(frontmatter) <= ?4
  AND json_valid(frontmatter)
  AND typeof(last_modified) = 'text' AND octet_length(last_modified) <= ?5
"""
_BOUNDS = (_MOST_NAME, _HASH_BYTES, MOST_DIMENSION * NUMBER_BYTES, MOST_FRONTMATTER, _MOST_TIME)


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it stands; nothing of it is to be believed.

    Attributes:
        filename: the name that it has; None where that can be none. It is never used as a path.
        sha256: the hash of the page that was embedded, 32 bytes; None where it is none.
        vector: the embedding; None where it is none. `fault_of` tells whether it can be used.
        frontmatter: the JSON of the page's frontmatter; None where it is none.
        last_modified: as it stands there; None where it is no short text.
    """

    filename: str | None
    sha256: bytes | None
    vector: Vector | None
    frontmatter: str | None
    last_modified: str | None


class Index:
    """A vector index that is open for reading. Use it as a context manager.

    Attributes:
        name: its file name.
        location: where it is, as messages show it.
        meta: what it says of itself.
        recipe: how its vectors were made; None where that is not known.
        model_code: the model, by the recipe or else by the file's name; None if it is not known.
        dimension: how many numbers a vector has; None if that is not known.
        size: bytes of the file.
        database: the database, for statements of one's own.
    """

    def __init__(
        self,
        database: Database,
        *,
        name: str,
        meta: Meta,
        encoding: str,
        let_go: Callable[[], None],
    ) -> None:
        """An index of which the tables have been looked at; see `open_index`."""
        self.database = database
        self.name = name
        self.location = database.shown
        self.size = database.size
        self.meta = meta
        self._encoding = encoding
        self._let_go = let_go
        self.model_code: str | None = None
        self.dimension: int | None = None
        if meta.recipe is not None:
            self.model_code, self.dimension = meta.recipe.model, meta.recipe.dimension
        elif (model := model_of(name)) is not None:
            self.model_code, self.dimension = model.code, model.dimension

    @property
    def recipe(self) -> Recipe | None:
        """How its vectors were made; None where that is not known."""
        return self.meta.recipe

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()
        self._let_go()

    def rows(self) -> Iterator[Row]:
        """Every row as it stands, in the order of the file.

        Raises:
            IndexMismatch: the file is damaged.
        """
        for name, sha256, vector, frontmatter, modified in self.database.rows(_ROWS, _BOUNDS):
            yield Row(self.text(name), sha256, vector, self.text(frontmatter), self.text(modified))

    def usable_rows(self, pages: Collection[str]) -> Iterator[Row]:
        """The rows that may be looked into further: of a page, with a hash and a sound vector.

        Of several rows for a page the first counts. Whether a row is of the page as it stands, its
        hash has to tell (MF905).

        Arguments:
            pages: the names of the pages of the field.
        """
        left = set(pages)
        for row in self.rows():
            if row.filename not in left or row.sha256 is None or row.vector is None:
                continue
            left.discard(row.filename)
            dimension = self.dimension or len(row.vector) // NUMBER_BYTES
            if fault_of(row.vector, dimension) is None:
                yield row

    def whole_rows(self, dimension: int) -> Iterator[tuple[bytes, bytes, bytes, bytes, Vector]]:
        """The rows of which nothing is missing, as they may stand in an index of ours.

        Each is the file name, the frontmatter as JSON, the time of the last change, the hash, and
        the vector, which is of the right size and may have other faults. None is there if the texts
        are not UTF-8.

        Arguments:
            dimension: how many numbers a vector has.

        Raises:
            IndexMismatch: the file is damaged.
        """
        if self._encoding == "UTF-8":
            name, sha256, _, frontmatter, modified = _BOUNDS
            bounds = (name, sha256, dimension * NUMBER_BYTES, frontmatter, modified)
            yield from self.database.rows(_WHOLE_ROWS, bounds)

    def count(self) -> int:
        """How many rows there are."""
        [(count,)] = self.database.rows("SELECT count(*) FROM main.pages")
        return int(count)

    def text(self, raw: bytes | None) -> str | None:
        """A value that was read as bytes, as text; a file name as a field could have it."""
        if raw is None:
            return None
        if self._encoding == "UTF-8":
            return raw.decode("utf-8", "surrogateescape")
        try:
            return raw.decode(self._encoding)
        except UnicodeDecodeError:
            return None
