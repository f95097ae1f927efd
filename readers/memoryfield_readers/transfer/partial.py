"""An unfinished download that outlives its process: a file, and beside it what of it is there.

Both may be anything when they are found: cut off, of another file, written by someone else. What
they say is taken for what it may be, and never for what was fetched: who goes on from them hashes
the whole in the end, so that a wrong one costs time alone.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

from ..errors import SourceUnavailable
from ..system_errors import reason_of
from .spool import TemporaryBytes

if sys.platform != "win32":
    import fcntl

Span: TypeAlias = tuple[int, int]
"""Bytes from an offset up to another one."""

JOURNAL_SUFFIX = ".spans"
"""What the journal has behind the name of the file that it speaks of."""

_HEAD = b"memoryfield partial download 1\n"
_LINE = re.compile(rb"(0|[1-9][0-9]{0,17}) ([1-9][0-9]{0,17})")
_MOST_JOURNAL_BYTES = 1024 * 1024
_TRIES = 3

_FLAGS = os.O_RDWR | os.O_CREAT
for _flag in ("O_CLOEXEC", "O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"):  # a FIFO must not hang us
    _FLAGS |= getattr(os, _flag, 0)


class NotKept(SourceUnavailable):
    """What came cannot be written to a partial file.

    Attributes:
        reason: why, in the words of the system.
    """

    reason = ""


class PartialFile(TemporaryBytes):
    """A file that several threads of one process write to, and that stays when it is closed.

    Attributes:
        path: where it stands.
    """

    def __init__(self, path: Path, file: BinaryIO, journal: BinaryIO) -> None:
        """Take a file and its journal that nobody else writes to; see `taken`."""
        super().__init__()
        self.path = path
        self._file = self._raw = file
        self._journal = journal

    @classmethod
    def taken(cls, path: Path) -> PartialFile | None:
        """The file at a path, made if need be; None if it cannot be had for this process alone.

        What is there and is no regular file of one name is taken away first: who writes to a link
        writes somewhere else.

        Arguments:
            path: where it stands, in a folder that exists.
        """
        opened: list[BinaryIO] = []
        with suppress(OSError):
            opened.append(_own(path))
            opened.append(_own(path.with_name(path.name + JOURNAL_SUFFIX)))
            return cls(path, *opened)
        for file in opened:
            file.close()
        return None

    def spans(self, size: int) -> list[Span]:
        """What is here of a file of a size, as far as the journal makes sense; else nothing.

        Arguments:
            size: how many bytes the whole file has: a journal for another size is thrown away.
        """
        with self._lock:
            try:
                length = os.fstat(self._raw.fileno()).st_size
                self._journal.seek(0)
                said = self._journal.read(_MOST_JOURNAL_BYTES + 1)
            except (OSError, ValueError) as error:
                raise self._unusable(error) from error
        head = _HEAD + b"%d\n" % size
        found: list[Span] = []
        if said.startswith(head) and len(said) <= _MOST_JOURNAL_BYTES and length <= size:
            # The last line has no end where the process was ended while it wrote.
            for line in said[len(head) :].split(b"\n")[:-1]:
                match = _LINE.fullmatch(line)
                start, end = map(int, match.groups()) if match is not None else (0, 0)
                if start < end <= length:
                    found.append((start, end))
        if not found:
            self.forget()
            self._write_down(head)
        return found

    def note(self, span: Span) -> None:
        """Write down that the bytes of a span have been written."""
        self._write_down(b"%d %d\n" % span)

    def forget(self) -> None:
        """Begin again, with nothing."""
        with self._lock:
            try:
                self._journal.truncate(0)  # first: a file without a journal is nothing
                self._raw.truncate(0)
            except (OSError, ValueError) as error:
                raise self._unusable(error) from error

    def remove(self) -> None:
        """Take both files away; a name that leads to another file by now stays."""
        journal = self.path.with_name(self.path.name + JOURNAL_SUFFIX)
        for path, file in ((journal, self._journal), (self.path, self._raw)):
            with suppress(OSError, ValueError):
                if _is_at(file, path):
                    path.unlink()

    def close(self) -> None:
        """Let go of both files, which stay where they are, unless there is nothing in them."""
        with suppress(OSError, ValueError):
            if os.fstat(self._raw.fileno()).st_size == 0:
                self.remove()
        super().close()
        self._journal.close()

    def _put(self, file: BinaryIO, at: int, piece: bytes) -> None:
        """Write to the system at once: what waits in this process goes when it is killed."""
        file.seek(at)
        _write_all(file, piece)

    def _unusable(self, error: OSError | ValueError) -> NotKept:
        reason = reason_of(error) if isinstance(error, OSError) else "it is closed"
        unusable = NotKept(
            f"the cache cannot keep what is fetched: {reason}",
            hint="MEMORYFIELD_CACHE_DIR names another folder for the cache",
        )
        unusable.reason = reason
        return unusable

    def _write_down(self, line: bytes) -> None:
        with self._lock:
            try:
                self._journal.seek(0, os.SEEK_END)
                _write_all(self._journal, line)
            except (OSError, ValueError) as error:
                raise self._unusable(error) from error


def _own(path: Path) -> BinaryIO:
    """A regular file that this process alone holds, opened for reading and writing.

    Raises:
        OSError: it cannot be opened, or another process holds it.
    """
    for _ in range(_TRIES):
        try:
            descriptor = os.open(path, _FLAGS, 0o600)
        except IsADirectoryError:
            raise
        except OSError:
            if not path.is_symlink():
                raise
            path.unlink()
            continue
        with ExitStack() as opened:
            file = opened.enter_context(open(descriptor, "r+b", buffering=0))
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                path.unlink()
                continue
            _hold(descriptor)
            # It may have been moved away between the two by who held it before.
            if _is_at(file, path):
                opened.pop_all()  # it is closed by who asked for it
                return file
    raise BlockingIOError(f"{path} does not stay where it is")


def _is_at(file: BinaryIO, path: Path) -> bool:
    """Whether a path still leads to a file that is open."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.lstat(path))
    except FileNotFoundError:
        return False


def _write_all(file: BinaryIO, data: bytes) -> None:
    """Write all of it: a raw file may take less than it is given."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _hold(descriptor: int) -> None:
    """Keep others of our kind from a file as long as it is open; they are told, and do not wait.

    Raises:
        OSError: another one has it.
    """
    if sys.platform != "win32":  # there nobody moves or removes what another has open
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
