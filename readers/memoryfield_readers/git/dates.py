"""When files last changed in a history: in one walk, and as `git log -1 -- FILE` would say it.

From a commit each file is followed to the first parent that has it unchanged; the commit none of
whose parents has it so is the one that last touched it. A merge that takes one side as it is does
not count, nor does what was done on the other side.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterator
from contextlib import closing
from tempfile import TemporaryFile
from typing import BinaryIO, NamedTuple, cast

from .command import GitDirectory, GitFailed, records_of
from .commits import not_whole

MOST_COMMITS = 1_000_000
"""What did not change in so many commits has no date."""

MOST_CHANGES = 100_000_000
"""Nobody waits for a history that changes more paths than these, however fast they come."""

_COMMIT = re.compile(rb"(-?[0-9]{1,20}) ([0-9a-f]{40,64})((?: [0-9a-f]{40,64})*)\n")
_MOST_RECORD = 1024 * 1024
_MOST_SHALLOW = 16 * 1024 * 1024
_NANOSECONDS = 1_000_000_000


class LastChanges(NamedTuple):
    """What a history tells of files.

    Attributes:
        dates: nanoseconds since 1970 of the last commits that touched files, by their paths.
        note: why the other files have no date; "" if there are none, or they are in no commit.
    """

    dates: dict[str, int]
    note: str


class _Commit(NamedTuple):
    seconds: int
    name: bytes
    parents: tuple[bytes, ...]


def last_changes(
    place: GitDirectory, commit: str, folder: str, paths: Collection[str]
) -> LastChanges:
    """When files last changed.

    A file that has not changed since a shallow clone begins has none.

    Arguments:
        place: the git directory.
        commit: the commit to begin at.
        folder: the folder of the field, "" for the root of the repository.
        paths: the files, relative to the folder.

    Raises:
        SourceUnavailable: the history is not there, or takes too long.
    """
    prefix = f"{folder}/" if folder else ""
    files = {_encoded(prefix + path) for path in paths}
    try:
        with (
            TemporaryFile(prefix="memoryfield-git-") as history,
            TemporaryFile(prefix="memoryfield-git-") as pairs,
        ):
            _write_history(place, commit, cast(BinaryIO, history), cast(BinaryIO, pairs))
            history.seek(0)
            pairs.seek(0)
            with closing(_changes(place, cast(BinaryIO, pairs), folder, files)) as changes:
                commits = _read_history(place, cast(BinaryIO, history))
                beginnings = _beginnings(place)
                found, cut_at = _walk(commits, changes, commit.encode(), files, beginnings)
    except GitFailed as error:
        raise not_whole(place, error) from None
    dated = {
        path.decode("utf-8", "surrogateescape")[len(prefix) :]: seconds * _NANOSECONDS
        for path, seconds in found.items()
    }
    return LastChanges(dated, "" if cut_at is None else _note(cut_at))


def _note(cut_at: list[str]) -> str:
    """Why files have no date: the commits at which those without one were left."""
    if not cut_at:
        return f"dates of what changed more than {MOST_COMMITS} commits ago are not known"
    more = f" and {len(cut_at) - 1} more" if len(cut_at) > 1 else ""
    return (
        f"the history of this repository is cut off at commit {cut_at[0]}{more}: dates before "
        "that are not known (`git fetch --unshallow` in it fetches the rest)"
    )


def _encoded(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _walk(
    commits: Iterator[_Commit],
    changes: Iterator[set[bytes]],
    first: bytes,
    files: set[bytes],
    beginnings: frozenset[bytes],
) -> tuple[dict[bytes, int], list[str] | None]:
    """Seconds since 1970 by file; commits come before their parents, each with its changes.

    And where the other files were left: the commits at which the history is cut off, none of them
    if it was too long; None if there are no such files.
    """
    found: dict[bytes, int] = {}
    cut_at: list[str] = []
    waiting = {first: files}
    for commit in commits:
        here = waiting.pop(commit.name, set())
        for parent in commit.parents:
            changed = next(changes)
            if here:
                same = here - changed if changed else here
                here = here & changed
                _add(waiting, parent, same)
        if commit.name not in beginnings:
            found |= dict.fromkeys(here, commit.seconds)
        elif here:
            cut_at.append(commit.name.decode("ascii"))
        if not waiting:
            break
    return found, cut_at if cut_at or waiting else None


def _add(waiting: dict[bytes, set[bytes]], commit: bytes, files: set[bytes]) -> None:
    """Let files wait at a commit for its turn; most often none wait there yet."""
    if not files:
        return
    there = waiting.get(commit)
    if there is None:
        waiting[commit] = files
    else:
        waiting[commit] = there | files


def _write_history(place: GitDirectory, commit: str, history: BinaryIO, pairs: BinaryIO) -> None:
    """Write the commits of a history, children first, and each of them with each of its parents."""
    with place.started(
        "rev-list", "--topo-order", "--parents", "--timestamp", f"--max-count={MOST_COMMITS}",
        commit, "--",
    ) as running:  # fmt: skip
        for lines in records_of(running, place, b"\n", _MOST_RECORD):
            for line in lines:
                each = _commit(place, line + b"\n")
                history.write(line + b"\n")
                pairs.writelines(b"%b %b\n" % (each.name, parent) for parent in each.parents)
        place.finish(running)


def _read_history(place: GitDirectory, history: BinaryIO) -> Iterator[_Commit]:
    for line in history:
        yield _commit(place, line)


def _commit(place: GitDirectory, line: bytes) -> _Commit:
    match = _COMMIT.fullmatch(line)
    if match is None:
        raise place.unavailable("git told of a commit in words that are none of its own")
    return _Commit(int(match[1]), match[2], tuple(match[3].split()))


def _changes(
    place: GitDirectory, pairs: BinaryIO, folder: str, files: set[bytes]
) -> Generator[set[bytes], None, None]:
    """Which of the files changed between each commit and parent, came or went."""
    only = ("--", folder) if folder else ()
    with place.started(
        "diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--always",
        *only, stdin=pairs,
    ) as running:  # fmt: skip
        changed: set[bytes] | None = None
        is_path = False
        count = 0
        for tokens in records_of(running, place, b"\0", _MOST_RECORD):
            count += len(tokens) // 2
            if count > MOST_CHANGES:
                raise place.unavailable("the history changes more paths than are looked at")
            for token in tokens:
                if is_path and changed is not None:
                    if token in files:
                        changed.add(token)
                    is_path = False
                elif token.startswith(b":"):
                    is_path = True
                else:
                    if changed is not None:
                        yield changed
                    changed = set()
        place.finish(running)
        if changed is not None:
            yield changed


def _beginnings(place: GitDirectory) -> frozenset[bytes]:
    """The commits at which a shallow clone begins: what they changed is not known."""
    try:
        with open(place.folder / "shallow", "rb") as file:
            return frozenset(file.read(_MOST_SHALLOW).split())
    except FileNotFoundError:
        return frozenset()
