"""One process and one thread at a time, where that can be had."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ..system_errors import reason_of
from .folders import Folder, folder_at
from .objects import LOCKS
from .process import OfThisProcess, Stripe
from .writing import make_ready

if TYPE_CHECKING:
    from filelock import BaseFileLock

QUIET_SECONDS = 2.0
"""After so long a wait is told of."""

MOST_SECONDS = 900.0
"""After so long a wait is over, and the work is done a second time; nothing breaks by that."""

NESTED_SECONDS = 30.0
"""The same for a thread that holds another lock, for which somebody may wait in turn."""

UNTOLD_SECONDS = 30.0
"""The same where nobody is told of the wait: a program that says nothing seems to hang."""

Tell: TypeAlias = Callable[[str], None]


class _Held(threading.local):
    """How many locks a thread holds."""

    count = 0


_held = _Held()


@contextmanager
def exclusive(
    root: Path,
    sha256: str,
    process: OfThisProcess,
    note: Tell,
    waiting: Tell | None,
    what: str,
) -> Iterator[None]:
    """Let one thread of one process at a time work on an object; see `Cache.exclusive`."""
    name = f"{sha256[:2]}.lock"
    stripe = process.stripe(name)
    most = NESTED_SECONDS if _held.count else MOST_SECONDS
    if waiting is None:  # nobody is told why nothing happens
        most = min(most, UNTOLD_SECONDS)
    if not _acquired(stripe, most, waiting, what):
        note(_in_vain(most))
        yield
        return
    lock: BaseFileLock | None = None
    try:
        if not stripe.deep:  # this thread may hold it already, for an object of the same stripe
            lock = _file_lock(root, name, most, note, waiting, what)
        stripe.deep += 1
        _held.count += 1
        try:
            yield
        finally:
            _held.count -= 1
            stripe.deep -= 1
    finally:
        if lock is not None:
            lock.release()
        stripe.lock.release()


def _acquired(stripe: Stripe, most: float, waiting: Tell | None, what: str) -> bool:
    if stripe.lock.acquire(timeout=QUIET_SECONDS):
        return True
    if waiting is not None:
        waiting(f"{what}: waiting for another download of this program to end")
    return stripe.lock.acquire(timeout=most)


def _file_lock(
    root: Path, name: str, most: float, note: Tell, waiting: Tell | None, what: str
) -> BaseFileLock | None:
    """The lock that other processes see, held; None if it cannot be had."""
    from filelock import FileLock, Timeout

    try:
        make_ready(root)
        with folder_at(root, *LOCKS, make=True) as folder:
            _check(folder, name)
            lock = FileLock(os.path.join(folder.path, name))
        try:
            lock.acquire(timeout=QUIET_SECONDS)
        except Timeout:
            if waiting is not None:
                waiting(f"another process is fetching {what}: waiting for it")
            lock.acquire(timeout=most)
    except Timeout:
        note(_in_vain(most))
    except NotImplementedError:  # how some versions say that there are no locks here
        note("cache cannot be locked: not supported here; going on without")
    except OSError as error:
        note(f"cache cannot be locked: {reason_of(error)}; going on without")
    else:
        return lock
    return None


def _check(folder: Folder, name: str) -> None:
    """Refuse what has the name of a lock and is no file: some versions empty what a link leads to.

    Raises:
        OSError: it is none, or cannot be looked at.
    """
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(folder.status(name).st_mode):
            raise FileExistsError(errno.EEXIST, "something else has the name of the lock")


def _in_vain(most: float) -> str:
    return f"cache is locked by another for more than {most:g} seconds; going on without"
