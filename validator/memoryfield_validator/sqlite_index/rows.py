"""The rows of an index, held against the pages: read once, one by one, for all rules."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from memoryfield_readers import is_page_name, shown

from .opening import Database

_MOST_NAME = 131_072
"""Bytes of a `filename` that is looked at: twice what the longest name in an archive has."""

_MOST_EMBEDDING = 262_144
"""Bytes of an embedding (MF506)."""

_NUMBER = 4
"""Bytes of a float32."""

# The lengths are known without the values: none is read that is longer than it may be.
_ROWS = """
SELECT
  CASE WHEN typeof(filename) = 'text' AND octet_length(filename) <= ?1
    THEN CAST(filename AS BLOB) END,
  CASE WHEN typeof(sha256_hash) = 'blob' AND octet_length(sha256_hash) = 32
    THEN sha256_hash END,
  CASE WHEN typeof(embedding) = 'blob' AND octet_length(embedding) BETWEEN 1 AND ?2
    THEN embedding END
FROM main.pages NOT INDEXED
"""


@dataclass
class Tally:
    """How many rows or pages have a fault, and which one is the first.

    Attributes:
        first: what a message calls the first; None while there is none.
        count: how many there are.
    """

    first: str | None = None
    count: int = 0

    def add(self, what: str) -> None:
        """Count one more."""
        self.first = self.first or what
        self.count += 1

    def __str__(self) -> str:
        more = self.count - 1
        return f"{self.first} and {more} more" if more else str(self.first)


@dataclass
class RowFaults:
    """What is wrong with the rows of an index.

    Attributes:
        stale: rows whose hash is not that of the page as it stands (MF505).
        surplus: rows for pages that are gone, and further rows for one page (MF505).
        missing: pages without a row (MF505).
        length: embeddings of another length than they have to have (MF506).
        not_finite: embeddings with a number that is not finite (MF506).
        zero: embeddings of nothing but zeros (MF506).
        foreign: rows that name what can be no page (MF509).
    """

    stale: Tally = field(default_factory=Tally)
    surplus: Tally = field(default_factory=Tally)
    missing: Tally = field(default_factory=Tally)
    length: Tally = field(default_factory=Tally)
    not_finite: Tally = field(default_factory=Tally)
    zero: Tally = field(default_factory=Tally)
    foreign: Tally = field(default_factory=Tally)


def row_faults(
    database: Database,
    pages: Collection[str],
    hash_of: Callable[[str], bytes | None],
    dimension: int | None,
) -> RowFaults:
    """Read all rows of the table `pages`.

    Arguments:
        database: a database that is sound and has the table.
        pages: the names of the pages of the field, in order.
        hash_of: the SHA-256 of a page, 32 bytes; None where that is not known.
        dimension: how many numbers an embedding has; None where the model is not known.

    Raises:
        Unsound, through the context in which the database is open.
    """
    faults = RowFaults()
    [(encoding,)] = database.all("PRAGMA encoding")
    length = None if dimension is None else dimension * _NUMBER
    seen: set[str] = set()
    names = frozenset(pages)
    rows = database.rows(_ROWS, _MOST_NAME, _MOST_EMBEDDING)
    for number, (raw_name, digest, embedding) in enumerate(rows, start=1):
        name = _text(raw_name, encoding)
        called = f"row {number}" if name is None else shown(name)
        if name is None or (name not in names and not is_page_name(name)):
            faults.foreign.add(called)
        elif name not in names or name in seen:
            faults.surplus.add(called)
        else:
            seen.add(name)
            expected = hash_of(name)
            if expected is not None and digest != expected:
                faults.stale.add(called)
        if length is None and embedding is not None and len(embedding) % _NUMBER == 0:
            length = len(embedding)
        if embedding is None or len(embedding) != length:
            faults.length.add(called)
        else:
            _judge_numbers(embedding, called, faults)
    for name in pages:
        if name not in seen:
            faults.missing.add(shown(name))
    return faults


def _text(raw: bytes | None, encoding: str) -> str | None:
    """A `filename` as a name that the field could have; None where it is no text."""
    if raw is None:
        return None
    if encoding == "UTF-8":
        return raw.decode("utf-8", "surrogateescape")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None


def _judge_numbers(embedding: bytes, called: str, faults: RowFaults) -> None:
    numbers = array("f", embedding)
    if sys.byteorder == "big":
        numbers.byteswap()
    # A sum of so few float32 is within the range of a float, so it is finite if all of them are.
    if not math.isfinite(sum(numbers)):
        faults.not_finite.add(called)
    elif not any(numbers):
        faults.zero.add(called)
