"""An archive elsewhere, brought into the cache: resumable, and hashed whole before it is there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ..cache import Cache, DamagedObject
from ..errors import MemoryfieldError, PageError, SourceChanged, SourceUnavailable
from ..limits import Limits
from ..manifest import Manifest
from ..pins.archive_diagnosis import mismatch_of_archive
from ..pins.diagnosis import mismatch_of_error
from ..pins.pin import Pin
from ..pins.sized_object import sized
from ..sources.random_access import pieces_of, sha256_of
from ..transfer.partial import NotKept, PartialFile
from ..transfer.progress import Watch
from ..transfer.ranged import RangedObject
from ..transfer.ranged_file import RangedFile

_GOES_ON = "what came is kept: run the same again, such as `memoryfield fetch`, and it goes on"


def fetch_archive(
    remote: Callable[[], RangedObject],
    pin: Pin,
    cache: Cache,
    *,
    location: str,
    limits: Limits,
    watch: Watch,
    size: int | None = None,
    manifest: Manifest | None = None,
) -> bool:
    """Bring an archive into the cache, unless it is there already.

    One process at a time does it. What a process that was ended had got of it is not asked for
    again where the server has ranges; if the whole turns out to be another file than the pinned
    one, that is thrown away, and all of it is asked for once more. It takes `Cache.exclusive`
    itself: who calls it holds none, or that of the same archive.

    Arguments:
        remote: opens the archive; called again where all of it is asked for again.
        pin: its archive pin.
        cache: where it goes.
        location: as messages show it.
        limits: `archive_bytes` bounds it.
        watch: is told how far it is, at least once if any of it was asked for.
        size: the bytes it should have: one of another size is not fetched to its end. None where
            that is not known.
        manifest: what it should hold, for the diagnosis; None where that is not known.

    Returns:
        Whether it is in the cache now; if not, the cache cannot be written, and its notes say why.

    Raises:
        PinMismatch: it is not the archive that was pinned; the cache is as it was.
        LimitExceeded: it is larger than any archive within the limits.
        SourceUnavailable: it cannot be had; what came stays for the next time.
    """
    try:
        with cache.exclusive(pin.sha256):
            if is_there(cache, pin, limits):
                return True
            path = cache.partial(pin.sha256)
            if path is None:
                return False
            far = sized(remote, size, pin, location=location)
            fetch = _Fetch(far, pin, cache, path, location, limits, watch, size, manifest)
            try:
                there = fetch.once(anew=False)
                return fetch.once(anew=True) is True if there is None else there
            except NotKept as error:  # the disk is full, say: who wants it gets it in another way
                cache.not_written(error.reason)
                return False
    except MemoryfieldError as error:
        error.location = error.location or location
        raise


@dataclass(frozen=True, slots=True)
class _Fetch:
    """One archive that the cache has not, and all that it takes to get it there."""

    remote: Callable[[], RangedObject]
    pin: Pin
    cache: Cache
    path: Path
    location: str
    limits: Limits
    watch: Watch
    size: int | None
    manifest: Manifest | None

    def once(self, *, anew: bool) -> bool | None:
        """Ask for what is missing, and prove the whole; raises as `fetch_archive` does.

        Arguments:
            anew: whether to ask for all of it.

        Returns:
            Whether it is in the cache now; None where it is another file because of what was here
            before, perhaps, which is gone now.
        """
        far = self.remote()
        # None where another process is at it, and one of the two waits no more.
        partial = PartialFile.taken(self.path)
        if anew and partial is not None:
            partial.forget()
        with closing(self._opened(far, partial)) as file:
            self._bring_all(file, partial)
            self.watch("bytes", file.size, file.size)
            actual = sha256_of(file)
            if actual == self.pin.sha256:
                return _keep(self.cache, file, partial) == actual
            if partial is not None:
                partial.remove()
            if anew or not file.resumed:
                raise mismatch_of_archive(
                    file,
                    actual,
                    self.pin,
                    self.limits,
                    location=self.location,
                    url=file.came_from,
                    manifest=self.manifest,
                    locked_size=self.size,
                )
        return None

    def _bring_all(self, file: RangedFile, partial: PartialFile | None) -> None:
        """Ask for what is missing; what broke off and stays is told of."""
        try:
            file.bring_all()
        except NotKept:
            if partial is not None:
                partial.remove()  # it took the room that others need
            raise
        except SourceUnavailable as error:
            if partial is not None and not isinstance(error, SourceChanged):
                error.hint = _GOES_ON if error.hint is None else f"{error.hint}; {_GOES_ON}"
            raise

    def _opened(self, far: RangedObject, partial: PartialFile | None) -> RangedFile:
        try:
            return RangedFile(far, self.limits, self.watch, partial=partial)
        except PageError as error:  # what came is no archive: a page to log in, say
            raise mismatch_of_error(
                error, str(self.pin), location=self.location, entry=None, actual="no archive"
            ) from error


def is_there(cache: Cache, pin: Pin, limits: Limits) -> bool:
    """Whether a cache holds an archive, every byte of it; raises as `Cache.copy` does."""
    try:
        copy = cache.copy(pin.sha256, limits.archive_bytes)
    except DamagedObject:
        return False
    if copy is not None:
        copy.close()
    return copy is not None


def _keep(cache: Cache, file: RangedFile, partial: PartialFile | None) -> str | None:
    """Put what was proved into the cache, which hashes it once more; its SHA-256 if it took it."""
    if partial is None:
        return cache.put(pieces_of(file))
    if sys.platform == "win32":  # where nobody moves what is open
        partial.close()
    kept = cache.adopt(partial.path)
    if kept is not None:
        partial.remove()
    return kept
