"""What an index says of itself: how its vectors were made, and of which field."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from ..values import Recipe
from ..vector_faults import MOST_DIMENSION
from .schema import FORMAT_VERSION, is_model_code

_TYPES: Mapping[str, type] = {"str": str, "int": int, "bool": bool}

_MOST_RECIPE = 16_384
_PIN = re.compile(r"field-sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Meta:
    """What stands in the table `meta`.

    Attributes:
        recipe: how the vectors were made; None where that is not told, or not in full.
        field_digest: the pin of the field that was indexed; "" where it could not be had.
        format_version: of the table; 0 where there is none.
        bytes_embedded: of the pages that were not embedded whole, how many bytes were, by name.
    """

    recipe: Recipe | None = None
    field_digest: str = ""
    format_version: int = 0
    bytes_embedded: Mapping[str, int] = field(default_factory=dict)


def to_rows(recipe: Recipe, field_digest: str, bytes_embedded: Mapping[str, int]) -> dict[str, str]:
    """The rows of the table, by key.

    The model and its dimension stand there twice: in the recipe, and for people to look at.
    """
    return {
        "format_version": str(FORMAT_VERSION),
        "model": recipe.model,
        "dimension": str(recipe.dimension),
        "recipe": json.dumps(asdict(recipe), sort_keys=True),
        "field_digest": field_digest,
        "bytes_embedded": json.dumps(dict(sorted(bytes_embedded.items()))),
    }


def of_rows(rows: Mapping[str, str]) -> Meta:
    """What rows say; what means nothing counts as not told. Never raises."""
    version = rows.get("format_version", "")
    digest = rows.get("field_digest", "")
    known = version == str(FORMAT_VERSION)
    return Meta(
        recipe=_recipe(rows.get("recipe", "")) if known else None,
        field_digest=digest if _PIN.fullmatch(digest) else "",
        format_version=FORMAT_VERSION if known else 0,
        bytes_embedded=_counts(rows.get("bytes_embedded", "")),
    )


def _recipe(text: str) -> Recipe | None:
    found = _object(text) if len(text) <= _MOST_RECIPE else {}
    expected = {each.name: _TYPES[str(each.type)] for each in fields(Recipe)}
    if found.keys() != expected.keys():
        return None
    if any(type(found[name]) is not kind for name, kind in expected.items()):
        return None
    recipe = Recipe(**found)
    if not (0 < recipe.dimension <= MOST_DIMENSION and is_model_code(recipe.model)):
        return None
    # An embedder is asked for as "embedder:model".
    if ":" in recipe.embedder or not recipe.embedder.isprintable():
        return None
    return recipe if all(map(_is_text, found.values())) else None


def _is_text(value: Any) -> bool:
    """Whether UTF-8 can carry a value: JSON can name halves of characters."""
    return not isinstance(value, str) or value.encode("utf-8", "ignore").decode() == value


def _counts(text: str) -> dict[str, int]:
    return {name: count for name, count in _object(text).items() if type(count) is int}


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
