"""What a source lists: paths, and whether there is a regular file behind them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import Enum
from operator import attrgetter
from typing import NamedTuple

_FIRST_SECOND = -62_135_596_800  # 0001-01-01T00:00:00Z
_LAST_SECOND = 253_402_300_799  # 9999-12-31T23:59:59Z
_PATH = attrgetter("path")


class EntryKind(Enum):
    """What stands behind a path."""

    FILE = "file"
    DIRECTORY = "directory"
    IRREGULAR = "irregular"
    """Anything else: a link out of the root or to nowhere, a FIFO, a socket, a device (MF105)."""
    UNREADABLE = "unreadable"
    """It cannot be examined, or, of a sub-directory, not be listed."""


class Entry(NamedTuple):
    """One path of a source.

    Attributes:
        path: relative to the root, with `/` between components and none at the end.
        kind: what stands behind it.
        size: bytes of the file; 0 for what is no file, and where only reading it can tell.
        modified_ns: nanoseconds since 1970-01-01T00:00:00Z; None where it is not known.
        problem: why an irregular entry is one, as the end of "NAME is …", or why an unreadable one
            cannot be read; else empty.
        leads_to: of a symbolic link that is followed, the path of the file it leads to; else empty.
    """

    path: str
    kind: EntryKind
    size: int = 0
    modified_ns: int | None = None
    problem: str = ""
    leads_to: str = ""

    @property
    def modified(self) -> datetime | None:
        """When the entry last changed, in UTC, if that is known; clamped to what calendars hold."""
        if self.modified_ns is None:
            return None
        seconds = min(max(self.modified_ns // 1_000_000_000, _FIRST_SECOND), _LAST_SECOND)
        return datetime.fromtimestamp(seconds, UTC)


def name_key(name: str) -> bytes:
    """The order of names everywhere: by the bytes of their UTF-8 form."""
    return name.encode("utf-8", "surrogateescape")


def names_in_order(names: Iterable[str]) -> list[str]:
    """Names in the order of `name_key`."""
    found = list(names)
    # Of ASCII, and most of a field is, characters have the order of their bytes.
    return sorted(found) if "".join(found).isascii() else sorted(found, key=name_key)


def entries_in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Entries in the order of their paths."""
    found = list(entries)
    is_ascii = "".join([entry.path for entry in found]).isascii()
    return sorted(found, key=_PATH if is_ascii else path_key)


def path_key(entry: Entry) -> bytes:
    """The order of entries: by the bytes of their path."""
    return name_key(entry.path)
