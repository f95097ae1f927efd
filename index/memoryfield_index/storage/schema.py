"""The tables of an index: what the standard suggests, and one more that says how it was made."""

from __future__ import annotations

import re

from memoryfield_readers import shown
from memoryfield_readers.errors import IndexMismatch

FORMAT_VERSION = 1
"""Of the table `meta`; the table `pages` is the standard's."""

HEADER = b"SQLite format 3\0"
"""What a file begins with that is an SQLite database."""

SUFFIX = ".sqlite3"

PAGES = """
CREATE TABLE pages(
  filename TEXT PRIMARY KEY,
  frontmatter JSON NOT NULL,
  last_modified DATETIME NOT NULL,
  sha256_hash BLOB NOT NULL,
  embedding BLOB NOT NULL
)
"""
META = "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL)"

COLUMNS = ("filename", "frontmatter", "last_modified", "sha256_hash", "embedding")
"""The columns of the suggested table."""

META_COLUMNS = ("key", "value")

UNDATED = "1970-01-01T00:00:00Z"
"""In place of the time of a last change that nobody knows: the column has to hold one."""

MOST_FRONTMATTER = 262_144
"""Bytes of the JSON of a frontmatter; what is longer is left out, as if there were none."""

SIDE_SUFFIXES = ("-wal", "-shm", "-journal")
"""Endings of what SQLite leaves beside a database (MF508)."""

_MODEL_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,127}")


def file_name(model: str) -> str:
    """The name of an index: the full model code, and the ending (MF502).

    Raises:
        IndexMismatch: no file can be named so; a model code could lead anywhere as a path.
    """
    if not is_model_code(model):
        raise IndexMismatch(f"{shown(model)} is no model code that a file can be named after")
    return model + SUFFIX


def is_model_code(text: str) -> bool:
    """Whether a text can be a model code: a name, and no path, address or anything else."""
    return _MODEL_CODE.fullmatch(text) is not None


def is_index_of(name: str, model: str) -> bool:
    """Whether a file name is that of an index of a model: it begins with the code (MF502)."""
    following = name[len(model) :]
    return (
        name.startswith(model)
        and name.endswith(SUFFIX)
        and (following[0] in "-_" or (following[0] == "." and not following[1:2].isdigit()))
    )
