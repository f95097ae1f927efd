"""Read-only doors for agents: nothing here can change a field.

from memoryfield_agents import Shelf

with Shelf.of(["notes=my-field/", "@handbook"]) as shelf:
    held = shelf.get("notes")
    print(held.pin, [hit.filename for hit in held.search("woks").hits])
"""

from __future__ import annotations

from .fields import AmbiguousName, HeldField, Request, Shelf, UnknownField
from .snapshots import SessionSnapshot, Snapshot, snapshot

__all__ = [
    "AmbiguousName",
    "HeldField",
    "Request",
    "SessionSnapshot",
    "Shelf",
    "Snapshot",
    "UnknownField",
    "snapshot",
]
