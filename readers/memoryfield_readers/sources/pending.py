"""A batch under way in a folder: what its journal makes of the files there.

From the moment a journal is there, the folder is what the journal says, whichever of its files have
their new names by now; so nobody sees a batch half done. Nothing is written here.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ..display import shown
from ..errors import SourceUnavailable
from ..journal import (
    FOLDER,
    JOURNAL,
    MOST_JOURNAL_BYTES,
    Before,
    InvalidJournal,
    Journal,
    JournalFile,
    may_be_planted,
    parse_journal,
)
from ..limits import Limits
from ..system_errors import error_of
from .rooted import RootedFolder

CHUNK_BYTES = 256 * 1024

_UNDER_WAY = "a batch was under way here"
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR)
_HINT = "run `memoryfield recover` on the folder"
_ANY_FILE = os.stat_result((stat.S_IFREG, 0, 0, 1, 0, 0, 0, 0, 0, 0))


@dataclass(frozen=True, slots=True)
class Coming:
    """A file that a batch puts in its place.

    Attributes:
        staged: its name in the staging folder, as long as it has not its own.
        sha256: of its bytes, in hexadecimal.
        size: in bytes.
        modified_ns: when its content last changed, in nanoseconds since 1970-01-01T00:00:00Z.
    """

    staged: str
    sha256: str
    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class Overlay:
    """What a batch makes of a folder.

    Attributes:
        data: the journal's bytes, which tell it from any other.
        coming: the files that it puts, by path.
        going: the paths of those that it removes.
    """

    data: bytes
    coming: Mapping[str, Coming]
    going: frozenset[str]


class OverlaidLinks:
    """What stands at a path once the batch is done; see `Links`."""

    def __init__(self, root: RootedFolder, overlay: Overlay) -> None:
        self._root = root
        self._overlay = overlay

    def lstat(self, path: str) -> os.stat_result:
        """Mode and size of what will stand at a path."""
        if path in self._overlay.going:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return _ANY_FILE if path in self._overlay.coming else self._root.lstat(path)

    def readlink(self, path: str) -> str:
        """The target of a link that the batch leaves as it is."""
        return self._root.readlink(path)


class Moving(Exception):
    """The batch went on while it was looked at: it is to be looked at anew."""


def journal_data(root: RootedFolder, location: str) -> bytes | None:
    """The bytes of the journal of a folder; None where no batch counts.

    Raises:
        AccessDenied: it may not be read, so nobody can tell what the folder is.
        SourceUnavailable: what has its name is no file, or cannot be read.
    """
    try:
        try:
            if not stat.S_ISDIR(root.status_of((FOLDER,)).st_mode):
                return None  # no batch has ever been prepared in it
        except PermissionError:
            return None  # nor may any page be opened: there is nothing to mistake
        descriptor = root.open_file((FOLDER, JOURNAL))
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.ENOTDIR):
            raise refused("what has the name of its journal is no file", location) from error
        raise error_of(error, location=location, entry=f"{FOLDER}/{JOURNAL}") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise refused("what has the name of its journal is no file", location)
        pieces, taken = [], 0
        while taken <= MOST_JOURNAL_BYTES and (piece := os.read(descriptor, CHUNK_BYTES)):
            pieces.append(piece)
            taken += len(piece)
        return b"".join(pieces)
    except OSError as error:
        raise error_of(error, location=location, entry=f"{FOLDER}/{JOURNAL}") from error
    finally:
        os.close(descriptor)


def overlay_of(root: RootedFolder, data: bytes, limits: Limits, location: str) -> Overlay:
    """What the batch with a journal makes of a folder.

    Raises:
        SourceUnavailable: the journal is damaged, is of another folder, or of somebody who may not
            do what it says; or a file was changed by somebody else since.
        Moving: the batch is at another point by now.
    """
    try:
        journal = parse_journal(data)
    except InvalidJournal as error:
        raise refused(f"its journal {error}", location) from error
    if journal.folder != root.status().st_ino:
        raise refused("its journal is that of another folder: this one is a copy", location)
    try:
        return _Looking(root, journal, limits).overlay(data)
    except _Foreign as error:
        if journal_data(root, location) != data:
            raise Moving from None
        raise refused(f"{shown(str(error))} was changed by somebody else since", location) from None
    except _Planted as error:
        why = f"it is another user's, who may not change {shown(str(error))}"
        raise refused(why, location) from None
    except OSError as error:
        raise error_of(error, location=location) from error


def refused(why: str, location: str, entry: str | None = None) -> SourceUnavailable:
    """The error for a folder in which a batch was left off, and that is not what it should be."""
    return SourceUnavailable(f"{_UNDER_WAY}, but {why}", location=location, entry=entry, hint=_HINT)


def digest_of(descriptor: int, most: int) -> str | None:
    """The SHA-256 of an open file from its beginning, read on from there after; None if longer."""
    digest, taken = hashlib.sha256(), 0
    while chunk := os.read(descriptor, CHUNK_BYTES):
        taken += len(chunk)
        if taken > most:
            return None
        digest.update(chunk)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return digest.hexdigest()


class _Foreign(Exception):
    """A file is neither what it was before the batch nor what the batch makes of it: its path."""


class _Planted(Exception):
    """A file is not for those to change who may have put the journal there: its path."""


class _Looking:
    """One look at all files of a journal."""

    def __init__(self, root: RootedFolder, journal: Journal, limits: Limits) -> None:
        self._root = root
        self._files = journal.files
        self._most = limits.file_bytes
        self._left = limits.total_bytes
        self._only_of = _possible_planter(root)
        self._spellings = Counter(_key(file.path) for file in journal.files)

    def overlay(self, data: bytes) -> Overlay:
        """What becomes of all of them.

        Raises:
            _Foreign: one of them was changed by somebody else.
            _Planted: the batch is of somebody who may not change one of them.
            OSError: one cannot be looked at.
        """
        coming: dict[str, Coming] = {}
        going: set[str] = set()
        for file in self._files:
            there = self._there(file)
            if self._only_of is not None and not _may_change(self._only_of, file, there):
                raise _Planted(file.path)
            if file.new is not None:
                coming[file.path] = self._coming(file, file.new, there)
            elif there is None or Before.of(there) == file.before:
                going.add(file.path)
            else:
                raise _Foreign(file.path)
        return Overlay(data, coming, frozenset(going))

    def _coming(self, file: JournalFile, new: str, there: os.stat_result | None) -> Coming:
        staged = _status(self._root, (FOLDER, new))
        before = None if there is None else Before.of(there)
        if staged is not None and before == file.before:
            now: os.stat_result | None = staged
        elif staged is None or self._is_done(file, there, staged):
            now = there  # what it holds is seen when it is read
        else:
            now = None
        if now is None or not stat.S_ISREG(now.st_mode):
            raise _Foreign(file.path)
        return Coming(new, file.sha256 or "", now.st_size, now.st_mtime_ns)

    def _is_done(
        self, file: JournalFile, there: os.stat_result | None, staged: os.stat_result
    ) -> bool:
        """Whether a file has its bytes though they are staged, too: it had them before."""
        if there is None or os.path.samestat(there, staged):
            return there is not None
        is_file = stat.S_ISREG(there.st_mode)
        return is_file and self._digest(file.path, there.st_size) == file.sha256

    def _there(self, file: JournalFile) -> os.stat_result | None:
        """The status of what stands at a path; None for nothing."""
        parts = tuple(file.path.split("/"))
        status = _status(self._root, parts)
        if status is None or self._spellings[_key(file.path)] == 1:
            return status
        # A system that ignores case shows a page under its old name, too, after it got the new one.
        folder = "/".join(parts[:-1])
        return status if any(item.name == parts[-1] for item in self._root.scan(folder)) else None

    def _digest(self, path: str, size: int) -> str | None:
        self._left -= size
        if self._left < 0:
            return None
        try:
            descriptor = self._root.open_file(tuple(path.split("/")))
        except OSError:
            return None
        try:
            return digest_of(descriptor, self._most)
        finally:
            os.close(descriptor)


def _possible_planter(root: RootedFolder) -> int | None:
    """The user who may have put the journal there without the right to change all files there."""
    staging = _status(root, (FOLDER,))
    if staging is None or not may_be_planted(staging, root.status()):
        return None
    return staging.st_uid


def _may_change(user: int, file: JournalFile, there: os.stat_result | None) -> bool:
    """Whether a user may have taken away or put what stands at a path, at the root: it is theirs.

    A file that the batch has put already is theirs, too, as they have made it.
    """
    return "/" not in file.path and (there is None or there.st_uid == user)


def _status(root: RootedFolder, parts: tuple[str, ...]) -> os.stat_result | None:
    try:
        return root.status_of(parts)
    except OSError as error:
        if error.errno in _NOT_THERE:
            return None
        if error.errno in (errno.ELOOP, errno.EMLINK):  # a folder on the way became a link
            return None
        raise


def _key(path: str) -> str:
    """What paths have in common that some systems take for the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
