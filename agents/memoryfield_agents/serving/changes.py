"""Whether what a field was read from has changed since: folders and archives on this machine."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryfield_readers import Limits, is_debris, local_path

from ..fields import Request

_SETTLED_SECONDS = 2.0
"""Some file systems keep times as coarse as this: two changes may bear the same one."""

Look = tuple[tuple[str, int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a place looked like.

    Attributes:
        look: name, kind, size, time and number of each file; None where it could not be seen.
        settled: whether a change after this look must show in the next one.
    """

    look: Look | None
    settled: bool

    def same_as(self, later: Seen) -> bool:
        """Whether nothing can have changed between two looks."""
        return self.settled and self.look is not None and self.look == later.look


def places_of(requests: Sequence[Request]) -> tuple[Path | None, ...]:
    """Where on this machine fields are; None for one that is elsewhere, or of a lock file."""
    return tuple(_place(request.location) for request in requests)


def _place(location: str) -> Path | None:
    if location.startswith("@"):
        return None
    path = local_path(location)
    return None if path is None else path.absolute()


def seen(path: Path, limits: Limits) -> Seen:
    """Look at a folder or a file; nothing in it is opened, and no link in it is followed.

    Arguments:
        path: the folder or the archive.
        limits: how many entries are looked at.
    """
    try:
        top = path.stat()
        rows = [("", *_numbers(top))]
        if stat.S_ISDIR(top.st_mode):
            with os.scandir(path) as entries:
                for entry in entries:
                    if len(rows) > limits.entries:
                        break
                    if not is_debris(entry.name):
                        rows.append((entry.name, *_numbers(entry.stat(follow_symlinks=False))))
    except OSError:
        return Seen(None, settled=False)
    newest = max(row[3] for row in rows) / 1e9
    settled = abs(time.time() - newest) > _SETTLED_SECONDS
    return Seen(tuple(sorted(rows)), settled)


def _numbers(found: os.stat_result) -> tuple[int, int, int, int]:
    return found.st_mode, found.st_size, found.st_mtime_ns, found.st_ino
