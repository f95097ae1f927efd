"""What the cache holds of indexes and vectors: so much, and then what was made longest ago goes."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .places import FOLDER as INDEXES
from .storage.schema import SIDE_SUFFIXES, SUFFIX
from .vectors import FOLDER as VECTORS

MOST_BYTES = 2 * 1024**3
"""Of both together."""

NEAREST = ("nearest", "v1")
"""Below the folder of the cache: as `searching.large` has it, which would load all of a search."""

_HASH = re.compile("[0-9a-f]{64}")
_UNFINISHED = re.compile(rf"\.(.+{re.escape(SUFFIX)})\..+")


@dataclass(frozen=True, slots=True)
class Stock:
    """What there is.

    Attributes:
        indexes: how many indexes of fields, and tables made of large ones for searching.
        index_bytes: how many bytes these have.
        vectors: how many files of vectors, one for each way of making them.
        vector_bytes: how many bytes these have.
    """

    indexes: int
    index_bytes: int
    vectors: int
    vector_bytes: int

    @property
    def files(self) -> int:
        """How many files all are."""
        return self.indexes + self.vectors

    @property
    def bytes(self) -> int:
        """How many bytes all have."""
        return self.index_bytes + self.vector_bytes


@dataclass(frozen=True, slots=True)
class Removed:
    """What was removed.

    Attributes:
        files: how many indexes and files of vectors.
        bytes: how many bytes they had.
        left: how many bytes are left.
        problem: why something could not be removed; None if all could.
    """

    files: int
    bytes: int
    left: int
    problem: str | None


def stock(root: Path) -> Stock:
    """What a cache holds of indexes and vectors.

    Arguments:
        root: the folder of the cache.
    """
    vectors = root.joinpath(*VECTORS)
    sizes: dict[bool, list[int]] = {True: [], False: []}
    for path, status in _files(root):
        sizes[path.parent == vectors].append(status.st_size)
    return Stock(len(sizes[False]), sum(sizes[False]), len(sizes[True]), sum(sizes[True]))


def files(root: Path) -> list[Path]:
    """The indexes and files of vectors that a cache holds, in order.

    Arguments:
        root: the folder of the cache.
    """
    return sorted(path for path, _ in _files(root))


def clear(root: Path) -> Removed:
    """Remove all indexes and vectors, and what builds have left that were killed.

    Arguments:
        root: the folder of the cache.
    """
    from memoryfield_readers.beside import clean

    for folder in (root.joinpath(*NEAREST), *_folders(root)):
        for item in _scan(folder):
            unfinished = _UNFINISHED.fullmatch(item.name)
            if unfinished is not None:
                clean(folder / unfinished[1])
    removed = prune(root, (), -1)
    for folder in _folders(root):
        with suppress(OSError):
            folder.rmdir()  # nothing was left in it but what a build had begun
    return removed


def prune(root: Path, keep: Collection[Path], most: int | None = None) -> Removed:
    """Remove indexes and vectors until no more is left than may be; all can be made again.

    What nobody can remove, or did not make, stays where it is.

    Arguments:
        root: the folder of the cache.
        keep: files that stay, whatever they hold.
        most: how many bytes may stay; None for `MOST_BYTES`.
    """
    most = MOST_BYTES if most is None else most
    found = sorted(_files(root), key=lambda each: (each[1].st_mtime_ns, each[0]))
    before = total = sum(status.st_size for _, status in found)
    count = 0
    problems: list[str] = []
    for path, status in found:
        if total <= most:
            break
        if path in keep:
            continue
        problem = remove(path)
        if problem is None:
            count, total = count + 1, total - status.st_size
        else:
            problems.append(problem)
    return Removed(count, before - total, total, problems[0] if problems else None)


def remove(path: Path) -> str | None:
    """Remove an index or a file of vectors, with what SQLite has left beside it.

    Arguments:
        path: one of `files`.

    Returns:
        Why it could not be removed; None if it is gone.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        return f"{path}: {(error.strerror or type(error).__name__).lower()}"
    with suppress(OSError):
        for suffix in SIDE_SUFFIXES:
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        if _HASH.fullmatch(path.parent.name):
            path.parent.rmdir()
    return None


def _files(root: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The files that are ours, by their names and where they stand; no link is followed."""
    for place in (VECTORS, NEAREST):
        for item in _scan(root.joinpath(*place)):
            if _HASH.fullmatch(item.name.removesuffix(SUFFIX)):
                yield from _file(item)
    for folder in _folders(root):
        for item in _scan(folder):
            yield from _file(item)


def _folders(root: Path) -> Iterator[Path]:
    """The folders of the fields that have indexes."""
    for folder in _scan(root.joinpath(*INDEXES)):
        if _HASH.fullmatch(folder.name) and folder.is_dir(follow_symlinks=False):
            yield Path(folder.path)


def _scan(folder: Path) -> Iterator[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as items:
        yield from items


def _file(item: os.DirEntry[str]) -> Iterator[tuple[Path, os.stat_result]]:
    with suppress(OSError):
        status = item.stat(follow_symlinks=False)
        if item.name.endswith(SUFFIX) and stat.S_ISREG(status.st_mode):
            yield Path(item.path), status
