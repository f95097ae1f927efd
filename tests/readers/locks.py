"""Entries of lock files for tests, and lock files as text."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import HealthCheck, settings

from memoryfield_readers import Manifest, MemoryfieldError, parse_pin
from memoryfield_readers.lock import LockedField, LockFile, parse_lock

unhurried = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
"""For tests on any lock file: how long one takes says nothing."""

FILES = {"a.md": b"a\n", "b.md": b"b\n"}
A = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  a.md"
B = "0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f  b.md"
PIN = "field-sha256:61725e02d7eabcaaff99beecf13cf5ec0afeae16e6e25b7f7377eb7edbfdbf70"
"""The known answer of the standard."""

ARCHIVE_PIN = "sha256:" + "5" * 64
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def locked(name: str = "notes", files: Mapping[str, bytes] = FILES, **others: Any) -> LockedField:
    """An entry of a field with these files."""
    manifest = Manifest.of({each: hash_of(data) for each, data in files.items()})
    facts = {"location": name, "size": sum(map(len, files.values())), **others}
    return LockedField(name=name, field_pin=parse_pin(manifest.digest), manifest=manifest, **facts)


def lock_of(*fields: LockedField, path: Path = Path("/lock/memoryfields.lock")) -> LockFile:
    return LockFile(path, {each.name: each for each in fields})


def entry(**changes: Any) -> dict[str, Any]:
    """The table of a good entry, with some keys changed, or left out where the value is None."""
    table = {"location": "notes", "field_pin": PIN, "bytes": 4, "manifest": [A, B], **changes}
    return {key: value for key, value in table.items() if value is not None}


def toml(table: Mapping[str, Any] | None = None, *, version: Any = 1, **others: Any) -> bytes:
    """The bytes of a lock file that has one field, `notes`, if it has a table."""
    fields = {} if table is None else {"fields": {"notes": dict(table)}}
    return tomli_w.dumps({"version": version, **others, **fields}).encode()


def parsed(data: bytes) -> LockFile:
    return parse_lock(data, Path("/lock/memoryfields.lock"))


def refused(data: bytes) -> MemoryfieldError:
    """The error with which the bytes of a lock file are refused."""
    with pytest.raises(MemoryfieldError) as found:
        parsed(data)
    assert found.value.location == "/lock/memoryfields.lock"
    return found.value
