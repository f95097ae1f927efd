"""What file systems of fsspec tell of a file, each in its own words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ..entry import Entry, EntryKind

_TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")
_MARKS = (
    *_TIMES,
    "size",
    "ETag",
    "etag",
    "generation",
    "md5Hash",
    "checksum",
    "version_id",
    "VersionId",
    "ino",
    "CRC",
)


def entry_of(path: str, info: Mapping[str, Any]) -> Entry:
    """The entry for a file of a listing; what is no regular file is irregular."""
    modified = modified_ns(info)
    if info.get("islink") or info.get("type") == "link":
        return Entry(path, EntryKind.IRREGULAR, 0, modified, "a symbolic link")
    if info.get("type", "file") != "file":
        return Entry(path, EntryKind.IRREGULAR, 0, modified, "no regular file")
    return Entry(path, EntryKind.FILE, size_of(info) or 0, modified)


def size_of(info: Mapping[str, Any]) -> int | None:
    """The bytes of a file, if they are told."""
    size = info.get("size")
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        return None
    return size


def modified_ns(info: Mapping[str, Any]) -> int | None:
    """When a file changed, in nanoseconds since 1970-01-01T00:00:00Z, if that is told."""
    for name in _TIMES:
        value = info.get(name)
        if isinstance(value, str):
            try:
                value = datetime.fromisoformat(value)
            except ValueError:
                continue
        try:
            if isinstance(value, datetime):
                moment = value if value.tzinfo else value.replace(tzinfo=UTC)
                seconds = int(moment.replace(microsecond=0).timestamp())
                return seconds * 1_000_000_000 + moment.microsecond * 1_000
            if isinstance(value, int | float) and math.isfinite(value):
                return int(value * 1_000_000_000)
        except (ValueError, OverflowError):
            continue
    return None


def marks_of(info: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What tells one version of a file from another."""
    return tuple((name, repr(info[name])) for name in _MARKS if info.get(name) is not None)
