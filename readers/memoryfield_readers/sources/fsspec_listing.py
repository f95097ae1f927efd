"""What lies below a folder of fsspec; a folder that cannot be listed is never left out silently."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from ..entry import EntryKind
from ..errors import AccessDenied, LimitExceeded, NotFound, SourceChanged
from ..limits import raise_limit
from ..names import is_debris
from .fsspec_calls import FsspecCalls
from .plain_paths import is_plain

Info: TypeAlias = Mapping[str, Any]

_MOST_DEPTH = 64


class Below(NamedTuple):
    """What a listing gave, by the names that the file system uses.

    Attributes:
        files: what is no folder, with all that is told of it.
        folders: the folders that were not entered: debris, and what may not be listed.
    """

    files: Mapping[str, Info]
    folders: Mapping[str, EntryKind]


def listed_below(calls: FsspecCalls, root: str, most: int) -> Below:
    """Everything below a folder; empty where nothing is found, even if there is no folder.

    Raises:
        LimitExceeded: it is more than so many entries.
        MemoryfieldError: it cannot be listed, or a part of it cannot, for another reason than that
            this is forbidden.
    """
    if _walks(type(calls.filesystem)):
        return _walked(calls, root, most)
    found: Mapping[str, Info] = calls.call(
        lambda: calls.filesystem.find(root, detail=True), path=root
    )
    _check(len(found), most)
    return Below(found, {})


def _walks(kind: Any) -> bool:
    """Whether `find` of a file system is fsspec's own, which leaves out what it cannot list."""
    from fsspec.asyn import AsyncFileSystem  # type: ignore[import-untyped]
    from fsspec.spec import AbstractFileSystem  # type: ignore[import-untyped]

    if issubclass(kind, AsyncFileSystem):
        return kind._find is AsyncFileSystem._find and kind._walk is AsyncFileSystem._walk
    own = AbstractFileSystem
    return bool(kind.find is own.find and kind.walk is own.walk)


def _walked(calls: FsspecCalls, root: str, most: int) -> Below:
    files: dict[str, Info] = {}
    folders: dict[str, EntryKind] = {}
    seen = 0
    ahead = [(root, 0)]
    while ahead:
        folder, depth = ahead.pop()
        try:
            infos = calls.call(partial(calls.filesystem.ls, folder, detail=True), path=folder)
        except AccessDenied:
            if not depth:
                raise
            folders[folder] = EntryKind.UNREADABLE
            continue
        except NotFound as error:
            if not depth:
                raise
            raise SourceChanged(
                "a folder went away while it was listed", location=error.location
            ) from None
        seen += len(infos)
        _check(seen, most)
        for info in infos:
            name = str(info["name"])
            bare = name.rstrip("/")
            is_folder = info.get("type") == "directory" and not info.get("islink")
            if not is_folder or not _is_within(root, bare):  # what leads out is never entered
                files[name] = info
            elif bare.strip("/") == folder.strip("/"):
                continue  # some list a folder within itself
            elif depth >= _MOST_DEPTH:
                folders[bare] = EntryKind.UNREADABLE
            elif is_debris(bare.rpartition("/")[2]):
                folders[bare] = EntryKind.DIRECTORY
            else:
                ahead.append((bare, depth + 1))
    return Below(files, folders)


def _is_within(root: str, folder: str) -> bool:
    """Whether the name of a folder says that it is the root, or below it."""
    start, name = root.strip("/"), folder.strip("/")
    if name == start:
        return True
    return name.startswith(f"{start}/" if start else "") and is_plain(name[len(start) :].strip("/"))


def _check(count: int, most: int) -> None:
    if count > most:
        raise LimitExceeded(f"more than {most} entries", hint=raise_limit("entries"))
