"""The cache holds so much of indexes and vectors, and then those go that were made longest ago."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from .places import FOLDER as INDEXES
from .storage.schema import SIDE_SUFFIXES, SUFFIX
from .vectors import FOLDER as VECTORS

MOST_BYTES = 2 * 1024**3
"""Of both together."""

_HASH = re.compile("[0-9a-f]{64}")


def prune(root: Path, keep: Collection[Path], most: int | None = None) -> None:
    """Remove indexes and vectors until no more is left than may be; all can be made again.

    What nobody can remove, or did not make, stays where it is.

    Arguments:
        root: the folder of the cache.
        keep: files that stay, whatever they hold.
        most: how many bytes may stay; None for `MOST_BYTES`.
    """
    most = MOST_BYTES if most is None else most
    found = sorted(_files(root), key=lambda each: (each[1].st_mtime_ns, each[0]))
    total = sum(status.st_size for _, status in found)
    for path, status in found:
        if total <= most:
            return
        if path in keep:
            continue
        with suppress(OSError):
            path.unlink()
            total -= status.st_size
            for suffix in SIDE_SUFFIXES:
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            if _HASH.fullmatch(path.parent.name):
                path.parent.rmdir()


def _files(root: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The files that are ours, by their names and where they stand; no link is followed."""
    for item in _scan(root.joinpath(*VECTORS)):
        if _HASH.fullmatch(item.name.removesuffix(SUFFIX)):
            yield from _file(item)
    for folder in _scan(root.joinpath(*INDEXES)):
        if _HASH.fullmatch(folder.name) and folder.is_dir(follow_symlinks=False):
            for item in _scan(Path(folder.path)):
                yield from _file(item)


def _scan(folder: Path) -> Iterator[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as items:
        yield from items


def _file(item: os.DirEntry[str]) -> Iterator[tuple[Path, os.stat_result]]:
    with suppress(OSError):
        status = item.stat(follow_symlinks=False)
        if item.name.endswith(SUFFIX) and stat.S_ISREG(status.st_mode):
            yield Path(item.path), status
