"""One object of the cache: where it stands, and how it is opened and hashed."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import SourceUnavailable
from ..sources.links import kind_of
from ..system_errors import reason_of
from .damaged import DamagedObject
from .folders import Folder, folder_at

VERSION = "v1"
OBJECTS = (VERSION, "objects")
PARTIAL = (VERSION, "partial")
LOCKS = (VERSION, "locks")

FIRST = 2
"""So many digits of an object's name are that of its folder."""

PIECE_BYTES = 1024 * 1024

_SHA256 = re.compile(r"[0-9a-f]{64}")
_OF_THIS_PROCESS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""What says nothing of the file."""


def checked(sha256: str) -> str:
    """The name of an object, which is the SHA-256 of its bytes.

    Raises:
        ValueError: it is none; as a path, it could lead anywhere.
    """
    if _SHA256.fullmatch(sha256) is None:
        raise ValueError(f"{sha256!r} is no SHA-256 in 64 small hexadecimal digits")
    return sha256


def parts_of(sha256: str) -> tuple[tuple[str, ...], str]:
    """The folders and the name of an object, below the cache's folder."""
    return (*OBJECTS, sha256[:FIRST]), sha256[FIRST:]


def path_of(root: Path, sha256: str) -> Path:
    """The path of an object."""
    folders, name = parts_of(sha256)
    return root.joinpath(*folders, name)


@contextmanager
def opened(root: Path, sha256: str) -> Iterator[tuple[int, int] | None]:
    """A descriptor for an object and its size; None if it is not there. It is closed afterwards.

    Raises:
        DamagedObject: what stands there is no file that can be read.
        SourceUnavailable: this process can open nothing more.
        OSError: its folder cannot be opened.
    """
    folders, name = parts_of(sha256)
    try:
        with folder_at(root, *folders) as folder:
            descriptor = _opened_in(folder, name, sha256)
    except FileNotFoundError:
        descriptor = None
    if descriptor is None:
        yield None
        return
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            what = f"is {kind_of(status.st_mode)}, and no file"
            raise DamagedObject(path_of(root, sha256), sha256, what)
        yield descriptor, status.st_size
    finally:
        os.close(descriptor)


def _opened_in(folder: Folder, name: str, sha256: str) -> int:
    path = folder.path / name
    try:
        return folder.open(name)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in _OF_THIS_PROCESS:
            raise SourceUnavailable(reason_of(error), location=str(path)) from error
        raise DamagedObject(path, sha256, f"cannot be opened: {_reason(error)}") from error


def bytes_of(descriptor: int, size: int) -> tuple[bytes, str]:
    """The bytes of an open file up to a size, and their hash.

    Raises:
        OSError: it cannot be read.
    """
    pieces: list[bytes] = []
    digest = hashlib.sha256()
    missing = size
    while missing and (piece := os.read(descriptor, min(missing, PIECE_BYTES))):
        digest.update(piece)
        pieces.append(piece)
        missing -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces), digest.hexdigest()


def hash_of(descriptor: int) -> tuple[str, int]:
    """The hash of what an open file still holds, and how many bytes that is.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    size = 0
    while piece := os.read(descriptor, PIECE_BYTES):
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size


def other_content(path: Path, sha256: str, actual: str, size: int) -> DamagedObject:
    """What is said of an object that has another hash than its name says."""
    what = "is empty" if not size else f"has other bytes than its name says ({size} of them)"
    return DamagedObject(path, sha256, what, actual=actual, size=size)


def unreadable(path: Path, sha256: str, error: OSError) -> DamagedObject:
    """What is said of an object that the system does not read."""
    return DamagedObject(path, sha256, f"cannot be read: {reason_of(error)}")


def touch(descriptor: int, path: Path) -> None:
    """Note that an object is used, in its time of change; where that cannot be, it is not."""
    with suppress(OSError):  # it may not be ours
        os.utime(descriptor if os.utime in os.supports_fd else path)


def _reason(error: OSError) -> str:
    return "it is a link" if error.errno in (errno.ELOOP, errno.EMLINK) else reason_of(error)
