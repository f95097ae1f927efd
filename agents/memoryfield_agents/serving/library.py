"""The fields that a server has, each as it was when it was last read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from memoryfield_readers import Limits, MemoryfieldError, visible

from ..fields import HeldField, Shelf
from .access_log import Log
from .changes import Seen, seen
from .files import Files

_MOST_UNREAD = 20
"""So many files that cannot be read are told by name."""


class Library:
    """Held fields made ready, which are read anew where their place has changed."""

    def __init__(
        self,
        shelf: Shelf,
        log: Log,
        *,
        places: Sequence[Path | None] = (),
        before: Sequence[Seen | None] = (),
        limits: Limits,
        seconds: float,
    ) -> None:
        """Make the fields of a shelf ready.

        Arguments:
            shelf: the fields.
            log: is told if a field cannot be read anew.
            places: where each is on this machine; None for one that is not followed.
            before: what these looked like before the shelf was opened.
            limits: how much is looked at.
            seconds: how long a look counts.
        """
        self._shelf = shelf
        self._log = log
        self._limits = limits
        self._seconds = seconds
        self._files = {held.name: Files(held) for held in shelf.fields}
        self._places = dict(zip(shelf.names, places, strict=False))
        self._seen = dict(zip(shelf.names, before, strict=False))
        self._looking = {name: Lock() for name in shelf.names}
        self._next_look = dict.fromkeys(shelf.names, 0.0)
        self._told: dict[str, str] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return self._shelf.names

    @property
    def fields(self) -> tuple[Files, ...]:
        """All of them, as they are now."""
        return tuple(self._files[name] for name in self.names)

    def get(self, name: str) -> Files | None:
        """A field by exactly its name."""
        return self._files.get(name)

    def is_due(self, name: str) -> bool:
        """Whether it is time to look if a field has changed."""
        return (
            self._places.get(name) is not None
            and time.monotonic() >= self._next_look[name]
            and not self._looking[name].locked()
        )

    def look(self, name: str) -> None:
        """Read a field anew if its place has changed; meanwhile and if not, the old one is there.

        It touches the disk, and may take long. If somebody looks already, nothing is done.
        """
        place, lock = self._places.get(name), self._looking[name]
        if place is None or not lock.acquire(blocking=False):
            return
        try:
            now = seen(place, self._limits)
            before = self._seen.get(name)
            if (before is None or not before.same_as(now)) and self._read(name):
                self._seen[name] = now
        finally:
            self._next_look[name] = time.monotonic() + self._seconds
            lock.release()

    def _read(self, name: str) -> bool:
        """Read a field anew; whether it could be had."""
        try:
            before = self._shelf.get(name)
            if self._shelf.reload(name):
                after = self._shelf.get(name)
                self._files[name] = Files(after)
                self._tell_unread(before, after)
        except MemoryfieldError as error:
            told = visible(str(error))
            if self._told.get(name) != told:
                self._told[name] = told
                self._log(f"memoryfield: field {name} is served as it was: {told}")
            return False
        self._told.pop(name, None)
        return True

    def _tell_unread(self, before: HeldField, after: HeldField) -> None:
        """Say which pages are left out now, where others were before."""
        if before.unread.keys() == after.unread.keys():
            return
        for error in list(after.unread.values())[:_MOST_UNREAD]:
            self._log(f"memoryfield: {visible(after.told(str(error)))}")
        if len(after.unread) > _MOST_UNREAD:
            more = len(after.unread) - _MOST_UNREAD
            self._log(f"memoryfield: {after.name}: {more} more cannot be read")
        if not after.unread:
            self._log(f"memoryfield: {after.name}: all of it can be read again")
