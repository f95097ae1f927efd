"""When a request is sent again, and after how long."""

from __future__ import annotations

import threading

from ..transfer.pauses import pause
from .failures import Failure


class Patience:
    """How often requests are tried, which is once only where nobody seems to be there."""

    def __init__(self, retries: int) -> None:
        """Allow so many tries after the first."""
        self._retries = retries
        self._silent: set[str] = set()
        self._lock = threading.Lock()

    def wait(self, failure: Failure, tried: int) -> float | None:
        """Seconds to wait before another try, or None if there is to be none.

        Arguments:
            failure: what the last try came to.
            tried: how many tries there were, that one included.
        """
        if not failure.passing:
            return None
        with self._lock:
            if failure.silent and failure.origin in self._silent:
                return None
            if tried > self._retries:
                if failure.silent:
                    self._silent.add(failure.origin)
                return None
        if failure.wait is None:
            return pause(tried - 1)
        return failure.wait + pause(0)  # as was asked for, and not in step with others

    def heard(self, origin: str) -> None:
        """Somebody is there after all."""
        if self._silent:
            with self._lock:
                self._silent.discard(origin)
