"""`--index`: vector indexes that a change would make stale are built anew, within that change."""

from __future__ import annotations

import tempfile
from pathlib import Path

from memoryfield_readers import EmbedderUnavailable, Field, IndexMismatch

from .embedding import AUTO, Wish, chosen, embedding_bar
from .output import warn


def reindexed(field: Field, name: str, old: bytes) -> bytes:
    """An index as it is to be for a field, by the embedder that has made it.

    Arguments:
        field: the field after the change.
        name: the file name of the index.
        old: the index before the change; its true rows are kept.

    Raises:
        EmbedderUnavailable: its embedder cannot be had, or is none that an index may start.
        IndexMismatch: it is no index, or a page cannot be embedded.
    """
    from memoryfield_index.building import rebuild

    with tempfile.TemporaryDirectory(prefix="memoryfield-") as folder:
        path = Path(folder, name)
        path.write_bytes(old)
        with chosen(_made_with(path, name)) as embedder, embedding_bar() as watch:
            stats = rebuild(field, embedder, path, watch=watch)
        if stats.anew is not None:
            warn(f"{name}: built anew: {stats.anew}")
        for page, reason in stats.failed:
            warn(f"{page}: has no vector: {reason}")
        if not stats.pages:
            raise IndexMismatch("no page has a vector", location=name)
        return path.read_bytes()


def _made_with(path: Path, name: str) -> Wish:
    """The embedder that an index names, and may start."""
    from memoryfield_index.storage import open_index
    from memoryfield_index.unasked import named_by

    try:
        with open_index(path) as index:
            named = named_by(index)
            if index.recipe is None:
                code = index.model_code
                return Wish(f"{AUTO}:{code}" if code else AUTO)
            return Wish(named[0].name, code=named[0].code)
    except EmbedderUnavailable as error:
        hint = "leave out --index, and run `memoryfield index build` with --embedder afterwards"
        raise EmbedderUnavailable(error.message, location=name, hint=hint) from error
    except IndexMismatch as error:
        raise IndexMismatch(error.message, location=name, hint=error.hint) from error
