"""Symbolic links in a tree of git: followed exactly as a checkout's are (MF105)."""

from __future__ import annotations

import os
from collections.abc import Callable

from ..entry import Entry, EntryKind
from ..sources.links import NotFollowed, follow_link
from .tree import FOLDER_MODE, Tree, TreeEntry

MOST_TARGET_BYTES = 4096
"""No system makes a link with a longer target."""


def follow(name: str, tree: Tree, target_of: Callable[[TreeEntry], str]) -> Entry:
    """The entry for a link at the root of the field: what it leads to, if that stays inside.

    Arguments:
        name: the link.
        tree: the tree of the field's folder.
        target_of: the content of a link, decoded as UTF-8 with surrogateescape; called only for
            links of at most `MOST_TARGET_BYTES` bytes.

    Raises:
        MemoryfieldError: what `target_of` raises.
    """
    try:
        # What is asked of a folder on disk is answered from the tree, so that both are judged by
        # the same code.
        parts, status = follow_link(_TreeFolder(tree, target_of), name)
    except NotFollowed as error:
        return Entry(name, EntryKind.IRREGULAR, problem=str(error))
    return Entry(name, EntryKind.FILE, status.st_size, leads_to="/".join(parts))


class _TreeFolder:
    """A tree that answers what a folder on disk is asked while a link is followed."""

    def __init__(self, tree: Tree, target_of: Callable[[TreeEntry], str]) -> None:
        self._tree = tree
        self._target_of = target_of

    def lstat(self, path: str) -> os.stat_result:
        """Mode and size of a path."""
        entry = self._tree.at(path)
        if entry is None:
            raise FileNotFoundError(path)
        mode = FOLDER_MODE if entry.is_folder else entry.mode
        return os.stat_result((mode, 0, 0, 1, 0, 0, entry.size, 0, 0, 0))

    def readlink(self, path: str) -> str:
        """The target of a link; what cannot be one on disk leads nowhere."""
        entry = self._tree.entries[path]
        if not 0 < entry.size <= MOST_TARGET_BYTES:
            raise NotFollowed("a link to nowhere")
        target = self._target_of(entry)
        if "\0" in target:
            raise NotFollowed("a link to nowhere")
        return target
