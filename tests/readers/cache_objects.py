"""An object of the cache that tests know, and what may be planted in its place."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

from memoryfield_readers.cache import Cache

DATA = b"A page of a field, as it was fetched.\n"
SHA256 = hashlib.sha256(DATA).hexdigest()
OTHER = hashlib.sha256(b"").hexdigest()
MOST = 10_000


def place(cache: Cache, sha256: str = SHA256) -> Path:
    """Where an object stands."""
    return cache.path / "v1" / "objects" / sha256[:2] / sha256[2:]


def plant(cache: Cache, data: bytes, sha256: str = SHA256) -> Path:
    """Write something else under a name."""
    path = place(cache, sha256)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    return path


def content(cache: Cache, sha256: str = SHA256) -> bytes | None:
    """What a private copy holds."""
    copy = cache.copy(sha256, MOST)
    if copy is None:
        return None
    with closing(copy):
        return copy.read_at(0, copy.size)


def fifo(path: Path, elsewhere: Path) -> None:
    """Writing to it would wait for a reader."""
    os.mkfifo(path)


def directory(path: Path, elsewhere: Path) -> None:
    """A folder."""
    path.mkdir()


def link(path: Path, elsewhere: Path) -> None:
    """A link to the right bytes, even so."""
    (elsewhere / "secret").write_bytes(DATA)
    path.symlink_to(elsewhere / "secret")


def endless(path: Path, elsewhere: Path) -> None:
    """A link to a device that never ends."""
    path.symlink_to("/dev/zero")


def nowhere(path: Path, elsewhere: Path) -> None:
    """A dangling link."""
    path.symlink_to(elsewhere / "nothing")


def circle(path: Path, elsewhere: Path) -> None:
    """A link to itself."""
    path.symlink_to(path)


Kind: TypeAlias = Callable[[Path, Path], None]

KINDS: tuple[Kind, ...] = (fifo, directory, link, endless, nowhere, circle)
