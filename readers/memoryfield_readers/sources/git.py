"""A folder of a git repository as a store, and an archive in one; nothing is checked out.

Files are as the repository keeps them: line ends are not converted, and LFS pointers stay pointers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from threading import Lock

from ..display import shown
from ..entry import Entry, EntryKind
from ..errors import LimitExceeded, MemoryfieldError, NotFound
from ..git.commits import found_at, tree_entries, tree_id
from ..git.contents import AT_A_TIME, Contents
from ..git.dates import last_changes
from ..git.listing import field_entries
from ..git.opened import OpenedCommit
from ..git.tree import TreeEntry, tree_of
from ..http.parts import Cut
from ..journal import FOLDER, JOURNAL, PACKED_HALF_WAY
from ..limits import Limits, raise_limit
from ..locations.values import GitLocation
from ..transfer.options import TransferOptions
from ..transfer.ranged import Tail
from ..transfer.sink import MemorySink, Sink

_FETCH_FACTOR = 4
"""How many times the bytes of a field are fetched at most: a commit has more in it than a field."""

_GIVEN_UP_AFTER = 3
"""When so many groups of files in a row could not be had, no other one is asked for."""


class GitFolder:
    """A folder of a commit; see `Store`."""

    at_once = 1  # one stream gives all contents

    def __init__(self, location: GitLocation, options: TransferOptions, limits: Limits) -> None:
        """Find the commit, and fetch it if it is elsewhere; raises as `OpenedCommit`."""
        self._location = location
        self._limits = limits
        self._commit = OpenedCommit(location, options, _FETCH_FACTOR * limits.total_bytes)
        self._contents = Contents(self._commit.place)
        self._blobs: dict[str, TreeEntry] = {}  # by the path of the entry that leads to it
        self._targets: dict[str, str] = {}  # of links, by the id of their object
        self._dates: dict[str, int] | None = None
        self._dating = Lock()
        self.resolved: str | None = self._commit.resolved
        self.notes: tuple[str, ...] = ()

    def listing(self) -> tuple[Entry, ...]:
        """Every file of the folder; see `Store.listing`.

        Raises:
            NotFound: the commit has no such folder.
            LimitExceeded: there are more entries than the limits allow.
            SourceUnavailable: the repository is not whole.
        """
        place = self._commit.place
        root = tree_id(place, self._commit.commit, self._location.path)
        tree = tree_of(tree_entries(place, root, self._limits))
        is_half_way = f"{FOLDER}/{JOURNAL}" in tree.entries
        self.notes = (*tree.notes, PACKED_HALF_WAY) if is_half_way else tree.notes
        entries = tuple(field_entries(tree, self._target))
        self._targets.clear()
        self._blobs = {
            entry.path: tree.entries[entry.leads_to or entry.path]
            for entry in entries
            if entry.kind is EntryKind.FILE
        }
        return entries

    def save(self, entry: Entry, sink: Sink) -> Entry:
        """Put all bytes of a file into a sink; see `Store.save`."""
        blob = self._blobs.get(entry.path)
        if blob is None:
            raise NotFound("no such file", location=self._location.shown, entry=entry.path)
        if blob.size > self._limits.file_bytes:
            raise LimitExceeded(
                f"{blob.size} bytes, over the limit of {self._limits.file_bytes}",
                location=self._location.shown,
                entry=entry.path,
                hint=raise_limit("file-bytes"),
            )
        self._contents.save([(blob, sink)])
        return entry

    def save_many(self, entries: Sequence[Entry], sink: Callable[[Entry], Sink]) -> Iterator[Entry]:
        """Put many files into their sinks; see `Store.save_many`."""
        wanted = [
            (entry, self._blobs[entry.path])
            for entry in entries
            if entry.path in self._blobs and self._blobs[entry.path].size <= self._limits.file_bytes
        ]
        in_a_row = 0
        for start in range(0, len(wanted), AT_A_TIME):
            some = wanted[start : start + AT_A_TIME]
            try:
                self._contents.save([(blob, sink(entry)) for entry, blob in some])
            except MemoryfieldError:
                # Asked for one by one, each of them gets the error that is its own.
                in_a_row += 1
                if in_a_row == _GIVEN_UP_AFTER:
                    return  # each may have taken the whole time-out
                continue
            in_a_row = 0
            yield from (entry for entry, _ in some)

    def dated(self, entry: Entry) -> Entry:
        """The entry with the committer date of the last commit that touched it.

        Of a link that is followed: that touched the file it leads to.
        """
        with self._dating:
            if self._dates is None:
                self._commit.fetch_history()
                paths = {blob.path for blob in self._blobs.values()}
                self._dates, note = last_changes(
                    self._commit.place, self._commit.commit, self._location.path, paths
                )
                if note:
                    self.notes = (*self.notes, note)
        return entry._replace(modified_ns=self._dates.get(entry.leads_to or entry.path))

    def close(self) -> None:
        """End git, and remove what is temporary."""
        self._contents.close()
        self._commit.close()

    def _target(self, link: TreeEntry) -> str:
        """What a link says; it is short, and one that many lead through is read once."""
        target = self._targets.get(link.object_id)
        if target is None:
            sink = MemorySink(link.size)
            self._contents.save([(link, sink)])
            target = self._targets[link.object_id] = sink.data.decode("utf-8", "surrogateescape")
        return target


class GitBlob:
    """An archive in a commit, which comes as a whole; see `RangedObject`."""

    at_once = 1
    came_from: str | None = None

    def __init__(self, location: GitLocation, options: TransferOptions, limits: Limits) -> None:
        """Find the commit and the archive in it.

        Raises:
            NotFound: the commit has no such file.
            MemoryfieldError: as `OpenedCommit`.
        """
        self._commit = OpenedCommit(location, options, _FETCH_FACTOR * limits.total_bytes)
        self._contents = Contents(self._commit.place)
        self.resolved: str | None = self._commit.resolved
        self.notes: tuple[str, ...] = ()
        with ExitStack() as undo:
            undo.callback(self.close)
            self._blob = found_at(self._commit.place, self._commit.commit, location.path)
            if not self._blob.is_file:
                raise NotFound(
                    f"{shown(location.path)} is no file at this commit", location=location.shown
                )
            undo.pop_all()

    def tail(self, most: int, whole: Sink) -> Tail:
        """Put the whole archive into `whole`: a blob has no ranges; see `RangedObject.tail`."""
        self._contents.save([(self._blob, whole)])
        return Tail(self._blob.size, b"", whole=True)

    def save(self, start: int, end: int, sink: Sink) -> None:
        """Put a range into a sink; see `RangedObject.save`."""
        self._contents.save([(self._blob, Cut(sink, start, end, self._blob.size))])

    def close(self) -> None:
        """End git, and remove what is temporary."""
        self._contents.close()
        self._commit.close()
