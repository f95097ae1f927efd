"""Making room in the cache: what was not used for longest goes first."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ..system_errors import reason_of
from .claims import unclaimed
from .folders import folder_at
from .objects import OBJECTS, PARTIAL, parts_of
from .process import OfThisProcess
from .scanning import Found, beginnings, is_draft, objects, unfinished

_DAY = 24 * 60 * 60 * 10**9
_DRAFT_AGE = 1 * _DAY
_DOWNLOAD_AGE = 7 * _DAY


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was removed.

    Attributes:
        objects: how many objects.
        unfinished: how many files of downloads and blobs that were not finished.
        bytes: how many bytes all these had.
        left: how many bytes of objects are left.
        problem: why something could not be removed; None if all could.
    """

    objects: int = 0
    unfinished: int = 0
    bytes: int = 0
    left: int = 0
    problem: str | None = None

    def __add__(self, other: Pruned) -> Pruned:
        """What was removed from two caches together."""
        return Pruned(
            self.objects + other.objects,
            self.unfinished + other.unfinished,
            self.bytes + other.bytes,
            self.left + other.left,
            self.problem or other.problem,
        )


class _Tally:
    """Counts what is removed, and goes on where something cannot be."""

    def __init__(self) -> None:
        self.objects = self.unfinished = self.bytes = 0
        self.problem: str | None = None

    @contextmanager
    def attempt(self, what: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            pass  # others clear up, too
        except OSError as error:
            self.problem = self.problem or f"{what}: {reason_of(error)}"

    def pruned(self, left: int) -> Pruned:
        return Pruned(self.objects, self.unfinished, self.bytes, left, self.problem)


def prune(root: Path, most: int, down_to: int, process: OfThisProcess) -> Pruned:
    """If there is more than so much, remove objects; and what was left unfinished long ago.

    Arguments:
        root: the cache's folder.
        most: how many bytes of objects are enough.
        down_to: how many to leave if there are more.
        process: tells what this process has used, which stays.

    Raises:
        OSError: a folder cannot be listed.
    """
    tally = _Tally()
    _remove_stale(root, tally)
    total = sum(found.size for found in objects(root) if found is not None)
    if total <= most:
        return tally.pruned(total)
    # Only now is it worth to remember them all.
    oldest_first = sorted((found.used, found.name, found.size) for found in objects(root) if found)
    total = sum(size for _, _, size in oldest_first)
    for used, sha256, size in oldest_first:
        if total <= down_to:
            break
        folders, name = parts_of(sha256)
        with tally.attempt(sha256), folder_at(root, *folders) as folder:
            if not size or folder.status(name).st_mtime_ns > used:
                continue  # it takes no room, or somebody has just used it
            if process.unless_used(sha256, lambda at=folder, it=name: at.remove(it)):  # type: ignore[misc]
                tally.objects += 1
                tally.bytes += size
                total -= size
    return tally.pruned(total)


def clear(root: Path) -> Pruned:
    """Remove every object and all that is unfinished; what the cache did not make stays.

    Raises:
        OSError: a folder cannot be listed.
    """
    tally = _Tally()
    left = 0
    for found in list(unfinished(root)):
        if found is not None:
            _remove_unfinished(root, found, tally)
    for found in objects(root):
        if found is None:
            continue
        folders, name = parts_of(found.name)
        left += found.size
        with tally.attempt(found.name), folder_at(root, *folders) as folder:
            folder.remove(name)
            tally.objects += 1
            tally.bytes += found.size
            left -= found.size
    for beginning in beginnings(root):
        if beginning is not None:
            _remove_empty(root, beginning)
    return tally.pruned(left)


def _remove_stale(root: Path, tally: _Tally) -> None:
    groups: dict[str, list[Found]] = defaultdict(list)
    for found in unfinished(root):
        if found is not None:
            groups[found.group].append(found)
    now = time.time_ns()
    for files in groups.values():
        age = _DRAFT_AGE if is_draft(files[0].name) else _DOWNLOAD_AGE
        if now - max(found.used for found in files) > age:
            for found in files:
                _remove_unfinished(root, found, tally)


def _remove_unfinished(root: Path, found: Found, tally: _Tally) -> None:
    with (
        tally.attempt(found.name),
        folder_at(root, *PARTIAL) as folder,
        unclaimed(folder, found.name) as free,
    ):
        if not free:
            return
        folder.remove(found.name)
        tally.unfinished += 1
        tally.bytes += found.size


def _remove_empty(root: Path, beginning: str) -> None:
    with suppress(OSError), folder_at(root, *OBJECTS) as folder:
        folder.remove_folder(beginning)  # it may hold something else, or something new
