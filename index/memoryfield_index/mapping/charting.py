"""From a field and its index to a map: which pages are on it, where, and which are nearly alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoryfield_readers import Field, Page, Watch, unwatched

from ..building import OF_ONE_PAGE
from ..searching.directions import can_be_compared
from ..storage import Index, Row
from ..values import Vector
from .nearness import DEFAULT_NEAR, Pair, near_pairs
from .projecting import view_of

MOST_PAGES = 10_000
"""So many pages are on a map, the first by name."""

MOST_BYTES = 1 << 28
"""So many bytes of vectors are held at once."""

MOST_TITLE = 200
MOST_SUMMARY = 600


@dataclass(frozen=True, slots=True)
class Spot:
    """A page on the map; what it says of itself is as it stands there.

    Attributes:
        name: its file name.
        title: its title, which may have been cut.
        summary: its summary, which may have been cut; "" if it has none.
        x: how far to the right it is.
        y: how far up.
    """

    name: str
    title: str
    summary: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Map:
    """A field, seen from where its pages differ most.

    Attributes:
        field: the name of the field.
        model: the model code of the index; None where it is not known.
        near: the cosine distance up to which pages say nearly the same.
        spots: the pages, by name.
        pairs: the nearest pairs of `spots`, the very nearest first.
        pair_count: how many pairs there are.
        notes: what is not on the map, and why.
        unmapped: how many pages of the field are not on it.
    """

    field: str
    model: str | None
    near: float
    spots: tuple[Spot, ...]
    pairs: tuple[Pair, ...]
    pair_count: int
    notes: tuple[str, ...]
    unmapped: int


def chart(
    index: Index, indexed: Field, near: float = DEFAULT_NEAR, *, watch: Watch = unwatched
) -> Map:
    """The map of a field.

    A row of the index counts only while it is of the page as it stands (MF905); titles and
    summaries are those of the pages.

    Arguments:
        index: an index of the field.
        indexed: the field.
        near: the cosine distance up to which pages say nearly the same.
        watch: is told how many pages have been read, and then compared.

    Raises:
        IndexMismatch: the index is damaged.
        SourceUnavailable: the field cannot be read.
        PinMismatch: the field is not what was pinned.
    """
    notes: list[str] = []
    names = sorted(indexed.pages)
    if len(names) > MOST_PAGES:
        notes.append(f"only the first {MOST_PAGES:,} of {len(names):,} pages are on the map")
    rows = _rows(index, names[:MOST_PAGES], notes)
    pages = _current(indexed, rows, watch)
    left_out = min(len(names), MOST_PAGES) - len(pages)
    if left_out:
        what = (
            "page has no vector as it stands and is"
            if left_out == 1
            else "pages have no vector as they stand and are"
        )
        notes.append(f"{left_out:,} {what} not on the map")
    vectors = [rows[name][1] for name, _, _ in pages]
    view = view_of(vectors)
    seen = [view.seen(vector) for vector in vectors]
    found = near_pairs(vectors, seen, near, watch=watch)
    if not found.is_whole:
        notes.append("not all pairs of pages were compared: too many are alike for this bound")
    if found.count > len(found.pairs):
        notes.append(f"of {found.count:,} pairs the nearest {len(found.pairs):,} are shown")
    return Map(
        field=indexed.name,
        model=index.model_code,
        near=near,
        spots=tuple(
            Spot(*page, *_in_plane(place)) for page, place in zip(pages, seen, strict=True)
        ),
        pairs=found.pairs,
        pair_count=found.count,
        notes=tuple(notes),
        unmapped=len(names) - len(pages),
    )


def _in_plane(place: Sequence[float]) -> tuple[float, float]:
    """The first two numbers of a place, the last of which is none of a direction."""
    x, y, *_ = (*place[:-1], 0.0, 0.0)
    return x, y


def _rows(index: Index, names: Sequence[str], notes: list[str]) -> dict[str, tuple[bytes, Vector]]:
    """The hash and the vector of pages that have vectors of one size, which can be compared."""
    found: dict[str, tuple[bytes, Vector]] = {}
    size = 0
    for row in index.usable_rows(names):
        name, sha256, vector = _parts(row)
        if not can_be_compared(vector):
            continue
        size += len(vector)
        if size > MOST_BYTES:
            notes.append(f"only the first {MOST_BYTES >> 20} MiB of vectors are on the map")
            break
        found[name] = sha256, vector
    sizes = Counter(len(vector) for _, vector in found.values())
    usual = max(sizes, key=lambda each: (sizes[each], each), default=0)
    return {name: row for name, row in found.items() if len(row[1]) == usual}


def _parts(row: Row) -> tuple[str, bytes, Vector]:
    """What a usable row has."""
    return row.filename or "", row.sha256 or b"", row.vector or b""


def _current(
    indexed: Field, rows: Mapping[str, tuple[bytes, Vector]], watch: Watch
) -> list[tuple[str, str, str]]:
    """The name, title and summary of each page, by name, whose row is of it as it stands."""
    names = sorted(rows)
    indexed.prepare(names)
    found: list[tuple[str, str, str]] = []
    watch("pages", 0, len(names))
    for done, name in enumerate(names, start=1):
        page = _read(indexed, name)
        if page is not None and bytes.fromhex(page.sha256) == rows[name][0]:
            summary = page.frontmatter.text("summary") or ""
            found.append((name, _cut(page.title, MOST_TITLE), _cut(summary, MOST_SUMMARY)))
        watch("pages", done, len(names))
    return found


def _read(indexed: Field, name: str) -> Page | None:
    """A page; None if it cannot be read, which keeps no other from the map."""
    try:
        return indexed.page(name)
    except OF_ONE_PAGE:
        return None


def _cut(text: str, most: int) -> str:
    text = text.strip()
    return text if len(text) <= most else text[: most - 1] + "…"
