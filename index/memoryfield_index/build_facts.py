"""What came of a build of an index, as JSON carries it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoryfield_readers import as_unicode

if TYPE_CHECKING:
    from .building import IndexStats
    from .values import Recipe


def build_facts(stats: IndexStats, recipe: Recipe, location: str) -> dict[str, Any]:
    """What `memoryfield index build --format json` says.

    Arguments:
        stats: what came of it.
        recipe: how vectors were made.
        location: where the field is.
    """
    return {
        "version": 1,
        "location": as_unicode(location),
        "index": as_unicode(str(stats.path)),
        "model": recipe.model,
        "dimension": recipe.dimension,
        "embedder": recipe.embedder,
        "written": stats.written,
        "pages": stats.pages,
        "embedded": stats.embedded,
        "cached": stats.cached,
        "reused": stats.reused,
        "removed": [as_unicode(name) for name in stats.removed],
        "failed": [
            {"page": as_unicode(name), "reason": as_unicode(reason)}
            for name, reason in stats.failed
        ],
        "shortened": [
            {"page": as_unicode(name), "bytes_embedded": count} for name, count in stats.shortened
        ],
        "anew": None if stats.anew is None else as_unicode(stats.anew),
    }
