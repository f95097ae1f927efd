"""What this process opens and lists while a piece of code runs, as the interpreter tells it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_EVENTS = frozenset({"open", "os.listdir", "os.scandir", "os.rename", "os.remove", "os.mkdir"})
_recordings: list[list[str]] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _recordings and event in _EVENTS:
        path = arguments[0]
        _recordings[-1].append(os.fsdecode(path) if isinstance(path, str | bytes) else str(path))


sys.addaudithook(_hook)


@contextmanager
def touched_paths() -> Iterator[list[str]]:
    """The paths that are opened, listed or changed within, in order; fills as it goes."""
    _recordings.append([])
    try:
        yield _recordings[-1]
    finally:
        _recordings.pop()
