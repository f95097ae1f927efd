"""The tree of a commit, or of a folder in it: whole, or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..display import shown
from ..errors import LimitExceeded, NotFound
from ..git.objects import is_object_id
from ..git.tree import FOLDER_MODE, SUBMODULE_MODE, TreeEntry
from ..limits import raise_limit
from .answers import number_of, text_of
from .api import GitHubApi

_MODE = re.compile(r"[0-7]{5,6}")
_NO_CHARACTER = re.compile("[\ud800-\udfff]")  # JSON can name halves of pairs, which are none
_MOST_DEPTH = 64
_BYTES_OF_ENTRY = 512
_LEAST_BYTES = 12 * 1024 * 1024
"""More than GitHub lists in one answer; what is longer is taken for cut off."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a commit.

    Attributes:
        entries: everything below it, by paths relative to it.
        whole_bytes: the bytes of all files of the whole commit; None where that is not known.
        whole_count: how many entries the whole commit has; 0 where that is not known.
    """

    entries: tuple[TreeEntry, ...]
    whole_bytes: int | None
    whole_count: int


def folder_of(api: GitHubApi, tree: str, path: str, most: int) -> Folder:
    """A folder of a commit with everything below it.

    One request, which lists the whole commit. Where that is cut off, one for each folder on the way
    and one for the folder itself.

    Arguments:
        api: the repository.
        tree: the id of the commit's tree.
        path: the folder; empty for the root.
        most: how many entries a field has at most.

    Raises:
        NotFound: there is no such folder.
        SourceUnavailable: GitHub does not list it whole.
        LimitExceeded: the answer is longer than that of so many entries.
    """
    entries = _listed(api, tree, recursive=True, most=most)
    if entries is not None:
        return Folder(
            _below(api, entries, path),
            sum(entry.size for entry in entries),
            len(entries),
        )
    if not path:
        raise _too_large(api, most)
    tree = _tree_at(api, tree, path.split("/"), path, most)
    entries = _listed(api, tree, recursive=True, most=most)
    if entries is None:
        raise _too_large(api, most)
    return Folder(tuple(entries), None, 0)


def file_of(api: GitHubApi, tree: str, path: str, most: int) -> TreeEntry:
    """A file of a commit; one request for each folder on the way, and one for the root.

    Raises:
        NotFound: there is no such file.
    """
    *folders, name = path.split("/")
    tree = _tree_at(api, tree, folders, path, most)
    return _entry_at(api, tree, name, path, most, folder=False)


def _tree_at(api: GitHubApi, tree: str, folders: Sequence[str], path: str, most: int) -> str:
    """The id of the tree that folders lead to, one within the other; a request for each."""
    if len(folders) > _MOST_DEPTH:
        raise LimitExceeded(
            f"{shown(path)} is more than {_MOST_DEPTH} levels deep", location=api.location
        )
    for name in folders:
        tree = _entry_at(api, tree, name, path, most, folder=True).object_id
    return tree


def _entry_at(
    api: GitHubApi, tree: str, name: str, path: str, most: int, *, folder: bool
) -> TreeEntry:
    """What a tree has under a name, if it is of the kind that is wanted."""
    entries = _listed(api, tree, recursive=False, most=most)
    if entries is None:
        raise _too_large(api, most)
    found = next((entry for entry in entries if entry.path == name), None)
    if found and (found.mode == FOLDER_MODE if folder else found.is_file):
        return found
    raise _absent(api, path, found)


def _below(api: GitHubApi, entries: list[TreeEntry], path: str) -> tuple[TreeEntry, ...]:
    """The entries below a folder, by paths relative to it."""
    if not path:
        return tuple(entries)
    start = f"{path}/"
    here = next((entry for entry in entries if entry.path == path), None)
    if here is None or here.mode != FOLDER_MODE:
        raise _absent(api, path, here)
    return tuple(
        entry._replace(path=entry.path.removeprefix(start))
        for entry in entries
        if entry.path.startswith(start)
    )


def _absent(api: GitHubApi, path: str, found: TreeEntry | None) -> NotFound:
    what = "not in the commit"
    if found is not None:
        what = "a file" if found.is_file else "a link" if found.is_link else "a folder"
        what = "a submodule, another repository" if found.mode == SUBMODULE_MODE else what
        what = f"there as {what}"
    return NotFound(f"{shown(path)} is {what}", location=api.location)


def _listed(api: GitHubApi, tree: str, *, recursive: bool, most: int) -> list[TreeEntry] | None:
    """What a tree holds; None if GitHub cut the list off, or it is longer than is taken."""
    try:
        answer = api.ask(
            f"/git/trees/{tree}",
            "recursive=1" if recursive else "",
            what=f"the tree {tree}",
            most=max(_LEAST_BYTES, most * _BYTES_OF_ENTRY),
        )
    except LimitExceeded:
        return None
    listed = answer.get("tree") if isinstance(answer, dict) else None
    if not isinstance(listed, list) or not isinstance(answer.get("truncated"), bool):
        raise api.misled("it is no tree")
    if answer["truncated"]:
        return None
    return [_entry(api, item) for item in listed]


def _entry(api: GitHubApi, item: Any) -> TreeEntry:
    path, mode, object_id = text_of(item, "path"), text_of(item, "mode"), text_of(item, "sha")
    if not (_MODE.fullmatch(mode) and is_object_id(object_id)) or _NO_CHARACTER.search(path):
        raise api.misled("it has what is no entry of a tree")
    entry = TreeEntry(path, int(mode, 8), object_id)
    if not (entry.is_file or entry.is_link):
        return entry
    size = number_of(item, "size")
    if size is None:
        raise api.misled("it does not say how long a file is")
    return entry._replace(size=size)


def _too_large(api: GitHubApi, most: int) -> LimitExceeded:
    return LimitExceeded(
        f"GitHub cuts the list of files off, or it is of far more than {most} entries",
        location=api.location,
        hint=f"name a smaller folder, use git+https, or {raise_limit('entries')}",
    )
