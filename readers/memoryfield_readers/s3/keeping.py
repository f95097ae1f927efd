"""Clients of S3 that are used again: to make one takes longer than to read a small field.

A client keeps the credentials that it found, and whatever else it learned. So this is for a process
that reads many fields in a row and then ends, and for those that ask for it alone.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .connection import S3Connection

_MOST_IDLE = 4


class Keeper:
    """Connections that nobody uses just now, by what they were made for."""

    def __init__(self) -> None:
        self._idle: list[tuple[Hashable, S3Connection]] = []
        self._lock = threading.Lock()
        self._open = False

    def take(self, key: Hashable) -> S3Connection | None:
        """One that was made for the same, which is the taker's alone now; None if there is none."""
        with self._lock:
            for place in reversed(range(len(self._idle))):
                if self._idle[place][0] == key:
                    return self._idle.pop(place)[1]
        return None

    def give(self, key: Hashable, connection: S3Connection) -> None:
        """Keep one, or close it where none are kept; the one that was idle longest makes room."""
        surplus = [connection]
        with self._lock:
            if self._open:
                self._idle.append((key, connection))
                surplus = [self._idle.pop(0)[1]] if len(self._idle) > _MOST_IDLE else []
        for each in surplus:
            each.close()

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Keep what is given back, until the end."""
        self._open = True
        try:
            yield
        finally:
            with self._lock:
                self._open = False
                idle, self._idle = self._idle, []
            for _, connection in idle:
                connection.close()


KEEPER = Keeper()
"""That of this process, which keeps none until it is told to."""
