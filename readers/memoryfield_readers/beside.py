"""What is made beside its place, under a name of its own, and then takes the place at once.

A process that is killed leaves what it was making. The next one that makes the same takes that
away: what is being made is held by its maker, and by nobody once the maker is gone.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from .exchange import exchange

if sys.platform != "win32":
    import fcntl

_NEW, _OLD = ".new", ".old"
_MARK_BYTES = 8
_MOST_NAME_BYTES = 255
_ABANDONED_SECONDS = 86_400.0
"""Where nothing can be held: what is older than a day is being made by nobody."""


@contextmanager
def beside(target: Path, *, folder: bool, mode: int = 0o666) -> Iterator[Path]:
    """A new file or folder beside a place, gone afterwards if it was not moved there.

    Arguments:
        target: the place; its folder is there.
        folder: whether to make a folder.
        mode: of a file, before the umask.

    Raises:
        OSError: it cannot be made.
    """
    made, held = _made(target, mode, folder=folder)
    try:
        yield made
    finally:
        if held is not None:
            os.close(held)
        remove(made)


def put_in_place(made: Path, target: Path) -> None:
    """Move what was made to its place; what was there is gone then.

    Whoever looks sees what was there or what is new. Only where a system cannot exchange two names
    is there a moment in which a folder is not there; if the process ends in it, the next one that
    makes the same puts the old folder back first.

    Raises:
        OSError: it cannot be moved; what was there stays.
    """
    if not _is_folder(made) and not _is_folder(target):
        os.replace(made, target)
    elif not os.path.lexists(target):
        os.rename(made, target)
    elif not exchange(made, target):
        old = _name_beside(target, _OLD)
        os.rename(target, old)
        try:
            os.rename(made, target)
        except OSError:
            os.rename(old, target)
            raise
        remove(old)


def remove(path: Path) -> None:
    """Take away a file, a link, or a folder with all that is in it, as far as that goes."""
    with suppress(OSError):
        if _is_folder(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def _made(target: Path, mode: int, *, folder: bool) -> tuple[Path, int | None]:
    """What is new and empty, and what it is held by."""
    while True:
        made = _name_beside(target, _NEW)
        if folder:
            made.mkdir()
        else:
            os.close(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        with ExitStack() as undo, suppress(FileNotFoundError):
            undo.callback(remove, made)
            held = _holding(made)
            undo.pop_all()
            return made, held


def _holding(made: Path) -> int | None:
    """What something new is held by; None where nothing can be held.

    Raises:
        FileNotFoundError: before it was held, it was nobody's, and another one took it away.
    """
    if sys.platform == "win32":
        return None
    with ExitStack() as undo:
        held = os.open(made, os.O_RDONLY | os.O_CLOEXEC)
        undo.callback(os.close, held)
        try:
            fcntl.flock(held, fcntl.LOCK_EX)  # another one may look, for a moment, who holds it
        except OSError:  # where nothing can be held, nothing is taken for left either
            return None
        if not _is_at(held, made):
            raise FileNotFoundError(made)
        undo.pop_all()
    return held


def clean(target: Path) -> tuple[str, ...]:
    """Take away what others have left that were making the same, and put back what was there.

    Returns:
        The names of what was left there and is gone now, in order.
    """
    name = re.compile(rf"\.{re.escape(_stem(target))}\.[0-9a-f]{{16}}(\.new|\.old)")
    gone: list[str] = []
    with suppress(OSError):
        for entry in list(os.scandir(target.parent)):
            found = name.fullmatch(entry.name)
            path = Path(entry.path)
            if found is None or (found[1] == _NEW and not _is_left(path)):
                continue
            if found[1] == _OLD and not os.path.lexists(target):
                os.rename(path, target)
            else:
                remove(path)
            if not os.path.lexists(path):
                gone.append(entry.name)
    return tuple(sorted(gone))


def _is_left(path: Path) -> bool:
    """Whether nobody is making it any more."""
    if sys.platform == "win32":
        return time.time() - os.lstat(path).st_mtime > _ABANDONED_SECONDS
    try:
        found = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(found)


def _name_beside(target: Path, ending: str) -> Path:
    return target.with_name(f".{_stem(target)}.{os.urandom(_MARK_BYTES).hex()}{ending}")


def _stem(target: Path) -> str:
    """What the names beside a place begin with: its own name, or a hash of one that is too long."""
    name = os.fsencode(target.name)
    most = _MOST_NAME_BYTES - len("..") - 2 * _MARK_BYTES - len(_NEW)
    return target.name if len(name) <= most else hashlib.sha256(name).hexdigest()


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False
