"""What tells whether a field on this machine is still the one it was, without reading it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator

from memoryfield_readers import Limits, is_debris

_KIND = "stat:"


def is_of_this_disk(version: str | None) -> bool:
    """Whether a version was made from what this machine sees."""
    return version is not None and version.startswith(_KIND)


def version_of_file(status: os.stat_result) -> str:
    """The version of an archive, by its size, its times and its inode."""
    return _hashed([_mark(status)])


def version_of_folder(path: str, limits: Limits) -> str | None:
    """The version of a folder, by name, size, times and inode of all that lies in it.

    Debris is not entered, and no link is followed into a folder, as no reader does it.

    Arguments:
        path: the folder.
        limits: how many entries to look at.

    Returns:
        The version; None where it cannot be told, or there is more than the limits allow.
    """
    lines = []
    try:
        for line in _entries(path):
            lines.append(line)
            if len(lines) > limits.entries:
                return None
    except OSError:
        return None
    return _hashed(sorted(lines))


def _entries(path: str) -> Iterator[bytes]:
    folders = [""]
    while folders:
        folder = folders.pop()
        with os.scandir(os.path.join(path, folder)) as items:
            for item in items:
                name = os.path.join(folder, item.name)
                status = item.stat(follow_symlinks=False)
                is_part = not is_debris(item.name)
                yield os.fsencode(name) + b"\0" + _mark(status, is_part=is_part)
                if stat.S_ISDIR(status.st_mode) and is_part:
                    folders.append(name)
                elif stat.S_ISLNK(status.st_mode):
                    yield os.fsencode(name) + b"\0\0" + _led_to(os.path.join(path, name))


def _led_to(link: str) -> bytes:
    try:
        return os.fsencode(os.readlink(link)) + b"\0" + _mark(os.stat(link))
    except OSError:
        return b"nothing"


def _mark(status: os.stat_result, *, is_part: bool = True) -> bytes:
    kind = stat.S_IFMT(status.st_mode)
    size = 0 if stat.S_ISDIR(kind) else status.st_size  # some systems count a folder's entries
    # The time of the last change of any kind shows what was put back to its old time.
    times = f"{status.st_mtime_ns} {status.st_ctime_ns if is_part else 0}"
    return f"{kind} {size} {times} {status.st_ino}\n".encode()


def _hashed(lines: list[bytes]) -> str:
    return _KIND + hashlib.sha256(b"".join(lines)).hexdigest()
