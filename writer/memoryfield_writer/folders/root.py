"""The folder of a field, held open: what a batch touches is found below it and nowhere else.

No symbolic link is followed below the root, and each sub-folder is opened once, so that a folder
that is moved or swapped in the meantime takes nothing out of the field.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from memoryfield_readers import SourceUnavailable
from memoryfield_readers.atomic import ANCHORED, Directory
from memoryfield_readers.journal import FOLDER, JOURNAL, may_be_planted

from . import disk

DRAFT = "journal.tmp"
"""The journal before it counts."""

UNDO = "undo"
"""The journal of the way back: it takes the journal's place if the batch cannot be carried out."""

_OURS = re.compile(r"(?:new|old)-[0-9]{1,9}|journal|journal\.tmp|undo")
_FOLDER_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)

_NO_FOLDER = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK)
"""What opening a folder fails with that is none, or is a link."""


class Place(NamedTuple):
    """Where a file of a field stands."""

    directory: Directory
    name: str

    def status(self) -> os.stat_result | None:
        """The status of what stands there, or of what the system takes for it; None for nothing."""
        try:
            return self.directory.status(self.name)
        except FileNotFoundError:
            return None

    def is_written_so(self) -> bool:
        """Whether an entry has exactly this name: systems that ignore case show it under others."""
        return self.name in self.directory.names()


class Root:
    """The folder of a field, open for as long as a batch is written to it."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        """Take the folder that is locked.

        Arguments:
            path: where it is.
            descriptor: the open folder; None where it has to be opened, or only has a path.

        Raises:
            OSError: it cannot be opened.
        """
        self._open = ExitStack()
        self._folders: dict[str, Directory] = {}
        if descriptor is None and ANCHORED:
            descriptor = os.open(path, _FOLDER_FLAGS)
            self._open.callback(os.close, descriptor)
        self.top = Directory(path, descriptor if ANCHORED else None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._open.close()

    def status(self) -> os.stat_result:
        """The status of the folder itself."""
        return self._status_of(self.top)

    def is_at_its_path(self) -> bool:
        """Whether the path still leads to this folder."""
        try:
            return os.path.samestat(os.stat(self.top.path), self.status())
        except OSError:
            return False

    def place(self, path: str) -> Place:
        """Where a file stands, by its path.

        Raises:
            OSError: a folder on the way is a link, is none, or cannot be opened.
        """
        folder, _, name = path.rpartition("/")
        return Place(self._folder(folder), name)

    def place_if_there(self, path: str) -> Place | None:
        """Where a file stands; None if its folder is not there any more, or is a link by now.

        Raises:
            OSError: a folder on the way cannot be opened for another reason.
        """
        try:
            return self.place(path)
        except OSError as error:
            if error.errno not in _NO_FOLDER:
                raise
            return None

    def touched(self, paths: list[str]) -> list[Directory]:
        """The folders that files stand in, by the files' paths, as far as they are there."""
        by_folder = {path.rpartition("/")[0]: path for path in paths}
        places = map(self.place_if_there, by_folder.values())
        return [place.directory for place in places if place is not None]

    def forget(self, path: str) -> None:
        """Open a folder below anew when it is asked for next: it was removed."""
        self._folders.pop(path, None)

    def lstat(self, path: str) -> os.stat_result:
        """The status of what stands at a path, not of what a link leads to (of `Links`)."""
        if self.top.descriptor is None:
            return os.lstat(self.top.path / path)
        return os.stat(path, dir_fd=self.top.descriptor, follow_symlinks=False)

    def readlink(self, path: str) -> str:
        """The target of a link, as it is written (of `Links`)."""
        if self.top.descriptor is None:
            return os.readlink(self.top.path / path)
        return os.readlink(path, dir_fd=self.top.descriptor)

    def _folder(self, path: str) -> Directory:
        if not path:
            return self.top
        if path not in self._folders:
            parent, _, name = path.rpartition("/")
            self._folders[path] = self._opened(self._folder(parent), name)
        return self._folders[path]

    def _opened(self, parent: Directory, name: str) -> Directory:
        if parent.descriptor is None:
            if not stat.S_ISDIR(parent.status(name).st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            return Directory(parent.path / name, None)
        descriptor = os.open(name, _FOLDER_FLAGS, dir_fd=parent.descriptor)
        self._open.callback(os.close, descriptor)
        return Directory(parent.path / name, descriptor)

    @staticmethod
    def _status_of(directory: Directory) -> os.stat_result:
        if directory.descriptor is None:
            return os.stat(directory.path)
        return os.fstat(directory.descriptor)


class Staging(NamedTuple):
    """The folder in which a batch is prepared, `.memoryfield/`."""

    directory: Directory

    def has(self, name: str) -> bool:
        """Whether there is something of that name."""
        return self.directory.has(name)

    def is_committed(self) -> bool:
        """Whether a batch counts, or its way back does: there is a journal."""
        return self.has(JOURNAL)

    def device(self) -> int:
        """The file system that it is on."""
        return self.directory.status(".").st_dev

    def has_counted(self) -> bool:
        """Whether a batch without a journal is one that was carried out, and not one that never
        counted or was taken back.

        The way back is written after the draft of the journal, and is removed last. It is there
        without the draft only once that became the journal.
        """
        return self.has(UNDO) and not self.has(DRAFT)

    def clear(self, *, given_up: bool) -> bool:
        """Remove all that is ours, the journal first; whether there was anything.

        Arguments:
            given_up: whether what is to be seen of the batch in between is not that it counted.
        """
        names = [name for name in self.directory.names() if _OURS.fullmatch(name)]
        if given_up and UNDO in names:
            disk.remove(self.directory, UNDO)
            names.remove(UNDO)
        if JOURNAL in names:
            disk.remove(self.directory, JOURNAL)
            disk.sync_folder(self.directory)
        for name in sorted(names, key=lambda name: name == UNDO):
            if name != JOURNAL:
                disk.remove(self.directory, name)
        return bool(names)


def found_staging(root: Root, location: str) -> Staging | None:
    """The folder in which a batch was prepared, if there is one.

    Raises:
        SourceUnavailable: what has its name is no folder, or is not to be trusted: it is another
            user's, in a folder where everybody may put what they like.
        OSError: it cannot be opened.
    """
    try:
        status = root.top.status(FOLDER)
    except FileNotFoundError:
        return None
    if not stat.S_ISDIR(status.st_mode):
        raise SourceUnavailable(
            f"cannot be written: {FOLDER} is no folder, and batches are prepared in one",
            location=location,
            entry=FOLDER,
            hint="remove it",
        )
    if may_be_planted(status, root.status()):
        raise SourceUnavailable(
            f"cannot be written: {FOLDER} belongs to another user, in a folder where everybody may "
            "put something",
            location=location,
            entry=FOLDER,
            hint="look at what it holds, and remove it",
        )
    return Staging(root.place(f"{FOLDER}/{JOURNAL}").directory)
