"""What the cache holds, by its names; nothing is opened."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from .folders import folder_at
from .objects import OBJECTS, PARTIAL

_BEGINNING = re.compile(r"[0-9a-f]{2}")
_REST = re.compile(r"[0-9a-f]{62}")
_DOWNLOAD = re.compile(r"([0-9a-f]{64})(?:[.-][A-Za-z0-9._-]{1,64})?")
_DRAFT = re.compile(r"put-[0-9a-f]{32}\.tmp")


class Found(NamedTuple):
    """Something that has a name the cache gives.

    Attributes:
        name: in `objects`, the SHA-256; in `partial`, the file's name.
        group: what is kept or goes together: for the file of a download, its SHA-256.
        size: bytes of it, 0 if it is no file.
        used: when it was used last, in nanoseconds since 1970.
    """

    name: str
    group: str
    size: int
    used: int


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """What a cache holds.

    Attributes:
        path: its folder.
        most: how many bytes it may hold before some are pruned; None for any number.
        objects: how many objects it holds.
        bytes: how many bytes these have.
        unfinished: how many files there are of downloads and blobs that were not finished.
        unfinished_bytes: how many bytes these have.
        others: how many entries it did not make, which it leaves alone.
    """

    path: Path
    most: int | None
    objects: int = 0
    bytes: int = 0
    unfinished: int = 0
    unfinished_bytes: int = 0
    others: int = 0


def is_draft(name: str) -> bool:
    """Whether a file in `partial` is a blob that is being put."""
    return _DRAFT.fullmatch(name) is not None


def objects(root: Path) -> Iterator[Found | None]:
    """Every object, by no order but that of its first two digits; None for what is none.

    Raises:
        OSError: a folder cannot be listed.
    """
    for beginning in beginnings(root):
        if beginning is None:
            yield None
            continue
        try:
            with folder_at(root, *OBJECTS, beginning) as folder:
                for item in folder.scan():
                    if _REST.fullmatch(item.name) is None:
                        yield None
                    elif (status := _status(item)) is not None:
                        yield _found(beginning + item.name, beginning + item.name, status)
        except FileNotFoundError:
            continue  # cleared meanwhile
        except NotADirectoryError:
            yield None  # a link, or a file


def unfinished(root: Path) -> Iterator[Found | None]:
    """Every file of `partial`; None for what the cache did not make.

    Raises:
        OSError: the folder cannot be listed.
    """
    try:
        with folder_at(root, *PARTIAL) as folder:
            for item in folder.scan():
                download = _DOWNLOAD.fullmatch(item.name)
                status = _status(item)
                if status is None:
                    continue
                if stat.S_ISDIR(status.st_mode) or not (download or is_draft(item.name)):
                    yield None
                else:
                    yield _found(item.name, download[1] if download else item.name, status)
    except FileNotFoundError:
        return


def look_through(root: Path, most: int | None) -> CacheInfo:
    """Count what a cache holds.

    Raises:
        OSError: a folder cannot be listed.
    """
    counts = [0, 0, 0, 0, 0]
    for at, listed in ((0, objects(root)), (2, unfinished(root))):
        for found in listed:
            if found is None:
                counts[4] += 1
            else:
                counts[at] += 1
                counts[at + 1] += found.size
    return CacheInfo(root, most, *counts)


def beginnings(root: Path) -> list[str | None]:
    """The folders of the objects, by their names; None for what is none."""
    try:
        with folder_at(root, *OBJECTS) as folder:
            names = sorted(item.name for item in folder.scan())
    except FileNotFoundError:
        return []
    return [name if _BEGINNING.fullmatch(name) else None for name in names]


def _status(item: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return item.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None  # removed meanwhile


def _found(name: str, group: str, status: os.stat_result) -> Found:
    size = status.st_size if stat.S_ISREG(status.st_mode) else 0
    return Found(name, group, size, status.st_mtime_ns)
