"""Folders, where a listing has paths alone: an archive's, a bucket's, a tree's."""

from __future__ import annotations

from collections.abc import Sequence

from ..entry import Entry, EntryKind, entries_in_order
from ..names import topmost_debris


def with_folders(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries at the root, in order, with the folders that the paths of others imply."""
    root: list[Entry] = []
    deeper: list[Entry] = []
    for entry in entries:
        (root if "/" not in entry.path else deeper).append(entry)
    known = {entry.path for entry in root}
    for entry in deeper:
        top = entry.path.partition("/")[0]
        if top not in known:
            known.add(top)
            root.append(Entry(top, EntryKind.DIRECTORY, 0, entry.modified_ns))
    return tuple(entries_in_order(root))


def nested_files(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """What lies in sub-directories: all but the folders that are no debris themselves."""
    return tuple(entry for entry in entries if "/" in entry.path and _is_told(entry))


def _is_told(entry: Entry) -> bool:
    """Whether something in a sub-directory is named: an empty folder of debris is debris too."""
    return entry.kind is not EntryKind.DIRECTORY or topmost_debris(f"{entry.path}/") is not None
