"""How an object comes into the cache: whole, under the name of what it is, or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from .claims import claim
from .folders import Folder, folder_at
from .objects import PARTIAL, VERSION, bytes_of, hash_of, opened, parts_of, path_of

_SYNC_FROM = 1024 * 1024
"""From this size on, an object is on the disk before it has its name: a power cut costs no archive.
A small one that a power cut damages is noticed when it is used, and soon brought again."""

_READ_ONLY = 0o444
_TAG_NAME = "CACHEDIR.TAG"
_TAG = """\
Signature: 8a477f597d28d172789f06886806bc55
# This folder is a cache of memoryfields: what it holds can be fetched again.
# For information about cache directory tags, see https://bford.info/cachedir/
"""


class Draft:
    """A blob that is being written in `partial`; it gets its name when it is whole."""

    def __init__(self, root: Path) -> None:
        """Make the file, and the folders that are missing.

        Raises:
            OSError: they cannot be made.
        """
        make_ready(root)
        self._root = root
        self._digest = hashlib.sha256()
        self._size = 0
        self._closed = self._moved = False
        with folder_at(root, *PARTIAL, make=True) as folder:
            while True:
                self._name = f"put-{secrets.token_hex(16)}.tmp"
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
                self._descriptor = folder.open(self._name, flags)
                if claim(self._descriptor):
                    return
                os.close(self._descriptor)  # somebody clears the cache, and it was there too soon

    @property
    def sha256(self) -> str:
        """The hash of what was written so far."""
        return self._digest.hexdigest()

    def write(self, piece: bytes) -> None:
        """Append bytes.

        Raises:
            OSError: they cannot be written.
        """
        view = memoryview(piece)
        while view:
            view = view[os.write(self._descriptor, view) :]
        self._digest.update(piece)
        self._size += len(piece)

    def finish(self) -> int:
        """Give the blob its name; returns its size.

        Raises:
            OSError: it cannot be done.
        """
        if hasattr(os, "fchmod"):
            os.fchmod(self._descriptor, _READ_ONLY)
        if self._size >= _SYNC_FROM:
            os.fsync(self._descriptor)
        os.close(os.dup(self._descriptor))  # some file systems tell now that they have no room
        if os.name == "nt":  # where an open file keeps its name
            self._close()
        with folder_at(self._root, *PARTIAL) as folder:
            if not hasattr(os, "fchmod"):
                os.chmod(folder.path / self._name, _READ_ONLY)
            _name(self._root, folder, self._name, self.sha256)
        self._moved = True
        with suppress(OSError):
            self._close()
        return self._size

    def discard(self) -> None:
        """Remove the file, unless it is finished; what cannot be removed is pruned some day."""
        with suppress(OSError):
            self._close()
        if not self._moved:
            with suppress(OSError), folder_at(self._root, *PARTIAL) as folder:
                folder.remove(self._name)

    def _close(self) -> None:
        if not self._closed:
            self._closed = True
            os.close(self._descriptor)


def make_ready(root: Path) -> None:
    """Make the folder of the cache, and tell backups what it is.

    Raises:
        OSError: it cannot be made.
    """
    try:
        root.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        if (root / VERSION).is_dir():
            return
    with folder_at(root) as folder:
        alone = all(item.name in (_TAG_NAME, VERSION) for item in folder.scan())
        # Somebody's folder, which holds other things, is none that backups should leave out.
        with folder_at(root, *(() if alone else (VERSION,)), make=True) as tagged:
            try:
                descriptor = tagged.open(_TAG_NAME, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            except FileExistsError:
                return
            try:
                os.write(descriptor, _TAG.encode())
            finally:
                os.close(descriptor)


def path_of_partial(root: Path, sha256: str) -> Path:
    """The path of the unfinished download of an object; the folders that are missing are made.

    Raises:
        OSError: they cannot be, or nothing can be written there.
    """
    make_ready(root)
    with folder_at(root, *PARTIAL, make=True) as folder:
        if not os.access(folder.path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder.path))
        return folder.path / sha256


def adopt(root: Path, name: str, use: Callable[[str], None]) -> tuple[str, int]:
    """Make an object of a finished file in `partial`, by giving it the name of what it is.

    Arguments:
        root: the cache's folder.
        name: the file's name.
        use: is told the hash before the file has it as its name.

    Returns:
        Its hash and its size.

    Raises:
        OSError: it is no file that can be, or cannot be renamed; it stays as it is.
    """
    with folder_at(root, *PARTIAL) as folder:
        descriptor = folder.open(name)
        try:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode) or before.st_nlink != 1:
                raise OSError(0, "what was downloaded is no file of its own")
            sha256, size = hash_of(descriptor)
            after = os.fstat(descriptor)
            if size != before.st_size or after.st_mtime_ns != before.st_mtime_ns:
                raise OSError(0, "what was downloaded changed while it was read")
            if size >= _SYNC_FROM:
                _sync(descriptor)
            if os.name == "nt":  # where an open file keeps its name
                os.close(descriptor)
                descriptor = -1
            use(sha256)
            _name(root, folder, name, sha256)
            # Read-only from now on, and not before: a download that stays must stay writable.
            with suppress(OSError):
                if descriptor >= 0:
                    os.fchmod(descriptor, _READ_ONLY)
                    os.utime(descriptor)
                else:
                    os.chmod(path_of(root, sha256), _READ_ONLY)
        finally:
            if descriptor >= 0:
                os.close(descriptor)
    return sha256, size


def _sync(descriptor: int) -> None:
    with suppress(OSError):  # some systems do not for what is open for reading alone
        os.fsync(descriptor)


def _name(root: Path, folder: Folder, name: str, sha256: str) -> None:
    folders, rest = parts_of(sha256)
    for again in (True, True, False):
        try:
            with folder_at(root, *folders, make=True) as target:
                folder.move(name, target, rest)
        except FileNotFoundError:  # the folder, if the cache was cleared just now
            if not again:
                raise
        except PermissionError:  # on some systems, nothing replaces what somebody reads
            if not _is_there(root, sha256):
                raise
            folder.remove(name)
            return
        else:
            return


def _is_there(root: Path, sha256: str) -> bool:
    """Whether the object is there already, and whole."""
    with opened(root, sha256) as found:
        return found is not None and bytes_of(*found)[1] == sha256
