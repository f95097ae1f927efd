"""What tests of reading an index share: a good row, and what comes of opening a file."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tests.index.fields import page, vector

from memoryfield_index.storage import open_index
from memoryfield_readers.errors import IndexMismatch

HASH = hashlib.sha256(page(0)).digest()
GOOD = ("page-000.md", '{"title": "Woks 0"}', "2026-01-01T00:00:00Z", HASH, vector())


def opened(path: Path) -> list[str | None]:
    """The names in all rows."""
    with open_index(path) as index:
        return [row.filename for row in index.rows()]


def refused(path: Path) -> str:
    """Why an index cannot be used."""
    with pytest.raises(IndexMismatch) as caught:
        opened(path)
    assert "memoryfield index build" in str(caught.value.hint)
    return caught.value.message
