"""A field whose pages point somewhere, with an index by a stranger."""

from __future__ import annotations

import math
from pathlib import Path

from tests.index.search_fields import Pointing, make_folder, make_index, page, sha256_of, vector

MODEL = "all-MiniLM-L6-v2"
PAGES = {
    "east.md": page("East", "sunrise"),
    "north.md": page("North", "cold"),
    "west.md": page("West", "sunset, at 0 degrees"),
    "index.md": page("Introduction", "sunrise, cold and sunset"),
    "listing.md": page("Listing", "all of them"),
}
ANGLES = {"east.md": 0, "north.md": 90, "west.md": 180, "index.md": 5, "listing.md": 6}


def angle(degrees: float) -> bytes:
    return vector(math.cos(math.radians(degrees)), math.sin(math.radians(degrees)))


def foreign(folder: Path) -> Path:
    """A field with an index that says nothing of how it was made."""
    make_folder(folder, PAGES)
    rows = [(name, sha256_of(PAGES[name]), angle(turn)) for name, turn in ANGLES.items()]
    make_index(folder / f"{MODEL}.sqlite3", rows)
    return folder


def pointing() -> Pointing:
    return Pointing(model=MODEL)
