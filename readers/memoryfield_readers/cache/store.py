"""The cache as the readers use it: nothing goes wrong by it, and nothing wrong comes out of it."""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ..system_errors import error_of, reason_of
from . import locks, pruning
from .damaged import DamagedObject
from .folders import folder_at
from .objects import FIRST, OBJECTS, PARTIAL, checked, parts_of, path_of
from .places import default_place, default_size
from .process import of_this_process
from .pruning import Pruned
from .reading import copy_object, damage_of, read_object
from .scanning import CacheInfo, look_through, objects
from .sizes import size_text
from .writing import Draft, adopt, path_of_partial

if TYPE_CHECKING:
    from ..sources.random_access import RandomAccess
    from ..transfer.progress import Watch


GOING_ON = "; going on without"
"""What a note ends in, of a cache that cannot be used."""


class Cache:
    """Blobs named by their SHA-256, in a folder that any number of processes share.

    Whatever stands there may be damaged or planted: what is handed out has the hash that was asked
    for. Whatever cannot be done is noted and left: a reader goes on without the cache.

    Attributes:
        path: its folder.
        most: how many bytes it may hold before those are pruned that were not used for longest;
            None for any number.
        problem: why nothing is made there; None if nothing is known to stand in the way.
    """

    def __init__(self, path: Path, *, most: int | None = None) -> None:
        """The cache in a folder; nothing is made before something is put there."""
        self.problem: str | None = None
        try:
            self.path = path.absolute()
        except OSError as error:  # the folder in which this process stands is gone
            self.path = path
            self.problem = reason_of(error)
        self.most = most
        self._notes: dict[str, None] = {}
        self._lock = Lock()
        self._process = of_this_process(self.path)

    @classmethod
    def default(cls) -> Cache:
        """The cache that the environment names, else the one of this user.

        MEMORYFIELD_CACHE_DIR is its folder, MEMORYFIELD_CACHE_SIZE how much it may hold.

        Raises:
            UnknownLimit: that is no size.
        """
        path, problem = default_place()
        cache = cls(path, most=default_size())
        cache.problem = problem or cache.problem
        return cache

    @property
    def notes(self) -> tuple[str, ...]:
        """Why the cache could not be used or written, and what was thrown out of it."""
        with self._lock:
            return tuple(self._notes)

    def has(self, sha256: str) -> bool:
        """Whether there is a file of that name; only reading it proves that it is the object."""
        return self.size(sha256) is not None

    def size(self, sha256: str) -> int | None:
        """How many bytes the file of that name has, unproved; None if there is none."""
        return self.sizes((sha256,)).get(sha256)

    def sizes(self, names: Iterable[str]) -> dict[str, int]:
        """How many bytes the files of those names have, unproved, as far as there are such."""
        found: dict[str, int] = {}
        with suppress(OSError), folder_at(self.path, *OBJECTS) as objects_folder:
            in_order = sorted(map(checked, names))
            for first, group in groupby(in_order, lambda sha256: sha256[:FIRST]):
                with suppress(OSError), objects_folder.below(first) as folder:
                    for sha256 in group:
                        with suppress(OSError):
                            status = folder.status(sha256[FIRST:])
                            if not stat.S_ISDIR(status.st_mode):  # nothing can take its place
                                found[sha256] = status.st_size
        return found

    def read(self, sha256: str, most: int) -> bytes | None:
        """The bytes of an object, proved; None if it is not there, or the cache cannot be read.

        Arguments:
            sha256: its name.
            most: how many bytes to take at most.

        Raises:
            DamagedObject: what stands there is not what its name says.
            LimitExceeded: it has more bytes than that.
            SourceUnavailable: this process can open nothing more.
        """
        self._process.use(checked(sha256))
        try:
            return read_object(self.path, sha256, most)
        except OSError as error:
            self._unreadable(error)
            return None

    def copy(self, sha256: str, most: int) -> RandomAccess | None:
        """A private copy of an object, proved: in memory, or a temporary file if it is large.

        Raises:
            DamagedObject, LimitExceeded: as `read` does.
            SourceUnavailable: there is no room for the copy.
        """
        self._process.use(checked(sha256))
        try:
            return copy_object(self.path, sha256, most)
        except OSError as error:
            self._unreadable(error)
            return None

    def put(self, pieces: Iterable[bytes]) -> str | None:
        """Keep bytes under the SHA-256 that they have; what stood there is replaced.

        Returns:
            That SHA-256; None if the cache cannot be written, which is noted. Of the pieces, some
            may not have been taken then.
        """
        try:
            draft = self._draft()
        except OSError as error:
            self._unwritable(error)
            return None
        try:
            for piece in pieces:
                try:
                    draft.write(piece)
                except OSError as error:
                    self._unwritable(error)
                    return None
            sha256 = draft.sha256
            self._process.use(sha256)
            try:
                size = draft.finish()
            except IsADirectoryError:
                self._unwritable(_in_the_way(self.path, sha256))
                return None
            except OSError as error:
                self._unwritable(error)
                return None
        finally:
            draft.discard()
        self._make_room(size)
        return sha256

    def adopt(self, file: Path) -> str | None:
        """Keep a finished download as an object; the file moves, and is hashed here once more.

        Arguments:
            file: what `partial` gave, complete, and written to by nobody any more; on Windows it
                must be closed, too.

        Returns:
            The SHA-256 that it has; None if it cannot be kept, which is noted. It stays then.

        Raises:
            ValueError: it is no file of this cache's `partial`.
        """
        if file.parent != self.path.joinpath(*PARTIAL):
            raise ValueError(f"{file} is no download of the cache in {self.path}")
        try:
            sha256, size = adopt(self.path, file.name, self._process.use)
        except OSError as error:
            self._unwritable(error)
            return None
        self._make_room(size)
        return sha256

    def partial(self, sha256: str) -> Path | None:
        """Where an unfinished download of an object stands, if there is one; its folder is there.

        What stands there may have been planted, or be a link: whoever writes to it looks at it
        before. Files beside it that begin with its name and a dot belong to it, too.

        Returns:
            The path; None if nothing can be written there, which is noted.
        """
        checked(sha256)
        try:
            self._check()
            path = path_of_partial(self.path, sha256)
            if path_of(self.path, sha256).is_dir():  # better told before all of it has come
                raise _in_the_way(self.path, sha256)
            return path
        except OSError as error:
            self._unwritable(error)
            return None

    def not_written(self, reason: str) -> None:
        """Note that a download could not be kept, by whoever wrote to what `partial` gave."""
        self._note(f"cache cannot be written: {reason}{GOING_ON}")

    def exclusive(
        self,
        sha256: str,
        *,
        waiting: Callable[[str], None] | None = None,
        what: str = "the same file",
    ) -> AbstractContextManager[None]:
        """Hold an object for this thread of this process, so that it is fetched but once.

        Where locks cannot be had, or another holds it for very long, it is not held, which is
        noted: nothing breaks by that, it only takes longer. A thread that holds one should not ask
        for others: it does not wait for them long, lest two wait for each other.

        Arguments:
            sha256: the object; some others are held with it.
            waiting: is told, in words, if this takes long; with None it does not wait long.
            what: what the object is called in those words.
        """
        checked(sha256)
        try:
            self._check()
        except OSError as error:
            self._unwritable(error)
            return nullcontext()
        return locks.exclusive(self.path, sha256, self._process, self._note, waiting, what)

    def info(self) -> CacheInfo:
        """What the cache holds.

        Raises:
            AccessDenied, SourceUnavailable: it cannot be listed.
        """
        try:
            return look_through(self.path, self.most)
        except OSError as error:
            raise error_of(error, location=str(self.path)) from error

    def verify(self, watch: Watch) -> Iterator[DamagedObject]:
        """Hash every object, and name those that are not what their names say; all stay.

        Arguments:
            watch: is told how many are done.

        Raises:
            AccessDenied, SourceUnavailable: the cache cannot be listed or read.
        """
        try:
            names = sorted(found.name for found in objects(self.path) if found is not None)
            for done, sha256 in enumerate(names, 1):
                damaged = damage_of(self.path, sha256)
                if damaged is not None:
                    yield damaged
                watch("files", done, len(names))
        except OSError as error:
            raise error_of(error, location=str(self.path)) from error

    def discard(self, damaged: DamagedObject) -> bool:
        """Throw out a file that is not what its name says; whether it is gone."""
        folders, name = parts_of(damaged.sha256)
        try:
            with folder_at(self.path, *folders) as folder:
                if stat.S_ISDIR(folder.status(name).st_mode):
                    folder.remove_folder(name)
                else:
                    folder.remove(name)
        except FileNotFoundError:
            return True
        except OSError as error:
            full = error.errno in (errno.ENOTEMPTY, errno.EEXIST)
            why = (
                "it is a folder that holds something, which the cache has not made: move it away"
                if full
                else reason_of(error)
            )
            self._note(f"{damaged.path} cannot be removed: {why}")
            return False
        self._note(f"{damaged.path} was thrown out: it was not what its name says")
        return True

    def prune(self, most: int) -> Pruned:
        """Remove what was not used for longest until no more than so many bytes are left.

        What this process has used or put stays. What was left unfinished long ago goes.

        Raises:
            AccessDenied, SourceUnavailable: the cache cannot be listed.
        """
        try:
            return pruning.prune(self.path, most, most, self._process)
        except OSError as error:
            raise error_of(error, location=str(self.path)) from error

    def let_go(self) -> None:
        """Let what this process has used or put so far be pruned as all else is."""
        self._process.let_go()

    def clear(self) -> Pruned:
        """Remove every object and all that is unfinished; nothing that the cache did not make.

        What somebody is writing just then stays.

        Raises:
            AccessDenied, SourceUnavailable: the cache cannot be listed.
        """
        try:
            return pruning.clear(self.path)
        except OSError as error:
            raise error_of(error, location=str(self.path)) from error

    def _draft(self) -> Draft:
        self._check()
        return Draft(self.path)

    def _check(self) -> None:
        if self.problem is not None:
            raise OSError(0, self.problem)

    def _make_room(self, size: int) -> None:
        """Prune if there is too much by now; the cache is not looked through for each object."""
        most = self.most
        if most is None or not self._process.grow(size):
            return
        eighth = most // 8  # other processes put, too
        try:
            pruned = pruning.prune(self.path, most, most - most // 10, self._process)
        except OSError as error:
            self._process.leave_room(eighth)
            self._note(f"cache cannot be pruned: {_told(error)}")
            return
        self._process.leave_room(min(most - pruned.left, eighth) if pruned.left < most else eighth)
        if pruned.left > most:
            why = pruned.problem or "what is in use stays"
            self._note(f"cache holds more than its limit of {size_text(most)}: {why}")

    def _unwritable(self, error: OSError) -> None:
        self._note(f"cache cannot be written: {_told(error)}{GOING_ON}")

    def _unreadable(self, error: OSError) -> None:
        self._note(f"cache cannot be read: {_told(error)}{GOING_ON}")

    def _note(self, text: str) -> None:
        with self._lock:
            self._notes[text] = None


def _in_the_way(root: Path, sha256: str) -> OSError:
    """Why an object cannot get its name where a folder has it."""
    why = "a folder is in its place, which `memoryfield cache verify --remove` removes if empty"
    return OSError(0, why, str(path_of(root, sha256)))


def _told(error: OSError) -> str:
    """What the system says; an error without a number is one of ours, in our own words."""
    reason = reason_of(error) if error.errno else str(error.strerror)
    return f"{error.filename}: {reason}" if error.filename else reason
