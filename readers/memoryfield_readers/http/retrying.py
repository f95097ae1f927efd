"""When a request is sent again, and after how long."""

from __future__ import annotations

import random
import threading

from .failures import Failure

BASE = 0.25
MOST = 8.0


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
        backoff = random.uniform(0, min(MOST, BASE * 2.0 ** min(tried - 1, 16)))  # noqa: S311
        if failure.wait is None:
            return backoff
        return failure.wait + min(backoff, BASE)

    def heard(self, origin: str) -> None:
        """Somebody is there after all."""
        if self._silent:
            with self._lock:
                self._silent.discard(origin)
