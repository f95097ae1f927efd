"""Signals that end a run: they are heeded between two results, and not in the middle of one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Signals:
    """What would end the program, for as long as the block lasts; of use in the main thread."""

    def __init__(self) -> None:
        """Change nothing yet."""
        self._before: dict[int, Callable[[int, FrameType | None], Any]] = {}
        self._waits = False
        self._came: int | None = None

    def __enter__(self) -> Self:
        """Take the place of all handlers; a signal that is ignored stays so."""
        if threading.current_thread() is threading.main_thread():
            for name in _NAMES:
                number = getattr(signal, name, None)
                handler = None if number is None else signal.getsignal(number)
                if number is not None and callable(handler):
                    self._before[number] = handler
                    signal.signal(number, self._come)
        return self

    def __exit__(self, *error: object) -> None:
        """Leave all handlers as they were."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def put_off(self, *, forgotten: bool = False) -> Iterator[None]:
        """Let what comes meanwhile have its effect at the end of the block.

        Arguments:
            forgotten: whether it has none at all, since the program ends anyway.
        """
        self._waits = True
        try:
            yield
        finally:
            self._waits = False
            came, self._came = self._came, None
            if came is not None and not forgotten:
                self._before[came](came, None)

    def _come(self, number: int, frame: FrameType | None) -> None:
        if self._waits:
            self._came = number
        else:
            self._before[number](number, frame)
