"""What a reader adds to a field it does not own: notes with revisions and provenance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import InvalidNote, NotesAtRisk, StaleSource, StoreError
from .record import MOST_NOTE_BYTES, Note, Origin, Record, StoreKind

if TYPE_CHECKING:
    from .converting import convert
    from .document import Document, parse, render
    from .lineage import Lineage
    from .merging import Rebuilt
    from .opening import MOST_IN_JSON, open_store
    from .store import DEFAULT_WAIT, Outcome, Store

__all__ = [
    "DEFAULT_WAIT",
    "MOST_IN_JSON",
    "MOST_NOTE_BYTES",
    "Document",
    "InvalidNote",
    "Lineage",
    "Note",
    "NotesAtRisk",
    "Origin",
    "Outcome",
    "Rebuilt",
    "Record",
    "StaleSource",
    "Store",
    "StoreError",
    "StoreKind",
    "convert",
    "open_store",
    "parse",
    "render",
]


def __getattr__(name: str) -> Any:
    """What a store needs is imported when it is asked for: most commands only ask for notes."""
    if name in __all__:
        from . import converting, document, lineage, merging, opening, store

        for module in (converting, document, lineage, merging, opening, store):
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
