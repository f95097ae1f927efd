"""Whether a file was opened or read, as the kernel tells it (inotify)."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_ACCESS, _OPEN = 0x1, 0x20
_HEAD = struct.Struct("iIII")


@contextmanager
def kernel_watch(path: Path) -> Iterator[OpenWatch]:
    """Watch a file, or a folder and the files in it, for being opened or read by anyone."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "inotify_init1"):
        pytest.skip("there is no inotify here")
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        pytest.skip("inotify cannot be used here")
    try:
        if libc.inotify_add_watch(descriptor, os.fsencode(path), _ACCESS | _OPEN) < 0:
            pytest.skip("inotify cannot watch this file system")
        yield OpenWatch(descriptor)
    finally:
        os.close(descriptor)


class OpenWatch:
    """What happened to a watched file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def was_touched(self) -> bool:
        """Whether it was opened or read since this was asked last."""
        try:
            events = os.read(self._descriptor, 65_536)
        except BlockingIOError:
            return False
        return len(events) >= _HEAD.size
