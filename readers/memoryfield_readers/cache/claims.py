"""Unfinished files that somebody is writing, told from those that a dead process has left.

Whoever writes one holds a lock on it, which the system takes away when the process ends.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .folders import Folder

if sys.platform != "win32":
    import fcntl


def claim(descriptor: int) -> bool:
    """Hold an open file of one's own until it is closed; False if it is being removed.

    Where there are no locks, it is not held: it can be removed under its writer, who notices.
    """
    if sys.platform == "win32":  # where nobody removes what is open
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return os.fstat(descriptor).st_nlink > 0


@contextmanager
def unclaimed(folder: Folder, name: str) -> Iterator[bool]:
    """Whether nobody is writing a file; if so, nobody begins to meanwhile.

    Raises:
        FileNotFoundError: it is not there.
    """
    if sys.platform == "win32":
        yield True
        return
    try:
        descriptor = folder.open(name)
    except FileNotFoundError:
        raise
    except OSError:  # a link, say: nothing of ours
        yield True
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            free = False
        except OSError:
            free = True
        else:
            free = True
        yield free
    finally:
        os.close(descriptor)
