"""Many fields: which ones a command line means, and how they are checked side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from memoryfield_readers import LocationError, NotFound, is_debris, local_path

from .checked import STDIN, Checked
from .checking import Request, check

MANY = 64
"""From so many fields on, starting processes is worth its time."""

_WILD = frozenset("*?[")
_ZIP = ".zip"


def expand(locations: Iterable[str], *, each: bool = False) -> tuple[str, ...]:
    """The locations of single fields that locations stand for, in a stable order.

    A pattern (`*`, `?`, `[…]`, `**`) that no file has for its name stands for the folders and the
    ZIP archives that it matches; where it matches none it stands for itself, so that opening it
    says that it does not exist.

    Arguments:
        locations: as they were given.
        each: whether each location is a folder of fields: then it stands for its sub-folders and
            its ZIP archives, those aside that are debris.

    Raises:
        LocationError: with `each`, a location is no folder.
        NotFound: with `each`, a folder does not exist or has no field in it.
    """
    expanded = [one for location in locations for one in _matching(location)]
    if each:
        expanded = [one for folder in expanded for one in _fields_in(folder)]
    return tuple(dict.fromkeys(expanded))


def _matching(location: str) -> Sequence[str]:
    if not _WILD & set(location) or os.path.lexists(location):
        return [location]
    import glob

    found = [each for each in glob.glob(location, recursive=True) if _may_be_field(Path(each))]
    return sorted(found, key=os.fsencode) or [location]


def _fields_in(folder: str) -> Sequence[str]:
    if folder and local_path(folder) is None:
        raise LocationError("is not on this machine, where folders of fields are", location=folder)
    path = Path(folder)
    if not folder or not path.exists():
        raise NotFound("does not exist", location=folder or "''")
    if not path.is_dir():
        raise LocationError(
            "is no folder of fields", location=folder, hint="leave out --each to check one field"
        )
    found = sorted(filter(_may_be_field, path.iterdir()), key=os.fsencode)
    if not found:
        raise NotFound("has no field in it: no folder and no ZIP archive", location=folder)
    return [os.path.join(folder, field.name) for field in found]


def _may_be_field(path: Path) -> bool:
    if is_debris(path.name):
        return False
    return path.is_dir() or path.name.lower().endswith(_ZIP)


def check_all(
    locations: Sequence[str], request: Request, *, jobs: int | None = None
) -> Iterator[Checked]:
    """Check many fields, several at a time; what came of them is handed on in their order.

    Arguments:
        locations: where the fields are; "-" is not among them.
        request: what is asked of each.
        jobs: how many processes to use; None for one a processor from `MANY` fields on.

    Raises:
        SourceUnavailable: one of the processes was ended from outside, as systems short of memory
            do it.
    """
    workers = _jobs(len(locations), jobs)
    work = partial(check, request=request)
    if workers == 1 or len(locations) < 2 or STDIN in locations:
        yield from map(work, locations)
        return
    from .processes import side_by_side

    yield from side_by_side(work, locations, workers)


def _jobs(fields: int, wanted: int | None) -> int:
    if wanted is not None:
        return wanted
    if fields < MANY:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
