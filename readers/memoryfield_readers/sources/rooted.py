"""An open directory, below which files are opened without ever following a symbolic link.

Every component of a path is opened relative to the one before it, so that nothing outside is read
even if the directory changes under the reader.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
_CLOSED = -1
"""In place of the descriptor: nothing is opened by its name, where another may stand by now."""


class RootedFolder:
    """A directory that stays the same one while it is open, whatever its path leads to later.

    Where the platform cannot open relative to a directory, paths are used as they are.
    """

    def __init__(self, path: Path) -> None:
        """Open a directory.

        Raises:
            OSError: it cannot be opened.
        """
        self._path = path
        self._descriptor = os.open(path, _FOLDER_FLAGS) if _ANCHORED else None

    def close(self) -> None:
        """Close the directory."""
        if self._descriptor is not None and self._descriptor != _CLOSED:
            os.close(self._descriptor)
            self._descriptor = _CLOSED

    def open_file(self, parts: tuple[str, ...]) -> int:
        """A descriptor for a file, whose path is given by its components."""
        if self._descriptor is None:
            return os.open(self._path.joinpath(*parts), _FILE_FLAGS)
        if len(parts) == 1:
            return os.open(parts[0], _FILE_FLAGS, dir_fd=self._descriptor)
        with self._folder(parts[:-1]) as folder:
            return os.open(parts[-1], _FILE_FLAGS, dir_fd=folder)

    def scan(self, folder: str) -> Iterator[os.DirEntry[str]]:
        """What a directory below holds; "" is this one."""
        if self._descriptor is None:
            with os.scandir(self._path / folder) as items:
                yield from items
            return
        parts = tuple(folder.split("/")) if folder else ()
        with self._folder(parts) as descriptor, os.scandir(descriptor) as items:
            yield from items

    def status(self) -> os.stat_result:
        """The status of the directory itself."""
        if self._descriptor is None:
            return os.stat(self._path)
        return os.fstat(self._descriptor)

    def status_of(self, parts: tuple[str, ...]) -> os.stat_result:
        """The status of a path below, of which no component is followed if it is a link."""
        if self._descriptor is None:
            return os.lstat(self._path.joinpath(*parts))
        with self._folder(parts[:-1]) as folder:
            return os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)

    def lstat(self, path: str) -> os.stat_result:
        """The status of a path below, without following it if it is a link."""
        if self._descriptor is None:
            return os.lstat(self._path / path)
        return os.stat(path, dir_fd=self._descriptor, follow_symlinks=False)

    def readlink(self, path: str) -> str:
        """The target of a link below, as it is written."""
        if self._descriptor is None:
            return os.readlink(self._path / path)
        return os.readlink(path, dir_fd=self._descriptor)

    @contextmanager
    def _folder(self, parts: tuple[str, ...]) -> Iterator[int]:
        """A descriptor for a directory below, open for as long as it is in use."""
        current = root = self._descriptor if self._descriptor is not None else _CLOSED
        try:
            for part in parts:
                deeper = os.open(part, _FOLDER_FLAGS | _NO_FOLLOW, dir_fd=current)
                if current != root:
                    os.close(current)
                current = deeper
            yield current
        finally:
            if current != root:
                os.close(current)
