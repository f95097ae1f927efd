"""Where the indexes of a field are: in it if it can be written, else in the cache.

In the cache they stand by what was indexed, and not by where it came from:

    <dir>/indexes/v1/<the field pin>/<the model code>.sqlite3
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memoryfield_readers import (
    Field,
    MemoryfieldError,
    NotFound,
    PinMismatch,
    SourceUnavailable,
    is_debris,
    is_side_file,
    local_path,
)
from memoryfield_readers.cache import Cache
from memoryfield_readers.disarmed_sqlite import Prepare

from .storage import Index, file_name, open_index, open_shipped
from .storage.schema import SUFFIX

FOLDER = ("indexes", "v1")
"""Below the folder of the cache."""


@dataclass(frozen=True, slots=True)
class Place:
    """An index of a field that can be opened.

    Attributes:
        field: the field.
        name: the file name of the index.
        path: where it is on this machine; None where the field ships it and travels otherwise.
        in_field: whether it is a part of the field.
    """

    field: Field
    name: str
    path: Path | None
    in_field: bool

    @property
    def shown(self) -> str:
        """Where it is, as messages show it."""
        return f"{self.field.location}: {self.name}" if self.path is None else str(self.path)

    def open(self, *, prepare: Prepare | None = None, functions: tuple[str, ...] = ()) -> Index:
        """Open it; see `open_index` for what may be given, and what it raises."""
        if self.path is None:
            return open_shipped(self.field, self.name, prepare=prepare, functions=functions)
        return open_index(self.path, prepare=prepare, functions=functions)


def place_for(field: Field, model: str) -> Path:
    """Where the index of a field is built: in the field, or in the cache where that cannot be.

    Arguments:
        field: the field.
        model: the full model code.

    Raises:
        IndexMismatch: no file can be named after the model.
        MemoryfieldError: the field cannot be written, and its pin not be had.
        SourceUnavailable: there is no folder for the cache.
    """
    name = file_name(model)
    folder = own_folder(field)
    if folder is not None and os.access(folder, os.W_OK | os.X_OK):
        return folder / name
    return cache_folder(field) / name


def indexes_of(field: Field, say: Callable[[str], None] | None = None) -> list[Place]:
    """The indexes of a field as it stands, those that it ships first; none was looked into.

    Those in the cache stand by the field pin. To know it, the field is read whole, unless it is
    locked, or there is no index at all in the cache. Where it has no pin that can be had, none is
    looked for there.

    Arguments:
        field: the field.
        say: is told if a field that is elsewhere has to be read whole.

    Raises:
        PinMismatch: the field is not what was pinned.
    """
    folder = own_folder(field)
    found = []
    for name in field.indexes:
        if not is_side_file(name):
            # What a link leads to is read through the field, which knows where it may lead.
            followed = folder is None or bool(field.entries[name].leads_to)
            path = None if folder is None or followed else folder / name
            found.append(Place(field, name, path, in_field=True))
    try:
        if os.listdir(Cache.default().path.joinpath(*FOLDER)):
            if say is not None and field.known_digest is None and not is_here(field):
                say(f"{field.location}: is read whole, as the cache may have its index by the pin")
            cached = cache_folder(field)
            found += [
                Place(field, name, cached / name, in_field=False)
                for name in sorted(os.listdir(cached))
                if name.endswith(SUFFIX) and not is_debris(name)
            ]
    except PinMismatch:
        raise
    except (MemoryfieldError, OSError):
        pass  # nothing was built for it
    return found


def cache_folder(field: Field) -> Path:
    """The folder of the cache in which the indexes of a field are, whether it is there or not.

    Raises:
        MemoryfieldError: the pin of the field cannot be had; as `Field.digest` raises.
        SourceUnavailable: there is no folder for the cache.
    """
    digest = field.known_digest or field.digest()
    cache = Cache.default()
    if cache.problem is not None:
        raise SourceUnavailable(f"the cache cannot be used: {cache.problem}")
    return cache.path.joinpath(*FOLDER, digest.partition(":")[2])


def is_here(field: Field) -> bool:
    """Whether a field is on this machine, where reading it whole asks nobody for anything."""
    return local_path(field.location) is not None


def own_folder(field: Field) -> Path | None:
    """The folder of this machine that a field is, and was listed from; None where it is none.

    A locked field is as it was locked, even if a folder of this machine has its files. Of what it
    tells, the times of its pages show the difference: a lock file holds none.
    """
    if field.archive_name is not None:
        return None
    path = local_path(field.location)
    if path is None or not path.is_dir():
        return None
    folder = path.resolve()
    try:
        return folder if all(_is_as_listed(field, folder, name) for name in field.pages) else None
    except OSError:
        return None


def _is_as_listed(field: Field, folder: Path, name: str) -> bool:
    entry = field.entries[name]
    if entry.leads_to:
        return True  # the time is that of the file that it leads to
    return entry.modified_ns == os.lstat(folder / name).st_mtime_ns


def make_folder(path: Path) -> None:
    """Make the folder of an index that is going to be built, if it is one of the cache.

    Raises:
        NotFound: it is another one, and is not there.
        SourceUnavailable: it cannot be made.
    """
    folder = path.parent
    cache = Cache.default()
    if not folder.is_dir() and cache.path not in folder.parents:
        raise NotFound("there is no such folder", location=str(folder))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SourceUnavailable(
            f"cannot be made: {(error.strerror or str(error)).lower()}", location=str(folder)
        ) from error
