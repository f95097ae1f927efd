"""Symbolic links in a directory: followed by their text, as long as that stays inside (MF105)."""

from __future__ import annotations

import os
import stat
from typing import Protocol

MOST_LINKS = 40
MOST_STEPS = 100

_LEAVES = "a link that leaves the field's folder"
_NOWHERE = "a link to nowhere"


class NotFollowed(Exception):
    """A link does not lead to a regular file inside the root; the text ends "NAME is …"."""


class Links(Protocol):
    """What can say what stands at a path, and where a link leads: a folder, or a tree."""

    def lstat(self, path: str) -> os.stat_result:
        """Mode and size of what stands at a path, not of what a link leads to.

        Raises:
            OSError: nothing stands there, or it cannot be looked at.
        """
        ...

    def readlink(self, path: str) -> str:
        """The target of a link."""
        ...


def follow_link(root: Links, name: str) -> tuple[tuple[str, ...], os.stat_result]:
    """The components of the path to which a link at the root leads, and the status of the file.

    Links are read one component at a time; an absolute target leaves the root, and so does one
    that climbs above it, also where it would come back.

    Raises:
        NotFollowed: the link leads elsewhere, in a circle, or to nothing that could be read.
        OSError: a component cannot be looked at.
    """
    done: list[str] = []
    waiting = [name]
    links = 0
    for _ in range(MOST_STEPS):
        if not waiting:
            break
        part = waiting.pop()
        if part in ("", ".", ".."):
            if done and not stat.S_ISDIR(root.lstat("/".join(done)).st_mode):
                raise NotFollowed(_NOWHERE)
            if part == ".." and not done:
                raise NotFollowed(_LEAVES)
            if part == "..":
                done.pop()
            continue
        here = "/".join((*done, part))
        try:
            status = root.lstat(here)
        except (FileNotFoundError, NotADirectoryError):
            raise NotFollowed(_NOWHERE) from None
        if not stat.S_ISLNK(status.st_mode):
            done.append(part)
            continue
        links += 1
        if links > MOST_LINKS:
            raise NotFollowed("a link that leads in a circle")
        target = root.readlink(here)
        if os.path.isabs(target):
            raise NotFollowed(_LEAVES)
        waiting.extend(reversed(target.replace(os.sep, "/").split("/")))
    if waiting:
        raise NotFollowed(f"a link that takes more than {MOST_STEPS} steps to follow")
    return tuple(done), _status_of_file(root, done)


def kind_of(mode: int) -> str:
    """What something is that is no regular file, by the mode of its status."""
    for test, name in (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a FIFO (named pipe)"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a character device"),
        (stat.S_ISBLK, "a block device"),
        (stat.S_ISLNK, "a link"),
    ):
        if test(mode):
            return name
    return "no regular file"


def _status_of_file(root: Links, done: list[str]) -> os.stat_result:
    if not done:
        raise NotFollowed("a link to a folder")
    if done[0] == ".git":
        raise NotFollowed("a link into .git, which is no part of the field")
    status = root.lstat("/".join(done))
    if not stat.S_ISREG(status.st_mode):
        raise NotFollowed(f"a link to {kind_of(status.st_mode)}")
    return status
