"""A file that is made beside its place, and takes it once it is whole and on the disk.

Every call that changes what is on the disk goes through `os`, so that a test can end the writer at
each of them.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from memoryfield_readers import AccessDenied, NotFound, SourceUnavailable, WriteConflict
from memoryfield_readers.atomic import Directory, move_over, opened_directory, rename_file
from memoryfield_readers.beside import beside, clean
from memoryfield_readers.system_errors import reason_of

from ..taking_over import Kept, attributes_of, take_over

_FLAGS: Final = (
    os.O_RDWR
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
_GATHERED_BYTES: Final = 1024 * 1024
PIECE_BYTES: Final = 1024 * 1024

_CANNOT_COPY: Final = (
    errno.ENOSYS, errno.EXDEV, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EBADF,
    errno.EPERM, errno.ETXTBSY,
)  # fmt: skip
"""What copying within the system fails with where it has to be done by reading and writing."""


class NewFile:
    """A file that is being made.

    Attributes:
        path: where it is for now.
        descriptor: it, open for reading and writing.
        size: bytes that were handed to it.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        """Take a file that holds nothing yet."""
        self.path = path
        self.descriptor = descriptor
        self.size = 0
        self._gathered: list[bytes] = []
        self._gathered_bytes = 0
        self._open = True

    def write(self, data: bytes, /) -> None:
        """Take some bytes; small ones are gathered until there are enough of them.

        Raises:
            OSError: they cannot be written.
        """
        self.size += len(data)
        self._gathered.append(data)
        self._gathered_bytes += len(data)
        if self._gathered_bytes >= _GATHERED_BYTES:
            self.flush()

    def flush(self) -> None:
        """Hand over what was gathered.

        Raises:
            OSError: it cannot be written.
        """
        rest = memoryview(b"".join(self._gathered))
        self._gathered, self._gathered_bytes = [], 0
        while rest:
            rest = rest[os.write(self.descriptor, rest) :]

    def copy(self, source: int | None, start: int, end: int) -> bool:
        """Take bytes of another file, from an offset up to another one, without seeing them.

        Returns:
            Whether all of them were taken. If not, none was, and they are to be written.

        Raises:
            OSError: they cannot be written.
        """
        if source is None or not hasattr(os, "copy_file_range"):
            return False
        self.flush()
        at = start
        while at < end:
            try:
                done = os.copy_file_range(source, self.descriptor, end - at, at)
            except OSError as error:
                if error.errno not in _CANNOT_COPY:
                    raise
                done = 0
            if not done:  # cannot be done here, or no more of it
                os.lseek(self.descriptor, self.size, os.SEEK_SET)
                return False
            at += done
        self.size += end - start
        return True

    def finish(self, like: int | None) -> None:
        """Have it on the disk, with the owner, the labels and the mode of another file.

        Arguments:
            like: the other one, open; None to leave them as they are.

        Raises:
            OSError: it is not on the disk.
        """
        self.flush()
        if like is not None:
            take_over(self.descriptor, Kept(os.fstat(like), attributes_of(like)))
        os.fsync(self.descriptor)

    def read_at(self, offset: int, length: int) -> bytes:
        """Bytes that were written; fewer at the end.

        Raises:
            OSError: they cannot be read.
        """
        if hasattr(os, "pread"):
            return os.pread(self.descriptor, length, offset)
        os.lseek(self.descriptor, offset, os.SEEK_SET)
        return os.read(self.descriptor, length)

    def close(self) -> None:
        """Close it; some systems do not move what is open."""
        if self._open:
            self._open = False
            os.close(self.descriptor)


@contextmanager
def new_file(target: Path, *, private: bool) -> Iterator[NewFile]:
    """A new file beside a place, gone afterwards if it was not moved there.

    What killed writers have left of the same file is taken away first.

    Arguments:
        target: the place, with links resolved.
        private: whether nobody else may read it for now.

    Raises:
        OSError: it cannot be made.
    """
    clean(target)
    with beside(target, folder=False, mode=0o600 if private else 0o666) as path:
        made = NewFile(path, os.open(path, _FLAGS))
        try:
            yield made
        finally:
            made.close()


def check_place(target: Path, location: str, *, replaced: bool) -> None:
    """See that a file can be put somewhere, as far as that can be seen before.

    Arguments:
        target: the place, with links resolved.
        location: as messages show it.
        replaced: whether a file is there that is to be replaced.

    Raises:
        NotFound: there is no folder for it.
        AccessDenied: the folder, or the file, may not be written.
    """
    folder = target.parent
    if not folder.is_dir():
        raise NotFound("there is no folder to write it to", location=location)
    # Anyone may replace a file that is write-protected; but that is not what its owner wants.
    for path, what in ((folder, "its folder"), *(((target, "it"),) if replaced else ())):
        if os.path.lexists(path) and not os.access(path, os.W_OK):
            raise AccessDenied(f"cannot be written: {what} is write-protected", location=location)


def put_in_place_of(made: NewFile, target: Path, seen: os.stat_result, location: str) -> str | None:
    """Put a file in the place of another one, if that is still the one that was read.

    Arguments:
        made: the new one, which is on the disk.
        target: the place, with links resolved.
        seen: the status of the old one when it was read.
        location: as messages show it.

    Returns:
        What a person should know, if the disk did not confirm the new name; else None.

    Raises:
        WriteConflict: there is another file, or it was changed.
        OSError: it cannot be moved; the old one is there.
    """
    with opened_directory(target.parent) as folder:
        _check_unchanged(folder, target.name, seen, location)
        made.close()
        move_over(folder, made.path.name, folder, target.name)
        return _synced(folder)


def put_where_none_is(made: NewFile, target: Path) -> str | None:
    """Put a file where there is none; as `put_in_place_of`.

    Raises:
        FileExistsError: there is one.
        OSError: it cannot be moved.
    """
    with opened_directory(target.parent) as folder:
        made.close()
        rename_file(folder, made.path.name, target.name)
        return _synced(folder)


def put_over(made: NewFile, target: Path) -> str | None:
    """Put a file in its place, whatever file is there; as `put_in_place_of`.

    Raises:
        OSError: it cannot be moved.
    """
    with opened_directory(target.parent) as folder:
        made.close()
        move_over(folder, made.path.name, folder, target.name)
        return _synced(folder)


@contextmanager
def told(location: str, ending: str) -> Iterator[None]:
    """Tell an error of the system as one of ours.

    Arguments:
        location: of what is written, as messages show it.
        ending: what has become of it.

    Raises:
        AccessDenied, SourceUnavailable: the system raised an error within.
    """
    try:
        yield
    except OSError as error:
        denied = isinstance(error, PermissionError) or error.errno == errno.EROFS
        kind = AccessDenied if denied else SourceUnavailable
        raise kind(f"cannot be written: {reason_of(error)}; {ending}", location=location) from error


def _check_unchanged(folder: Directory, name: str, seen: os.stat_result, location: str) -> None:
    try:
        now: os.stat_result | None = folder.status(name)
    except FileNotFoundError:
        now = None
    if now is None or _marks(now) != _marks(seen):
        raise WriteConflict(
            "was changed by another program since it was read; nothing was written",
            location=location,
            hint="read it anew, and try again",
        )


def _marks(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _synced(folder: Directory) -> str | None:
    """Have the names on the disk; once a file has its name, there is no way back.

    Some systems sync folders in their own time.
    """
    try:
        folder.sync()
    except OSError as error:
        return (
            f"the disk does not confirm that it keeps the new archive ({reason_of(error)}): "
            "look after the disk, and at the archive when the machine has been started anew"
        )
    return None
