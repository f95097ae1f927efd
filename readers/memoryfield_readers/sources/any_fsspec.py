"""Whatever fsspec can reach, as a folder or an archive: one listing, then whole files or ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from ..display import shown
from ..entry import Entry, EntryKind
from ..errors import LimitExceeded, NotFound, SourceChanged, SourceUnavailable
from ..limits import Limits
from ..locations.values import FsspecLocation
from ..transfer.options import TransferOptions
from ..transfer.ranged import Tail
from ..transfer.sink import Sink
from .fsspec_calls import FsspecCalls
from .fsspec_infos import entry_of, marks_of, size_of
from .fsspec_listing import listed_below
from .plain_paths import is_plain

_AT_ONCE = 8
_PIECE_BYTES = 8 * 1024 * 1024
_UNPACKING = frozenset({"zip", "tar", "libarchive"})


class FsspecFolder:
    """A folder that fsspec reaches; see `Store`."""

    resolved: str | None = None

    def __init__(self, location: FsspecLocation, options: TransferOptions, limits: Limits) -> None:
        """Make the file system; raises as `FsspecCalls` does.

        A `*` in the last component of the path chooses among the files of the folder; `*` alone
        stands for all that is below it.
        """
        self._calls = FsspecCalls(location, options)
        self.at_once = _at_once(self._calls)
        self.notes = self._opened_notes()
        self._location = location
        self._limits = limits
        self._files: dict[str, tuple[str, int | None]] = {}
        folder, _, last = self._calls.root.rpartition("/")
        self._root, self._pattern = (
            (folder, last) if "*" in last else (self._calls.root.rstrip("/"), "*")
        )

    def listing(self) -> Sequence[Entry]:
        """Every file below the folder; see `Store.listing`."""
        try:
            found = listed_below(self._calls, self._root, self._limits.entries)
        except LimitExceeded as error:
            error.location = self._location.shown
            raise
        if not found.files and not found.folders:
            self._check_folder()
        entries = []
        left_out = []
        self._files.clear()
        for name, info in found.files.items():
            path = self._below_root(name)
            if not path:
                raise self._no_folder()
            if not is_plain(path):
                left_out.append(path)
            elif self._pattern == "*" or ("/" not in path and fnmatchcase(path, self._pattern)):
                entries.append(entry_of(path, info))
                self._files[path] = (name, size_of(info))
        for name, kind in found.folders.items():
            path = self._below_root(name)
            if is_plain(path) and self._pattern == "*":
                problem = "it may not be listed" if kind is EntryKind.UNREADABLE else ""
                entries.append(Entry(path, kind, problem=problem))
        if left_out:
            note = f"{len(left_out)} left out whose name is no path, such as {shown(left_out[0])}"
            self.notes = (*self._opened_notes(), note)
        return entries

    def save(self, entry: Entry, sink: Sink) -> Entry:
        """Put all bytes of a file into a sink; see `Store.save`."""
        if entry.path not in self._files or entry.kind is not EntryKind.FILE:
            raise NotFound("no such file", location=self._location.shown, entry=entry.path)
        name, size = self._files[entry.path]
        most = self._limits.file_bytes if size is None else min(size, self._limits.file_bytes)
        # One byte more than was listed tells a file that grew; a range of no bytes is none.
        limits = {} if size == 0 else {"start": 0, "end": most + 1}
        data: bytes = self._calls.call(
            lambda: bytes(self._calls.filesystem.cat_file(name, **limits)),
            size=most,
            path=name,
            entry=entry.path,
        )
        if size is not None and len(data) != size and size <= self._limits.file_bytes:
            raise SourceChanged(
                "has another size than was listed: it was replaced meanwhile",
                location=self._location.shown,
                entry=entry.path,
            )
        sink.restart()
        sink.write(data)
        return entry._replace(size=len(data))

    def save_many(self, entries: Sequence[Entry], sink: Callable[[Entry], Sink]) -> Iterator[Entry]:
        """Nothing: files are read one by one."""
        return iter(())

    def dated(self, entry: Entry) -> Entry:
        """The entry as it is: what the listing does not tell is not known."""
        return entry

    def close(self) -> None:
        """Let go of the file system."""
        self._calls.close()

    def _opened_notes(self) -> tuple[str, ...]:
        """What there is to say before anything is listed."""
        if _UNPACKING.isdisjoint(self._calls.protocols):
            return ()
        return (
            "an archive within the location is unpacked by fsspec: "
            "the checks of archives (MF601-MF607) are not made",
        )

    def _check_folder(self) -> None:
        """Raise if there is no folder where nothing was found."""
        if not self._root.strip("/"):
            return
        info = self._calls.call(lambda: self._calls.filesystem.info(self._root), path=self._root)
        if info.get("type") != "directory":
            raise self._no_folder()

    def _below_root(self, name: str) -> str:
        """The path of a file below the folder; what lies elsewhere keeps a slash in front."""
        bare, root = name.lstrip("/"), self._root.strip("/")
        if not root:
            return bare
        if bare.rstrip("/") == root:
            return ""
        return bare.removeprefix(f"{root}/") if bare.startswith(f"{root}/") else f"/{bare}"

    def _no_folder(self) -> SourceUnavailable:
        return SourceUnavailable("is a file, not a folder", location=self._location.shown)


class FsspecObject:
    """An archive that fsspec reaches; see `RangedObject`."""

    resolved: str | None = None
    notes: tuple[str, ...] = ()

    def __init__(self, location: FsspecLocation, options: TransferOptions) -> None:
        """Make the file system; raises as `FsspecCalls` does."""
        self._calls = FsspecCalls(location, options)
        self.came_from: str | None = None
        self.at_once = _at_once(self._calls)
        self._location = location
        self._marks: tuple[tuple[str, str], ...] = ()

    def tail(self, most: int, whole: Sink) -> Tail:
        """The end of the file; see `RangedObject.tail`. Where no size is told, all of it comes."""
        info = self._info()
        if info.get("type", "file") != "file":
            raise SourceUnavailable("is no file", location=self._location.shown)
        self._marks = marks_of(info)
        size = size_of(info)
        if size is None:
            return Tail(self._take_all(whole), b"", whole=True)
        if size == 0:
            return Tail(0, b"", whole=True)
        return Tail(size, self._range(max(0, size - most), size))

    def save(self, start: int, end: int, sink: Sink) -> None:
        """Put a range into a sink, if it is still the same file; see `RangedObject.save`."""
        data = self._range(start, end)
        sink.restart()
        sink.write(data)

    def close(self) -> None:
        """Let go of the file system."""
        self._calls.close()

    def _range(self, start: int, end: int) -> bytes:
        data = self._bytes(start, end)
        # Only what is the same before and after is known to be of one version.
        if marks_of(self._info()) != self._marks:
            raise SourceChanged("was replaced while it was read", location=self._location.shown)
        if len(data) != end - start:
            raise SourceUnavailable(
                "gives another number of bytes than it was asked for",
                location=self._location.shown,
            )
        return data

    def _take_all(self, sink: Sink) -> int:
        sink.restart()
        taken = 0
        while True:
            piece = self._bytes(taken, taken + _PIECE_BYTES)
            sink.write(piece)
            taken += len(piece)
            if len(piece) != _PIECE_BYTES:
                break
        if marks_of(self._info()) != self._marks:
            raise SourceChanged("was replaced while it was read", location=self._location.shown)
        return taken

    def _bytes(self, start: int, end: int) -> bytes:
        calls = self._calls
        return calls.call(
            lambda: bytes(calls.filesystem.cat_file(calls.root, start=start, end=end)),
            size=end - start,
            path=calls.root,
        )

    def _info(self) -> Mapping[str, Any]:
        calls = self._calls

        def work() -> Mapping[str, Any]:
            calls.filesystem.invalidate_cache()
            info: Mapping[str, Any] = calls.filesystem.info(calls.root)
            return info

        return calls.call(work, path=calls.root)


def _at_once(calls: FsspecCalls) -> int:
    """Threads share a file system only where it is made for many requests."""
    return _AT_ONCE if calls.filesystem.async_impl else 1
