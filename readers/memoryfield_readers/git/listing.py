"""The entries of a field in a tree of git: what a checkout of it would be listed as."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..entry import Entry, EntryKind
from ..names import is_debris
from .links import follow
from .tree import Tree, TreeEntry

_MOST_DEPTH = 64
"""As deep as folders on disk are looked into."""


def field_entries(tree: Tree, target_of: Callable[[TreeEntry], str]) -> Iterator[Entry]:
    """Every entry of a field's folder; a folder is named only where it is not looked into.

    That is: a submodule (a checkout has an empty folder there), a folder that is debris, and one
    that lies too deep.

    Arguments:
        tree: the tree of the field's folder.
        target_of: the content of a link; see `follow`.
    """
    named: set[str] = set()
    for path, entry in tree.entries.items():
        folder = _not_entered(path)
        if folder:
            if folder.path not in named:
                named.add(folder.path)
                yield folder
        elif entry.is_file:
            yield Entry(path, EntryKind.FILE, entry.size)
        elif not entry.is_link:
            yield Entry(path, EntryKind.DIRECTORY)
        elif "/" in path:
            yield Entry(path, EntryKind.IRREGULAR, problem="a link")
        else:
            yield follow(path, tree, target_of)


def _not_entered(path: str) -> Entry | None:
    """The folder above a path that is not looked into, if there is one."""
    parts = path.split("/")
    for depth, part in enumerate(parts[:-1], start=1):
        if is_debris(part):
            return Entry("/".join(parts[:depth]), EntryKind.DIRECTORY)
        if depth > _MOST_DEPTH:
            problem = f"more than {_MOST_DEPTH} levels deep"
            return Entry("/".join(parts[:depth]), EntryKind.UNREADABLE, problem=problem)
    return None
