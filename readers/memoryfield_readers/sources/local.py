"""A directory on this machine, read without ever leaving it (MF105).

Files are opened relative to the open root and component by component, never through a symbolic
link, so that nothing outside is read even if the directory changes under the reader.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ..entry import Entry, EntryKind, path_key
from ..errors import (
    AccessDenied,
    Fault,
    LimitExceeded,
    MemoryfieldError,
    NotFound,
    PageError,
    SourceUnavailable,
)
from ..limits import Limits
from ..names import is_debris

_CHUNK_BYTES = 256 * 1024
_MOST_LINKS = 40
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FILE_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO that took a file's place must not hang us
    | _NO_FOLLOW
)
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_ANCHORED = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd

_NO_REGULAR_FILE = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR, errno.ENXIO)
"""What opening a link, something below one, or a socket fails with."""

_CLOSED = -1
"""In place of the root's descriptor: nothing is opened by its name, where another may stand now."""

_CARRIER_FOLDERS = frozenset({".git"})
"""What a repository keeps beside the field it carries: neither part of the field nor debris."""


class _Irregular(Exception):
    """A path does not lead to a regular file inside the root."""


class LocalSource:
    """A directory as a source."""

    archive_name: str | None = None
    faults: tuple[Fault, ...] = ()

    def __init__(self, path: Path, location: str, limits: Limits) -> None:
        """Open a directory and list its root.

        Raises:
            NotFound, AccessDenied, SourceUnavailable: it cannot be opened.
        """
        self.location = location
        self.name = path.resolve().name
        self._path = path
        self._limits = limits
        self._links: dict[str, tuple[str, ...]] = {}  # a followed link's path -> its target's
        self._root_fd: int | None = None
        self._listing: tuple[Entry, ...] = ()
        try:
            if _ANCHORED:
                self._root_fd = os.open(path, _FOLDER_FLAGS)
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
        """What lies in sub-directories; see `Source.nested`. Links to folders are not followed."""
        count = len(self._listing)
        folders = [e.path for e in self._listing if e.kind is EntryKind.DIRECTORY]
        while folders:
            folder = folders.pop()
            if is_debris(folder.rpartition("/")[2]):
                if "/" in folder:
                    yield Entry(folder, EntryKind.DIRECTORY)
                continue
            try:
                entries = self._list(folder)
            except OSError as error:
                yield Entry(folder, EntryKind.IRREGULAR, problem=f"unreadable: {reason_of(error)}")
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
        if self._root_fd is not None and self._root_fd != _CLOSED:
            os.close(self._root_fd)
            self._root_fd = _CLOSED

    def _list(self, folder: str) -> tuple[Entry, ...]:
        found: list[Entry] = []
        prefix = f"{folder}/" if folder else ""
        descriptor = self._open_folder(folder)
        try:
            with os.scandir(self._path / folder if descriptor is None else descriptor) as scan:
                for item in scan:
                    if not folder and item.name in _CARRIER_FOLDERS:
                        continue
                    found.append(self._entry(item, prefix + item.name))
                    self._check_count(len(found))
        finally:
            if descriptor is not None and descriptor != self._root_fd:
                os.close(descriptor)
        found.sort(key=path_key)
        return tuple(found)

    def _entry(self, item: os.DirEntry[str], path: str) -> Entry:
        try:
            status = item.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                return Entry(path, EntryKind.FILE, status.st_size, status.st_mtime_ns)
            if stat.S_ISDIR(status.st_mode):
                return Entry(path, EntryKind.DIRECTORY, 0, status.st_mtime_ns)
            if not stat.S_ISLNK(status.st_mode):
                problem = _kind_of_special(status.st_mode)
                return Entry(path, EntryKind.IRREGULAR, 0, status.st_mtime_ns, problem)
            return self._followed(path)
        except OSError as error:
            return Entry(path, EntryKind.IRREGULAR, problem=f"unreadable: {reason_of(error)}")

    def _followed(self, path: str) -> Entry:
        """The entry for a symbolic link: what it leads to, if that stays inside the root."""
        try:
            parts, status = self._resolve(tuple(path.split("/")))
        except _Irregular as error:
            return Entry(path, EntryKind.IRREGULAR, problem=str(error))
        if stat.S_ISDIR(status.st_mode):
            return Entry(path, EntryKind.IRREGULAR, problem="a link to a folder")
        if not stat.S_ISREG(status.st_mode):
            problem = f"a link to {_kind_of_special(status.st_mode)}"
            return Entry(path, EntryKind.IRREGULAR, problem=problem)
        self._links[path] = parts
        return Entry(path, EntryKind.FILE, status.st_size, status.st_mtime_ns)

    def _resolve(self, parts: tuple[str, ...]) -> tuple[tuple[str, ...], os.stat_result]:
        """Follow links by their text, one component at a time; leaving the root ends it."""
        done: list[str] = []
        waiting = list(reversed(parts))
        links = 0
        while waiting:
            part = waiting.pop()
            if part in ("", ".", ".."):
                if done and not stat.S_ISDIR(self._lstat("/".join(done)).st_mode):
                    raise _Irregular("a link to nowhere")
                if part == ".." and not done:
                    raise _Irregular("a link that leaves the field's folder")
                if part == "..":
                    done.pop()
                continue
            here = "/".join((*done, part))
            try:
                status = self._lstat(here)
            except (FileNotFoundError, NotADirectoryError):
                raise _Irregular("a link to nowhere") from None
            if not stat.S_ISLNK(status.st_mode):
                done.append(part)
                continue
            links += 1
            if links > _MOST_LINKS:
                raise _Irregular("a link that leads in a circle")
            target = self._readlink(here)
            if os.path.isabs(target):
                raise _Irregular("a link that leaves the field's folder")
            waiting.extend(reversed(target.replace(os.sep, "/").split("/")))
        if not done:
            raise _Irregular("a link to a folder")
        if done[0] in _CARRIER_FOLDERS:
            raise _Irregular(f"a link into {done[0]}, which is no part of the field")
        return tuple(done), self._lstat("/".join(done))

    def _open(self, entry: Entry) -> tuple[int, int]:
        """A descriptor for a listed file, and its size in bytes."""
        parts = self._links.get(entry.path) or tuple(entry.path.split("/"))
        descriptor = -1
        try:
            descriptor = self._open_parts(parts)
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode):
                return descriptor, status.st_size
        except OSError as error:
            if error.errno in _NO_REGULAR_FILE:
                raise self._replaced(entry) from error
            raise error_of(error, location=self.location, entry=entry.path) from error
        os.close(descriptor)
        raise self._replaced(entry)

    def _open_parts(self, parts: tuple[str, ...]) -> int:
        """Open a file whose path holds no link, component by component."""
        if self._root_fd is None:
            return os.open(self._path.joinpath(*parts), _FILE_FLAGS)
        if len(parts) == 1:
            return os.open(parts[0], _FILE_FLAGS, dir_fd=self._root_fd)
        folder = self._open_folder("/".join(parts[:-1]))
        try:
            return os.open(parts[-1], _FILE_FLAGS, dir_fd=folder)
        finally:
            if folder is not None:
                os.close(folder)

    def _open_folder(self, folder: str) -> int | None:
        if self._root_fd is None or not folder:
            return self._root_fd
        current = self._root_fd
        try:
            for part in folder.split("/"):
                deeper = os.open(part, _FOLDER_FLAGS | _NO_FOLLOW, dir_fd=current)
                if current != self._root_fd:
                    os.close(current)
                current = deeper
        except OSError:
            if current != self._root_fd:
                os.close(current)
            raise
        return current

    def _lstat(self, path: str) -> os.stat_result:
        if self._root_fd is None:
            return os.lstat(self._path / path)
        return os.stat(path, dir_fd=self._root_fd, follow_symlinks=False)

    def _readlink(self, path: str) -> str:
        if self._root_fd is None:
            return os.readlink(self._path / path)
        return os.readlink(path, dir_fd=self._root_fd)

    def _check_count(self, count: int) -> None:
        if count > self._limits.entries:
            raise LimitExceeded(
                f"more than {self._limits.entries} entries",
                location=self.location,
                hint="raise the limit with --limit entries=NUMBER, if you trust this field",
            )

    def _too_large(self, entry: Entry, size: int, most: int) -> LimitExceeded:
        return LimitExceeded(
            f"{size} bytes, over the limit of {most}", location=self.location, entry=entry.path
        )

    def _replaced(self, entry: Entry) -> PageError:
        return PageError(
            "is no longer the regular file it was when the folder was listed",
            location=self.location,
            entry=entry.path,
        )


def _kind_of_special(mode: int) -> str:
    for test, name in (
        (stat.S_ISFIFO, "a FIFO (named pipe)"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a character device"),
        (stat.S_ISBLK, "a block device"),
        (stat.S_ISLNK, "a link"),
    ):
        if test(mode):
            return name
    return "no regular file"


def reason_of(error: OSError) -> str:
    """The system's own words for an error, in lower case."""
    return (error.strerror or type(error).__name__).lower()


def error_of(error: OSError, *, location: str, entry: str | None = None) -> MemoryfieldError:
    """A system error as one of ours; only "no such file" becomes `NotFound`."""
    kind: type[SourceUnavailable]
    if isinstance(error, FileNotFoundError):
        kind = NotFound
    elif isinstance(error, PermissionError):
        kind = AccessDenied
    else:
        kind = SourceUnavailable
    return kind(f"cannot be read: {reason_of(error)}", location=location, entry=entry)
