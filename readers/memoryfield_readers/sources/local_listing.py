"""What a folder holds, listed so that no batch is seen half done (MF906).

A listing takes a while, and files may get other names meanwhile. So it counts only if nothing
moved: the folder's own time is the same before and after, and, as times are coarse, long past; or
a second look finds the same files, and no batch counted between the two. While one counts, its
journal says what the folder is.
"""

from __future__ import annotations

import os
import stat
import time
from typing import NamedTuple, TypeAlias

from ..entry import Entry, EntryKind, entries_in_order
from ..errors import LimitExceeded, SourceChanged
from ..journal import FOLDER
from ..limits import Limits, raise_limit
from ..system_errors import reason_of
from .links import Links, NotFollowed, follow_link, kind_of
from .pending import Moving, OverlaidLinks, Overlay, journal_data, overlay_of
from .rooted import RootedFolder

_CARRIER_FOLDERS = frozenset({".git"})
"""What a repository keeps beside the field it carries: neither part of the field nor debris."""

_COARSE_NS = 2_000_000_000  # file systems exist whose times are whole seconds, even ones
_MOST_TRIES = 60
_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.05

Mark: TypeAlias = tuple[int, int, int]
"""What tells a file from one in its place: inode, bytes, nanoseconds of its last change."""


class Listing(NamedTuple):
    """A folder at one moment.

    Attributes:
        entries: what it holds, in order.
        marks: what tells its files from others, by the path at which each stands.
        links: of each followed link the path to which it leads, by components.
        stamp: what tells whether names in the folder changed since.
        overlay: what a batch under way makes of it, which the entries show already; None for none.
    """

    entries: tuple[Entry, ...]
    marks: dict[str, Mark]
    links: dict[str, tuple[str, ...]]
    stamp: Mark
    overlay: Overlay | None


def list_root(root: RootedFolder, limits: Limits, location: str) -> Listing:
    """The root of a field, as it is at one moment.

    Raises:
        OSError: it cannot be listed.
        LimitExceeded: it has too many entries.
        SourceChanged: it changes all the time.
        SourceUnavailable: a batch was left off there, and what it makes of the folder is not known.
    """
    pause = _FIRST_PAUSE
    for _ in range(_MOST_TRIES):
        try:
            listing = _tried(root, limits, location)
        except Moving:
            listing = None
        if listing is not None:
            return listing
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)
    raise SourceChanged(
        "changes so often that it cannot be listed",
        location=location,
        hint="try again when the program that writes to it is done",
    )


def check_count(count: int, limits: Limits, location: str) -> None:
    """See that so many entries are no more than the limit (MF607).

    Raises:
        LimitExceeded: they are.
    """
    if count > limits.entries:
        raise LimitExceeded(
            f"more than {limits.entries} entries", location=location, hint=raise_limit("entries")
        )


def stamp_of(root: RootedFolder) -> Mark:
    """What is another once a name in the folder came, went or was given to another file."""
    status = root.status()
    return status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def mark_of(status: os.stat_result) -> Mark:
    """What tells a file from one in its place."""
    return status.st_ino, status.st_size, status.st_mtime_ns


def is_same_file(listed: Mark, now: Mark) -> bool:
    """Whether a file can be the one that was listed, also where listings know no inodes."""
    return listed == now or (not listed[0] and listed[1:] == now[1:])


def _tried(root: RootedFolder, limits: Limits, location: str) -> Listing | None:
    """The root, if nothing moved meanwhile."""
    stamp = stamp_of(root)
    listing, inodes = _looked(root, stamp, None, limits, location)
    if FOLDER not in inodes and not _is_young(stamp) and stamp_of(root) == stamp:
        return listing  # no batch began or ended: each makes a folder here, and removes it
    data = journal_data(root, location)
    if data is None:
        return listing if _is_as_before(root, listing, inodes) else None
    overlay = overlay_of(root, data, limits, location)
    listing, _ = _looked(root, stamp, overlay, limits, location)
    return listing if journal_data(root, location) == data else None


def _is_young(stamp: Mark) -> bool:
    """Whether a change could still go unnoticed, as the folder's time need not be another."""
    return time.time_ns() - max(stamp[1:]) < _COARSE_NS


def _is_as_before(root: RootedFolder, listing: Listing, inodes: dict[str, int]) -> bool:
    """Whether a second look finds the same files under the same names.

    What comes in a file's place has another inode. That is what folders themselves say, so that no
    file has to be looked at again; one that changed where it stands is noticed when it is read.
    """
    if {item.name: item.inode() for item in root.scan("")} != inodes:
        return False
    for name, parts in listing.links.items():
        try:
            parts_now, target = follow_link(root, name)
        except (NotFollowed, OSError):
            return False
        if parts_now != parts or target.st_ino != listing.marks["/".join(parts)][0]:
            return False
    return True


