"""The fields on this machine that fit a pattern: each folder is read when it is its turn.

What is kept is the names of the folders above the one that is looked at, as far as they fit.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoryfield_readers import Limits, NotFound
from memoryfield_readers.names import Role, role
from memoryfield_readers.system_errors import error_of

from ..values import Refused, Target
from .patterns import Pattern, compiled, is_archive_name, is_wild
from .places import local_target, refused


class _Item(NamedTuple):
    """A name that fits so far; `trouble` is why it cannot be looked at, if it cannot."""

    path: str
    state: int
    is_folder: bool
    trouble: OSError | None = None


def in_folders(text: str, limits: Limits) -> Iterator[Target | Refused]:
    """The fields that a pattern of paths stands for, in the order of the bytes of their names.

    Arguments:
        text: the pattern.
        limits: how many entries of a field to look at for its version.

    Raises:
        NotFound: nothing fits.
    """
    base, pattern = _parsed(text)
    count = 0
    for item in _walked(base, pattern):
        count += 1
        yield item if isinstance(item, Refused) else _target(item, limits)
    if not count:
        raise NotFound("no field fits this pattern", location=text)


def _parsed(text: str) -> tuple[str, Pattern]:
    """The folder to begin in, "" for the one that the program runs in, and what is below."""
    drive, path = os.path.splitdrive(text.replace(os.altsep, os.sep) if os.altsep else text)
    parts = [part for part in path.split(os.sep) if part]
    fixed = next((at for at, part in enumerate(parts) if is_wild(part)), 0)
    root = os.sep if path.startswith(os.sep) else ""
    base = drive + root + os.sep.join(parts[:fixed])
    return base, compiled(parts[fixed:], folders_alone=path.endswith(os.sep))


def _walked(base: str, pattern: Pattern) -> Iterator[_Item | Refused]:
    """What fits, and what cannot be listed on the way there."""
    waiting: list[Iterator[_Item]] = []

    def enter(folder: str, state: int) -> Iterator[Refused]:
        try:
            waiting.append(iter(_below(folder, state, pattern)))
        except (FileNotFoundError, NotADirectoryError):
            return  # nothing there fits
        except OSError as error:
            yield refused(folder or os.curdir, error_of(error, location=folder or os.curdir))

    here = _Item(base, pattern.start, base != "" and os.path.isdir(base))
    if here.is_folder and pattern.is_met(here.state) and _is_meant(here, pattern):
        yield here  # `**` may stand for no folder
    yield from enter(base, pattern.start)
    while waiting:
        item = next(waiting[-1], None)
        if item is None:
            waiting.pop()
            continue
        if item.trouble is not None:
            yield refused(item.path, error_of(item.trouble, location=item.path))
            continue
        if pattern.is_met(item.state) and _is_meant(item, pattern):
            yield item
        if item.is_folder:
            yield from enter(item.path, item.state)


def _below(folder: str, state: int, pattern: Pattern) -> Sequence[_Item]:
    """What in a folder fits so far, in order.

    Raises:
        OSError: it cannot be listed.
    """
    only = pattern.only(state)
    if only is not None:
        named = [_looked_at(os.path.join(folder, name), pattern.step(state, name)) for name in only]
        return [item for item in named if item is not None]
    found = []
    with os.scandir(folder or os.curdir) as items:
        for item in items:
            after = pattern.step(state, item.name, is_link=item.is_symlink())
            if not after:
                continue
            path = os.path.join(folder, item.name)
            try:
                is_folder = item.is_dir()
            except OSError as error:  # such as a link that leads to itself
                found.append(_Item(path, after, False, error))
                continue
            if is_folder or is_archive_name(item.name):
                found.append(_Item(path, after, is_folder))
    return sorted(found, key=lambda each: os.fsencode(each.path))


def _looked_at(path: str, state: int) -> _Item | None:
    """What stands at a path; None if nothing does."""
    try:
        return _Item(path, state, stat.S_ISDIR(os.stat(path).st_mode))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return _Item(path, state, False, error)


def _is_meant(item: _Item, pattern: Pattern) -> bool:
    if not item.is_folder:
        return pattern.archives and is_archive_name(item.path)
    return pattern.folders and (not pattern.is_deep or _has_page(item.path))


def _has_page(folder: str) -> bool:
    try:
        with os.scandir(folder) as items:
            return any(role(item.name) is Role.PAGE and not item.is_dir() for item in items)
    except OSError:
        return True  # whoever opens it says what is wrong


def _target(item: _Item, limits: Limits) -> Target | Refused:
    # By itself a name could be that of a field of a lock file.
    path = item.path if os.sep in item.path else os.path.join(os.curdir, item.path)
    return local_target(path, limits)
