"""Refs, commits and trees of a git directory."""

from __future__ import annotations

import stat
from collections.abc import Iterator

from ..display import shown
from ..errors import LimitExceeded, NotFound, SourceUnavailable
from ..limits import Limits, raise_limit
from ..names import topmost_debris
from .command import GitDirectory, GitFailed, records_of
from .objects import is_object_id
from .tree import MOST_PATH_BYTES, TreeEntry, parse_record

_MIB = 1024 * 1024
_ENTRY_BYTES = 1024
"""What git says of an entry is a tenth of that, most often."""

_MOST_RECORD = MOST_PATH_BYTES * 4


def commit_of(place: GitDirectory, ref: str) -> str:
    """The whole id of the commit that a ref leads to; the ref was checked.

    Raises:
        NotFound: there is no such commit.
        SourceUnavailable: the ref is ambiguous, the repository cannot be read, or it has the ref
            and lacks the commit.
    """
    try:
        said = place.run("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")
    except GitFailed as error:
        words = error.words
        if "ambiguous" in words:
            raise place.unavailable(
                f"more than one object begins with {shown(ref)}", hint="write the whole commit id"
            ) from None
        is_other = "expected commit type" in words  # a tag of a tree, say
        if "Needed a single revision" not in words and not is_other:
            raise place.unavailable(f"the repository cannot be read: {words}") from None
        if not is_other and not is_object_id(ref) and _is_known(place, ref):
            raise not_whole(place, GitFailed(f"it lacks the commit of {shown(ref)}")) from None
        raise NotFound(
            f"there is no commit {shown(ref)} in the repository",
            location=place.location,
            hint="`git branch -a` and `git tag` in the repository list what there is",
        ) from None
    return _id(place, said)


def tree_id(place: GitDirectory, commit: str, path: str) -> str:
    """What names the tree of a folder in a commit; that of its root goes by the commit's id.

    Raises:
        NotFound: there is no such folder.
        SourceUnavailable: the repository is not whole.
    """
    if not path:
        return commit
    found = found_at(place, commit, path)
    if stat.S_ISDIR(found.mode):
        return found.object_id
    what = "a file" if found.is_file else "a link" if found.is_link else "a submodule"
    raise NotFound(
        f"{shown(path)} is {what} at this commit, no folder",
        location=place.location,
        hint="name a folder of the repository",
    )


def found_at(place: GitDirectory, commit: str, path: str) -> TreeEntry:
    """What is at a path in a commit.

    Raises:
        NotFound: there is nothing.
        SourceUnavailable: the repository is not whole.
    """
    try:
        said = place.run("ls-tree", "-z", "-l", "--full-tree", "--", commit, path)
    except GitFailed as error:
        raise not_whole(place, error) from None
    for record in said.split(b"\0")[:-1]:
        entry = parse_record(record, place.location)
        if entry.path == path:
            return entry
    raise NotFound(f"there is no {shown(path)} at this commit", location=place.location)


def tree_entries(place: GitDirectory, tree: str, limits: Limits) -> Iterator[TreeEntry]:
    """Files, links and submodules below a tree.

    What lies in a folder of debris is no entry, as in a folder on disk, where nobody looks into
    that; but all that git lists together has an end, too.

    Raises:
        LimitExceeded: there are more than the limits allow.
        SourceUnavailable: the repository is not whole.
    """
    count = size = 0
    with place.started("ls-tree", "-r", "-z", "-l", "--full-tree", tree) as running:
        try:
            for records in records_of(running, place, b"\0", _MOST_RECORD):
                for record in records:
                    entry = parse_record(record, place.location)
                    count += not (topmost_debris(entry.path) or "").endswith("/")
                    size += len(record)
                    if count > limits.entries or size > _MIB + limits.entries * _ENTRY_BYTES:
                        raise LimitExceeded(
                            f"more than {limits.entries} entries",
                            location=place.location,
                            hint=raise_limit("entries"),
                        )
                    yield entry
            place.finish(running)
        except GitFailed as error:
            raise not_whole(place, error) from None


def not_whole(place: GitDirectory, error: GitFailed) -> SourceUnavailable:
    """The error for objects that are missing or damaged."""
    return place.unavailable(
        f"the repository is not whole: {error.words}",
        hint="a clone that is partial, or borrows objects from another one, cannot be read",
    )


def _is_known(place: GitDirectory, ref: str) -> bool:
    """Whether a ref names an object, which may be missing."""
    try:
        place.run("rev-parse", "--verify", "--quiet", "--end-of-options", ref)
    except GitFailed:
        return False
    return True


def _id(place: GitDirectory, said: bytes) -> str:
    text = said.decode("utf-8", "replace").strip()
    if not is_object_id(text):
        raise place.unavailable("git answered what is no id of an object")
    return text
