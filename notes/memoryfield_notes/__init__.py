"""What a reader adds to a field it does not own: notes with revisions and provenance."""

from __future__ import annotations

from .converting import convert
from .document import Document, parse, render
from .errors import InvalidNote, NotesAtRisk, StaleSource, StoreError
from .lineage import Lineage
from .merging import Rebuilt
from .opening import MOST_IN_JSON, open_store
from .record import MOST_NOTE_BYTES, Note, Origin, Record, StoreKind
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