def _looked(
    root: RootedFolder, stamp: Mark, overlay: Overlay | None, limits: Limits, location: str
) -> tuple[Listing, dict[str, int]]:
    """One look at the root; and the inodes of all names, as the folder has them."""
    inodes: dict[str, int] = {}
    marks: dict[str, Mark] = {}
    links: dict[str, tuple[str, ...]] = {}
    found: list[Entry] = []
    over, most = overlay or _NOTHING, limits.entries
    view: Links = root if overlay is None else OverlaidLinks(root, overlay)
    for item in root.scan(""):
        name = item.name
        inodes[name] = item.inode()
        if name in _CARRIER_FOLDERS:
            continue
        if overlay is not None and (name in over.coming or name in over.going):
            continue
        try:
            status = item.stat(follow_symlinks=False)
            mode = status.st_mode
            if stat.S_ISREG(mode):  # as nearly all are: this is what a large field waits for
                size, modified_ns = status.st_size, status.st_mtime_ns
                marks[name] = (status.st_ino, size, modified_ns)
                entry = Entry(name, EntryKind.FILE, size, modified_ns)
            elif stat.S_ISLNK(mode):
                entry = _followed(view, name, marks, links, over)
            else:
                entry = _entry(status, name)
        except OSError as error:
            entry = _unexamined(item, name, reason_of(error))
        found.append(entry)
        if len(found) > most:
            check_count(len(found), limits, location)
    found += _coming_to("", over)
    check_count(len(found), limits, location)
    return Listing(tuple(entries_in_order(found)), marks, links, stamp, overlay), inodes


def list_folder(
    root: RootedFolder, folder: str, overlay: Overlay | None, limits: Limits, location: str
) -> list[Entry]:
    """What lies in a sub-directory, in order; no link is followed there.

    Raises:
        OSError: it cannot be listed.
        LimitExceeded: it has too many entries.
    """
    over = overlay or _NOTHING
    found: list[Entry] = []
    for item in root.scan(folder):
        path = f"{folder}/{item.name}"
        if path in over.coming or path in over.going:
            continue
        try:
            found.append(_entry(item.stat(follow_symlinks=False), path))
        except OSError as error:
            found.append(_unexamined(item, path, reason_of(error)))
        check_count(len(found), limits, location)
    found += _coming_to(folder, over)
    return entries_in_order(found)


def _entry(status: os.stat_result, path: str) -> Entry:
    """The entry for what is no link that is followed."""
    mode = status.st_mode
    if stat.S_ISREG(mode):
        return Entry(path, EntryKind.FILE, status.st_size, status.st_mtime_ns)
    if stat.S_ISDIR(mode):
        return Entry(path, EntryKind.DIRECTORY, 0, status.st_mtime_ns)
    return Entry(path, EntryKind.IRREGULAR, 0, status.st_mtime_ns, kind_of(mode))


def _followed(
    view: Links,
    name: str,
    marks: dict[str, Mark],
    links: dict[str, tuple[str, ...]],
    over: Overlay,
) -> Entry:
    """The entry for a symbolic link at the root: what it leads to, if that stays inside."""
    try:
        parts, status = follow_link(view, name)
    except NotFollowed as error:
        return Entry(name, EntryKind.IRREGULAR, problem=str(error))
    path = "/".join(parts)
    links[name] = parts
    if (coming := over.coming.get(path)) is not None:
        size, modified_ns = coming.size, coming.modified_ns
    else:
        marks[path] = mark_of(status)
        size, modified_ns = status.st_size, status.st_mtime_ns
    return Entry(name, EntryKind.FILE, size, modified_ns, leads_to=path)


def _coming_to(folder: str, over: Overlay) -> list[Entry]:
    """The entries for what a batch puts into a folder."""
    return [
        Entry(path, EntryKind.FILE, coming.size, coming.modified_ns)
        for path, coming in over.coming.items()
        if path.rpartition("/")[0] == folder
    ]


def _unexamined(item: os.DirEntry[str], path: str, reason: str) -> Entry:
    """An entry of a directory that may be listed but not entered: its kind, if the listing has it.

    A file among them is a file that cannot be read, and reading it will say so.
    """
    try:
        if item.is_file(follow_symlinks=False):
            return Entry(path, EntryKind.FILE)
        if item.is_dir(follow_symlinks=False):
            return Entry(path, EntryKind.DIRECTORY)
    except OSError:
        pass  # the listing does not say
    return Entry(path, EntryKind.UNREADABLE, problem=reason)


_NOTHING = Overlay(b"", {}, frozenset())
