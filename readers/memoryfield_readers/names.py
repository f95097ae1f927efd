"""What the name of a file says about its role in a field (MF104, MF201, MF901, MF903)."""

from __future__ import annotations

import re
from enum import Enum

PAGE_SUFFIX = ".md"
PAGE_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.md")
"""The name of a page (MF201); always used with `fullmatch`, since `$` lets a line feed through."""

ARCHIVE_SUFFIX = ".memoryfield.zip"
"""The ending of an archive's name (MF602)."""

SIDE_FILE_SUFFIXES = (".sqlite3-wal", ".sqlite3-shm", ".sqlite3-journal")
"""Endings of what SQLite leaves beside an index: no index, and nothing that a link may lead to."""

INDEX_SUFFIXES = (".sqlite3", *SIDE_FILE_SUFFIXES)
"""Endings of vector indexes and of what SQLite leaves beside them: no part of a field pin."""

_DEBRIS_NAMES = frozenset({".DS_Store", "desktop.ini", "Thumbs.db", "__MACOSX"})
_SYNC_CONFLICT = ".sync-conflict-"


class Role(Enum):
    """What a regular file at the root of a field is."""

    PAGE = "page"
    ATTACHMENT = "attachment"
    INDEX = "index"
    DEBRIS = "debris"


def is_page_name(name: str) -> bool:
    """Whether a name is one that a producer may give to a page (MF201)."""
    return PAGE_NAME.fullmatch(name) is not None


def is_side_file(name: str) -> bool:
    """Whether a name is that of a side file of a vector index."""
    return name.endswith(SIDE_FILE_SUFFIXES)


def is_debris(component: str) -> bool:
    """Whether one component of a path marks debris, which readers ignore (MF104)."""
    return (
        component[:1] == "."
        or component[-1:] == "~"
        or component in _DEBRIS_NAMES
        or _SYNC_CONFLICT in component
    )


def topmost_debris(path: str) -> str | None:
    """The part of a relative path up to its first debris component, or None.

    A folder is written with a slash at its end: `__MACOSX/._a.md` gives `__MACOSX/`.
    """
    components = path.split("/")
    for depth, component in enumerate(components, start=1):
        if component and is_debris(component):
            folder = "/" if depth < len(components) else ""
            return "/".join(components[:depth]) + folder
    return None


def role(name: str) -> Role:
    """The role of a regular file at the root, by its name alone.

    A file whose name ends in `.md` is a page also where the name breaks MF201 (MF901).
    """
    if is_debris(name):
        return Role.DEBRIS
    if name.endswith(PAGE_SUFFIX):
        return Role.PAGE
    if name.endswith(INDEX_SUFFIXES):
        return Role.INDEX
    return Role.ATTACHMENT


def archive_stem(archive_name: str) -> str:
    """The name of a field, by the file name of its archive."""
    for suffix in (ARCHIVE_SUFFIX, ".zip"):
        if archive_name.endswith(suffix):
            return archive_name.removesuffix(suffix)
    return archive_name
