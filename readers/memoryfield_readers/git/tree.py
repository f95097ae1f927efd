"""The tree of a commit: what git and GitHub list, and what of it a checkout would hold."""

from __future__ import annotations

import re
import stat
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..display import shown
from ..errors import SourceUnavailable
from ..sources.plain_paths import is_plain

FOLDER_MODE = 0o040000
SUBMODULE_MODE = 0o160000

MOST_PATH_BYTES = 4096
"""No system has files with longer paths, so that no checkout has one."""

_RECORD = re.compile(
    rb"([0-7]{5,7}) (?:blob|commit|tree) ([0-9a-f]{40}|[0-9a-f]{64}) +([0-9]{1,18}|-|BAD)\t(.+)",
    re.DOTALL,
)


class TreeEntry(NamedTuple):
    """One path of a tree.

    Attributes:
        path: relative to the field's folder, with `/` between components.
        mode: what git keeps of it: 0o100644, 0o100755, 0o120000 (a link), 0o160000 (a submodule),
            0o040000 (a folder).
        object_id: the name of its object in hexadecimal digits; empty for a folder.
        size: bytes of a blob; 0 for what is none.
    """

    path: str
    mode: int
    object_id: str = ""
    size: int = 0

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link, whose content is its target."""
        return stat.S_ISLNK(self.mode)

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return stat.S_ISREG(self.mode)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder in a checkout; that of a submodule is an empty one."""
        return not (self.is_file or self.is_link)


@dataclass(frozen=True, slots=True)
class Tree:
    """What of a tree can be in a checkout.

    Attributes:
        entries: by path: files, links and submodules.
        left_out: how many paths no checkout can hold, or only in place of another.
        example: one of them; all together they may be longer than anyone can keep.
    """

    entries: Mapping[str, TreeEntry]
    left_out: int
    example: str
    _sorted: Sequence[str]

    def at(self, path: str) -> TreeEntry | None:
        """What is under a path; folders are there if something is in them."""
        entry = self.entries.get(path)
        if entry is None and _has_below(self._sorted, path):
            return TreeEntry(path, FOLDER_MODE)
        return entry

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of what was left out."""
        if not self.left_out:
            return ()
        count = self.left_out
        what = "1 path that is" if count == 1 else f"{count} paths that are"
        return (f"left out {what} unsafe or ambiguous, such as {shown(self.example)}",)


def parse_record(record: bytes, location: str) -> TreeEntry:
    """One record of `git ls-tree -z -l`, without the NUL at its end.

    Raises:
        SourceUnavailable: it is none, or the object that it names is missing or damaged.
    """
    match = _RECORD.fullmatch(record)
    if match is None:
        raise SourceUnavailable("git listed what is no entry of a tree", location=location)
    mode, object_id, size, path = match.groups()
    name = path.decode("utf-8", "surrogateescape")
    if size == b"BAD":
        raise SourceUnavailable(
            "the repository lacks the contents of this file, or has them damaged",
            location=location,
            entry=name,
            hint="fetch the commit into the repository whole: a partial clone is not enough",
        )
    return TreeEntry(
        name, int(mode, 8), object_id.decode("ascii"), 0 if size == b"-" else int(size)
    )


def tree_of(listed: Iterable[TreeEntry]) -> Tree:
    """The tree that these entries make; those of folders may be among them or not.

    A path is left out if a checkout could not hold it (MF603), or if there are two things under
    it, as only a forged tree has.
    """
    entries: dict[str, TreeEntry] = {}
    left_out = 0
    example = ""
    twice: set[str] = set()
    for entry in listed:
        if stat.S_ISDIR(entry.mode):
            continue  # folders are implied by what is in them: an empty one is in no checkout
        if not is_safe_path(entry.path):
            left_out += 1
            example = example or entry.path
        elif entry.path in entries:
            twice.add(entry.path)
        else:
            entries[entry.path] = entry
    paths = sorted(entries)
    twice.update(path for path in paths if _has_below(paths, path))
    for path in twice:
        del entries[path]
    # What is below a file that is left out stays: it is in a checkout that made the folder.
    example = example or min(twice, default="")
    return Tree(entries, left_out + len(twice), example, sorted(entries))


def is_safe_path(path: str) -> bool:
    """Whether a path of a tree stays below its root on every system, and out of `.git`."""
    if len(path) > MOST_PATH_BYTES or not is_plain(path):
        return False
    return all(part.lower() != ".git" for part in path.split("/"))


def _has_below(paths: Sequence[str], folder: str) -> bool:
    """Whether sorted paths have one in a folder; they are too many, and too long, for a set."""
    prefix = f"{folder}/"
    place = bisect_left(paths, prefix)
    return place < len(paths) and paths[place].startswith(prefix)
