"""What an index says of itself, for a person who looks at it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .storage import Index


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """The facts of an index, none of which is proved.

    Attributes:
        name: its file name.
        location: where it is.
        model: the model code; None where it is not known.
        dimension: how many numbers a vector has; None where that is not known.
        rows: how many rows it has.
        bytes: of the file.
        format_version: of what it says of itself; 0 for an index of another tool.
        field_digest: the pin of the field that was indexed; None where it does not say.
        shortened: how many pages were not embedded whole.
        recipe: how its vectors were made; None where that is not known.
    """

    name: str
    location: str
    model: str | None
    dimension: int | None
    rows: int
    bytes: int
    format_version: int
    field_digest: str | None
    shortened: int
    recipe: dict[str, Any] | None


def info(index: Index) -> IndexInfo:
    """The facts of an index.

    Raises:
        IndexMismatch: it is damaged.
    """
    return IndexInfo(
        name=index.name,
        location=index.location,
        model=index.model_code,
        dimension=index.dimension,
        rows=index.count(),
        bytes=index.size,
        format_version=index.meta.format_version,
        field_digest=index.meta.field_digest or None,
        shortened=len(index.meta.bytes_embedded),
        recipe=None if index.recipe is None else asdict(index.recipe),
    )
