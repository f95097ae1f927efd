"""What this process knows of a cache, whichever of its `Cache` objects found it out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, RLock


@dataclass(slots=True)
class Stripe:
    """One of the locks, as the threads of this process share it; `deep` is how often it is held."""

    lock: RLock = field(default_factory=RLock)
    deep: int = 0


@dataclass(slots=True)
class OfThisProcess:
    """The knowledge of one cache folder.

    Attributes:
        lock: held while what follows is looked at and changed.
        used: the objects that this process has used or put, which it never prunes.
        grown: bytes put since the cache was last looked through.
        room: so many may be put before it is looked through again.
        stripes: the locks, by name.
    """

    lock: Lock = field(default_factory=Lock)
    used: set[str] = field(default_factory=set)
    grown: int = 0
    room: int = 0
    stripes: dict[str, Stripe] = field(default_factory=dict)

    def use(self, sha256: str) -> None:
        """Note that an object is used."""
        with self.lock:
            self.used.add(sha256)

    def let_go(self) -> None:
        """Forget which objects were used."""
        with self.lock:
            self.used.clear()

    def unless_used(self, sha256: str, remove: Callable[[], None]) -> bool:
        """Remove an object, unless this process has used it; nobody begins to meanwhile."""
        with self.lock:
            if sha256 in self.used:
                return False
            remove()
            return True

    def grow(self, size: int) -> bool:
        """Note that bytes were put; whether this thread should look the cache through now.

        If so, no other thread is told to before `leave_room` is called.
        """
        with self.lock:
            self.grown += size
            if self.grown < self.room:
                return False
            self.grown, self.room = 0, sys.maxsize
            return True

    def leave_room(self, size: int) -> None:
        """Look the cache through again when so many bytes have been put."""
        with self.lock:
            self.room = size

    def stripe(self, name: str) -> Stripe:
        """One of the locks."""
        with self.lock:
            return self.stripes.setdefault(name, Stripe())


_known: dict[str, OfThisProcess] = {}
_lock = Lock()


def of_this_process(path: Path) -> OfThisProcess:
    """What this process knows of the cache in a folder, whichever of its paths this is."""
    with _lock:
        return _known.setdefault(os.path.normcase(os.path.realpath(path)), OfThisProcess())
