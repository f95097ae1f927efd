"""A directory on this machine as a source."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from ..entry import Entry, EntryKind
from ..errors import Fault, LimitExceeded, NotFound, PageError, SourceChanged
from ..journal import FOLDER
from ..limits import Limits, raise_limit
from ..names import is_debris
from ..source import Source
from ..system_errors import error_of, reason_of
from .local_listing import (
    Listing,
    Mark,
    check_count,
    is_same_file,
    list_folder,
    list_root,
    mark_of,
    stamp_of,
)
from .pending import CHUNK_BYTES, Coming, digest_of
from .rooted import RootedFolder
from .subfolder import SubfolderSource

_MOST_DEPTH = 64
"""Levels of sub-directories that are looked into: opening one costs a call a level."""

_NO_REGULAR_FILE = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR, errno.ENXIO)
"""What opening a link, something below one, or a socket fails with."""


class LocalSource(Source):
    """A directory as a source; nothing outside of it is ever read."""

    archive_name: str | None = None
    faults: tuple[Fault, ...] = ()

    def __init__(self, path: Path, location: str, limits: Limits) -> None:
        """Open a directory and list its root.

        Raises:
            NotFound: it does not exist.
            AccessDenied: it may not be listed.
            SourceChanged: it changes all the time.
            SourceUnavailable: it cannot be opened for another reason, or a batch was left off in
                it that cannot be finished.
        """
        self.location = location
        self.name = path.resolve().name
        self._limits = limits
        self._listing = Listing((), {}, {}, (0, 0, 0), None)
        try:
            self._root = RootedFolder(path)
        except OSError as error:
            raise error_of(error, location=location) from error
        with ExitStack() as undo:
            undo.callback(self.close)
            try:
                self._listing = list_root(self._root, limits, location)
            except LimitExceeded as error:
                self.faults = (Fault("MF607", error.message, hint=error.hint),)
            except OSError as error:
                raise error_of(error, location=location) from error
            undo.pop_all()

    def root(self) -> tuple[Entry, ...]:
        """The entries at the root, as they were when the directory was opened."""
        return self._listing.entries

    def nested(self) -> Iterator[Entry]:
        """What lies in sub-directories; see `Source.nested`. No link is followed there."""
        root = self._listing.entries
        count = len(root)
        folders = [entry.path for entry in root if entry.kind is EntryKind.DIRECTORY]
        while folders:
            folder = folders.pop()
            if is_debris(folder.rpartition("/")[2]):
                if "/" in folder:
                    yield Entry(folder, EntryKind.DIRECTORY)
                continue
            if folder.count("/") >= _MOST_DEPTH:
                problem = f"more than {_MOST_DEPTH} levels deep"
                yield Entry(folder, EntryKind.UNREADABLE, problem=problem)
                continue
            try:
                entries = self._nested(folder)
            except OSError as error:
                yield Entry(folder, EntryKind.UNREADABLE, problem=reason_of(error))
                continue
            count += len(entries)
            check_count(count, self._limits, self.location)
            folders += [entry.path for entry in entries if entry.kind is EntryKind.DIRECTORY]
            yield from (entry for entry in entries if entry.kind is not EntryKind.DIRECTORY)

    def read(self, entry: Entry, most: int) -> bytes:
        """All bytes of a file; see `Source.read`."""
        descriptor, size = self._open(entry)
        try:
            if size > most:
                raise self._too_large(entry, size, most)
            # One byte more than announced tells a file that grew from one that did not.
            data = os.read(descriptor, size + 1)
            while len(data) <= most:
                more = os.read(descriptor, CHUNK_BYTES)
                if not more:
                    return data
                data += more
            raise self._too_large(entry, len(data), most)
        except OSError as error:
            raise error_of(error, location=self.location, entry=entry.path) from error
        finally:
            os.close(descriptor)

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        """The bytes of a file in pieces; see `Source.chunks`."""
        descriptor, _ = self._open(entry)
        taken = 0
        try:
            while chunk := os.read(descriptor, CHUNK_BYTES):
                taken += len(chunk)
                if taken > self._limits.file_bytes:
                    raise self._too_large(entry, taken, self._limits.file_bytes)
                yield chunk
        except OSError as error:
            raise error_of(error, location=self.location, entry=entry.path) from error
        finally:
            os.close(descriptor)

    def within(self, folder: str) -> Source:
        """A sub-directory as a source; see `Source.within`."""
        return SubfolderSource(self, folder)

    def archive_digest(self) -> None:
        """None: a directory is no archive."""
        return

    def close(self) -> None:
        """Close the directory."""
        self._root.close()

    def _nested(self, folder: str) -> list[Entry]:
        overlay = self._listing.overlay
        return list_folder(self._root, folder, overlay, self._limits, self.location)

    def _open(self, entry: Entry) -> tuple[int, int]:
        """A descriptor for a listed file, and its size in bytes."""
        path, listing = entry.path, self._listing
        parts = listing.links.get(path) or (tuple(path.split("/")) if "/" in path else (path,))
        place = parts[0] if len(parts) == 1 else "/".join(parts)
        if listing.overlay is not None and (coming := listing.overlay.coming.get(place)):
            return self._open_coming(entry, parts, coming)
        descriptor, status = self._opened(entry, parts)
        listed = listing.marks.get(place)
        if listed and not is_same_file(listed, mark_of(status)):
            try:
                replaced = self._was_replaced(parts, listed, mark_of(status))
            except OSError as error:
                os.close(descriptor)
                raise error_of(error, location=self.location, entry=path) from error
            if replaced:
                os.close(descriptor)
                raise self._changed(entry)
        return descriptor, status.st_size

    def _opened(self, entry: Entry, parts: tuple[str, ...]) -> tuple[int, os.stat_result]:
        """A descriptor for a regular file, and its status; no link is followed."""
        descriptor = -1
        try:
            descriptor = self._root.open_file(parts)
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode):
                return descriptor, status
        except OSError as error:
            if error.errno in _NO_REGULAR_FILE:
                raise self._replaced(entry) from error
            raise error_of(error, location=self.location, entry=entry.path) from error
        os.close(descriptor)
        raise self._replaced(entry)

    def _open_coming(self, entry: Entry, parts: tuple[str, ...], coming: Coming) -> tuple[int, int]:
        """A file that a batch puts in its place: from where it is prepared, or there already."""
        for place in ((FOLDER, coming.staged), parts):
            try:
                descriptor, status = self._opened(entry, place)
            except (NotFound, PageError):
                continue
            try:
                if digest_of(descriptor, self._limits.file_bytes) == coming.sha256:
                    return descriptor, status.st_size
            except OSError as error:
                os.close(descriptor)
                raise error_of(error, location=self.location, entry=entry.path) from error
            os.close(descriptor)
        raise self._changed(
            entry, "if that does not help, run `memoryfield recover` on the folder: a batch was "
            "under way there when it was listed"
        )  # fmt: skip

    def _was_replaced(self, parts: tuple[str, ...], listed: Mark, now: Mark) -> bool:
        """Whether a file that is another than the one listed may be of another state of the field.

        One that was edited where it stands, in a folder that did not change, is read as it is now:
        no batch does that.
        """
        if stamp_of(self._root) != self._listing.stamp:
            return True
        # At the root an edit keeps the inode, also where the folder's time is too coarse to tell.
        return len(parts) == 1 and 0 != listed[0] != now[0] and listed[1:] != now[1:]

    def _too_large(self, entry: Entry, size: int, most: int) -> LimitExceeded:
        return LimitExceeded(
            f"{size} bytes, over the limit of {most}",
            location=self.location,
            entry=entry.path,
            hint=raise_limit("file-bytes"),
        )

    def _changed(self, entry: Entry, more: str = "") -> SourceChanged:
        return SourceChanged(
            "changed after the folder was listed, and so did the folder",
            location=self.location,
            entry=entry.path,
            hint="read it again" + (f"; {more}" if more else ""),
        )

    def _replaced(self, entry: Entry) -> PageError:
        return PageError(
            "is no longer the regular file it was when the folder was listed",
            location=self.location,
            entry=entry.path,
        )
