"""Folders of the cache, one opened from the other: links that were planted there lead nowhere."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_FILE_FLAGS = (
    getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO that took a file's place must not hang us
    | _NO_FOLLOW
)
_ANCHORED = bool(_NO_FOLLOW) and {os.open, os.stat, os.mkdir, os.unlink, os.rename, os.rmdir} <= (
    os.supports_dir_fd
)
_READ_ONLY_STAYS = os.name == "nt"
"""Whether a read-only file can be neither replaced nor removed."""

_PAUSES = (0.0, 0.02, 0.1, 0.5, None)
"""Seconds after which replacing such a file is tried again: others may look at it for a moment."""

_REPARSE_POINT = 0x400
"""On Windows, what is a folder by its mode, but leads elsewhere."""


class Folder:
    """A folder that is open: what is done in it is done there, whatever its path leads to by then.

    Where the platform cannot open relative to a folder, paths are used, and looked at before.
    """

    def __init__(self, path: Path, descriptor: int | None) -> None:
        """A folder by its path and its descriptor, where there are such; that is closed with it."""
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def at(cls, path: Path) -> Folder:
        """Open a folder by its path, in which links are followed: it is the one that was asked for.

        Raises:
            OSError: it cannot be opened, or is none.
        """
        if _ANCHORED:
            return cls(path, os.open(path, _FOLDER_FLAGS))
        if not stat.S_ISDIR(os.stat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
        return cls(path, None)

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def below(self, name: str, *, make: bool = False) -> Folder:
        """Open a folder in this one, and make it before if that is wanted.

        Raises:
            OSError: it is not there, is no folder but a link or a file, or cannot be opened.
        """
        if make:
            with suppress(FileExistsError):  # what it is, opening it tells
                os.mkdir(self._name(name), 0o700, dir_fd=self._descriptor)
        path = self.path / name
        if self._descriptor is None:
            status = os.lstat(path)
            if not stat.S_ISDIR(status.st_mode) or _leads_elsewhere(status):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
            return Folder(path, None)
        try:
            return Folder(path, os.open(name, _FOLDER_FLAGS | _NO_FOLLOW, dir_fd=self._descriptor))
        except OSError as error:
            error.filename = str(path)
            raise

    def open(self, name: str, flags: int = os.O_RDONLY) -> int:
        """A descriptor for a file in this folder; a link is not followed.

        Raises:
            OSError: it cannot be opened.
        """
        if self._descriptor is None and not flags & os.O_EXCL:
            status = os.lstat(self.path / name)
            if stat.S_ISLNK(status.st_mode) or _leads_elsewhere(status):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        return os.open(self._name(name), flags | _FILE_FLAGS, 0o600, dir_fd=self._descriptor)

    def status(self, name: str) -> os.stat_result:
        """The status of what stands in this folder, not of what a link leads to."""
        return os.stat(self._name(name), dir_fd=self._descriptor, follow_symlinks=False)

    def scan(self) -> Iterator[os.DirEntry[str]]:
        """What the folder holds."""
        with os.scandir(self.path if self._descriptor is None else self._descriptor) as items:
            yield from items

    def move(self, name: str, target: Folder, new_name: str) -> None:
        """Rename a file into a folder, at once and over what has that name; a link is replaced."""
        for pause in _PAUSES:
            try:
                os.replace(
                    self._name(name),
                    target._name(new_name),
                    src_dir_fd=self._descriptor,
                    dst_dir_fd=target._descriptor,
                )
            except PermissionError:
                if pause is None or not target.can_be_freed(new_name):
                    raise
                time.sleep(pause)
            else:
                return

    def remove(self, name: str) -> None:
        """Remove a file; of a link, the link."""
        try:
            os.unlink(self._name(name), dir_fd=self._descriptor)
        except PermissionError:
            if not self.can_be_freed(name):
                raise
            os.unlink(self._name(name), dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(self._name(name), dir_fd=self._descriptor)

    def can_be_freed(self, name: str) -> bool:
        """Make a read-only file writable, where it can be replaced or removed only then."""
        try:
            if not _READ_ONLY_STAYS or not stat.S_ISREG(self.status(name).st_mode):
                return False
            os.chmod(self.path / name, 0o600)
        except OSError:
            return False
        return True

    def _name(self, name: str) -> str | Path:
        return name if self._descriptor is not None else self.path / name


@contextmanager
def folder_at(root: Path, *names: str, make: bool = False) -> Iterator[Folder]:
    """A folder below the cache's, open meanwhile.

    Arguments:
        root: the cache's folder, which is there.
        names: of the folders from there on.
        make: whether those are made that are missing.

    Raises:
        OSError: one is not there, is no folder, or cannot be opened or made.
    """
    with ExitStack() as opened:
        current = opened.enter_context(Folder.at(root))
        for name in names:
            above = opened.pop_all()
            with above:  # it is closed as soon as the one below it is open
                current = opened.enter_context(current.below(name, make=make))
        yield current


def _leads_elsewhere(status: os.stat_result) -> bool:
    return bool(getattr(status, "st_file_attributes", 0) & _REPARSE_POINT)
