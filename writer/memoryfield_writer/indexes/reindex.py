"""The seam to what makes vectors: the writer knows no embedder, and is given one that does."""

from __future__ import annotations

from typing import Protocol

from memoryfield_readers import Field


class Reindex(Protocol):
    """Brings an index up to date."""

    def __call__(self, field: Field, name: str, old: bytes) -> bytes:
        """The index of a field as it is going to be.

        Arguments:
            field: the field after the edit; its pages are in memory.
            name: the file name of the index.
            old: its bytes before, all of which may be hostile; where that could be done, without
                the rows of pages that change.

        Raises:
            IndexMismatch: it is an index that this cannot make, of another model for one.
            EmbedderUnavailable: there are no vectors to be had.
            MemoryfieldError: it cannot be made for another reason.
        """
        ...
