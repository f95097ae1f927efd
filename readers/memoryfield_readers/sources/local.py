"""A directory on this machine as a source."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ..entry import Entry, EntryKind, path_key
from ..errors import Fault, LimitExceeded, PageError
from ..limits import Limits, raise_limit
from ..names import is_debris
from ..source import Source
from ..system_errors import error_of, reason_of
from .links import NotFollowed, follow_link, kind_of
from .rooted import RootedFolder

_CHUNK_BYTES = 256 * 1024
_MOST_DEPTH = 64
"""Levels of sub-directories that are looked into: opening one costs a call a level."""

_NO_REGULAR_FILE = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR, errno.ENXIO)
"""What opening a link, something below one, or a socket fails with."""

_CARRIER_FOLDERS = frozenset({".git"})
"""What a repository keeps beside the field it carries: neither part of the field nor debris."""


class LocalSource(Source):
    """A directory as a source; nothing outside of it is ever read."""

    archive_name: str | None = None
    faults: tuple[Fault, ...] = ()

    def __init__(self, path: Path, location: str, limits: Limits) -> None:
        """Open a directory and list its root.

        Raises:
            NotFound: it does not exist.
            AccessDenied: it may not be listed.
            SourceUnavailable: it cannot be opened for another reason.
        """
        self.location = location
        self.name = path.resolve().name
        self._limits = limits
        self._links: dict[str, tuple[str, ...]] = {}  # a followed link's name -> its target's path
        self._listing: tuple[Entry, ...] = ()
        try:
            self._root = RootedFolder(path)
        except OSError as error:
            raise error_of(error, location=location) from error
        try:
            self._listing = self._list("")
        except OSError as error:
            self.close()
            raise error_of(error, location=location) from error
        except LimitExceeded as error:
            self.faults = (Fault("MF607", error.message, hint=error.hint),)

    def root(self) -> tuple[Entry, ...]:
        """The entries at the root, as they were when the directory was opened."""
        return self._listing

    def nested(self) -> Iterator[Entry]:
        """What lies in sub-directories; see `Source.nested`. No link is followed there."""
        count = len(self._listing)
        folders = [entry.path for entry in self._listing if entry.kind is EntryKind.DIRECTORY]
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
                entries = self._list(folder)
            except OSError as error:
                yield Entry(folder, EntryKind.UNREADABLE, problem=reason_of(error))
                continue
            count += len(entries)
            self._check_count(count)
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
                more = os.read(descriptor, _CHUNK_BYTES)
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
            while chunk := os.read(descriptor, _CHUNK_BYTES):
                taken += len(chunk)
                if taken > self._limits.file_bytes:
                    raise self._too_large(entry, taken, self._limits.file_bytes)
                yield chunk
        except OSError as error:
            raise error_of(error, location=self.location, entry=entry.path) from error
        finally:
            os.close(descriptor)

    def archive_digest(self) -> None:
        """None: a directory is no archive."""
        return

    def close(self) -> None:
        """Close the directory."""
        self._root.close()

    def _list(self, folder: str) -> tuple[Entry, ...]:
        found: list[Entry] = []
        prefix = f"{folder}/" if folder else ""
        for item in self._root.scan(folder):
            if not folder and item.name in _CARRIER_FOLDERS:
                continue
            found.append(self._entry(item, prefix + item.name))
            self._check_count(len(found))
        found.sort(key=path_key)
        return tuple(found)

    def _entry(self, item: os.DirEntry[str], path: str) -> Entry:
        try:
            status = item.stat(follow_symlinks=False)
            mode = status.st_mode
            if stat.S_ISREG(mode):
                return Entry(path, EntryKind.FILE, status.st_size, status.st_mtime_ns)
            if stat.S_ISDIR(mode):
                return Entry(path, EntryKind.DIRECTORY, 0, status.st_mtime_ns)
            if stat.S_ISLNK(mode) and "/" not in path:
                return self._followed(path)
            return Entry(path, EntryKind.IRREGULAR, 0, status.st_mtime_ns, kind_of(mode))
        except OSError as error:
            return _unexamined(item, path, reason_of(error))

    def _followed(self, name: str) -> Entry:
        """The entry for a symbolic link at the root: what it leads to, if that stays inside."""
        try:
            parts, status = follow_link(self._root, name)
        except NotFollowed as error:
            return Entry(name, EntryKind.IRREGULAR, problem=str(error))
        self._links[name] = parts
        return Entry(
            name,
            EntryKind.FILE,
            status.st_size,
            status.st_mtime_ns,
            leads_to="/".join(parts),
        )

    def _open(self, entry: Entry) -> tuple[int, int]:
        """A descriptor for a listed file, and its size in bytes."""
        path = entry.path
        parts = self._links.get(path) or (tuple(path.split("/")) if "/" in path else (path,))
        descriptor = -1
        try:
            descriptor = self._root.open_file(parts)
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode):
                return descriptor, status.st_size
        except OSError as error:
            if error.errno in _NO_REGULAR_FILE:
                raise self._replaced(entry) from error
            raise error_of(error, location=self.location, entry=entry.path) from error
        os.close(descriptor)
        raise self._replaced(entry)

    def _check_count(self, count: int) -> None:
        if count > self._limits.entries:
            raise LimitExceeded(
                f"more than {self._limits.entries} entries",
                location=self.location,
                hint=raise_limit("entries"),
            )

    def _too_large(self, entry: Entry, size: int, most: int) -> LimitExceeded:
        return LimitExceeded(
            f"{size} bytes, over the limit of {most}",
            location=self.location,
            entry=entry.path,
            hint=raise_limit("file-bytes"),
        )

    def _replaced(self, entry: Entry) -> PageError:
        return PageError(
            "is no longer the regular file it was when the folder was listed",
            location=self.location,
            entry=entry.path,
        )


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
