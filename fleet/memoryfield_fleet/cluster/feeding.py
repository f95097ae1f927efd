"""Targets as they are found, by a thread of its own: what runs need not wait for a slow listing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from .settling import Found

_PATIENCE = 2.0
"""Seconds that a listing which is being waited for is given to come to an end."""


class Feeder:
    """Hands on what an iterator gives, no more of it at a time than there are free places."""

    def __init__(
        self,
        targets: Iterable[Found],
        places: int,
        give: Callable[[Found], None],
        end: Callable[[Exception | None], None],
    ) -> None:
        """Begin at once.

        Arguments:
            targets: what is handed on; a generator is closed at the end.
            places: how many may be handed on that are not yet done.
            give: is given each.
            end: is told that there are no more, and what broke off if something did.
        """
        self._targets = targets
        self._places = threading.Semaphore(places)
        self._give = give
        self._end = end
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fleet-targets", daemon=True)
        self._thread.start()

    def done(self) -> None:
        """One of those handed on is done: another may come."""
        self._places.release()

    def stop(self) -> None:
        """Hand on nothing more."""
        self._stopped.set()
        self._places.release()
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        broken: Exception | None = None
        try:
            for found in self._targets:
                self._places.acquire()
                if self._stopped.is_set():
                    break
                self._give(found)
        except Exception as error:  # whatever it is, it is raised where the results are taken
            broken = error
        finally:
            close = getattr(self._targets, "close", None)
            if close is not None:
                close()
        self._end(broken)
