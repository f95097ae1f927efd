"""An archive that is hashed whole before a byte of it is handed out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ..errors import PageError, SourceUnavailable
from ..limits import Limits
from ..manifest import Manifest
from ..sources.random_access import RandomAccess, sha256_of
from ..transfer.doubts import without_doubts
from ..transfer.progress import Watch
from ..transfer.ranged import RangedObject
from ..transfer.ranged_file import RangedFile
from .archive_diagnosis import damaged_entry, mismatch_of_archive
from .diagnosis import mismatch_of_error
from .pin import Pin
from .private_copy import PrivateCopy, Readable
from .sized_object import sized

if TYPE_CHECKING:
    from ..cache import Cache

FETCHED_AGAIN = "the archive in the cache is damaged: it is fetched again"


def proved_copy(
    file: Readable,
    size: int,
    pin: Pin,
    limits: Limits,
    *,
    location: str,
    manifest: Manifest | None = None,
) -> PrivateCopy:
    """A private copy of an archive, which is the one that was pinned.

    Arguments:
        file: the archive, at its first byte.
        size: its bytes, as its source has it.
        pin: its archive pin.
        limits: `archive_bytes` bounds what is copied.
        location: as messages show it.
        manifest: what it should hold, for the diagnosis; None where that is not known.

    Raises:
        PinMismatch: it is another one.
        LimitExceeded: it is too large.
        OSError: it cannot be read.
    """
    copy = PrivateCopy(file, size, limits.archive_bytes)
    if copy.sha256 == pin.sha256:
        return copy
    error = mismatch_of_archive(
        copy, copy.sha256, pin, limits, location=location, manifest=manifest
    )
    copy.close()
    raise error


def pinned_archive(
    remote: Callable[[], RangedObject],
    pin: Pin,
    cache: Cache | None,
    limits: Limits,
    watch: Watch,
    *,
    location: str,
    size: int | None = None,
    manifest: Manifest | None = None,
    offline: bool = False,
) -> tuple[RandomAccess, str | None, tuple[str, ...]]:
    """An archive elsewhere, whole and proved, what it was pinned to, and what to know of it.

    Arguments:
        remote: opens the archive.
        pin: its archive pin.
        cache: where it may stand already, and is put; None for nowhere.
        limits: `archive_bytes` bounds what is fetched.
        watch: is told how far a long transfer is.
        location: as messages show it.
        size: the bytes it should have: one of another size is not fetched to its end.
        manifest: what it should hold, for the diagnosis; None where that is not known.
        offline: whether to take it from the cache alone.

    Raises:
        PinMismatch: it is another one, also where that stands in the cache and nobody is asked.
        MemoryfieldError: it cannot be had; as `open_field` raises.
    """
    notes: tuple[str, ...] = ()
    if cache is not None:
        from ..cache import DamagedObject
        from ..fetching import fetch_archive

        try:
            copy = cached_archive(cache, pin, limits, location=location, manifest=manifest)
        except DamagedObject:
            if offline:
                raise
            copy, notes = None, (FETCHED_AGAIN,)
        if (
            copy is None
            and not offline
            and fetch_archive(
                remote,
                pin,
                cache,
                location=location,
                limits=limits,
                watch=watch,
                size=size,
                manifest=manifest,
            )
        ):
            copy = cached_archive(cache, pin, limits, location=location, manifest=manifest)
        if copy is not None:
            return copy, None, notes
        notes += cache.notes
    if offline:
        raise nothing_here(location)
    try:
        file = RangedFile(sized(remote, size, pin, location=location)(), limits, watch)
    except PageError as error:  # what came is no archive: a page to log in, say
        raise mismatch_of_error(
            error, str(pin), location=location, entry=None, actual="no archive"
        ) from error
    with ExitStack() as undo:
        undo.callback(file.close)
        file.bring_all()
        actual = sha256_of(file)
        if actual != pin.sha256:
            raise mismatch_of_archive(
                file,
                actual,
                pin,
                limits,
                location=location,
                url=file.came_from,
                manifest=manifest,
                locked_size=size,
            )
        undo.pop_all()
    return file, file.resolved, (*without_doubts(file.notes), *notes)


def cached_archive(
    cache: Cache,
    pin: Pin,
    limits: Limits,
    *,
    location: str,
    manifest: Manifest | None = None,
) -> RandomAccess | None:
    """A private copy of an archive in the cache, hashed whole; None if it is not there.

    Raises:
        DamagedObject: what stands there is another one; it names the entry at fault.
        MemoryfieldError: as `Cache.copy` raises.
    """
    from ..cache import DamagedObject

    try:
        return cache.copy(pin.sha256, limits.archive_bytes)
    except DamagedObject as error:
        error.location = location
        error.entry = damaged_entry(error.path, pin, limits, manifest)
        error.message = f"the archive in the cache {error.what}"
        raise


def nothing_here(location: str, entry: str | None = None, *, what: str = "") -> SourceUnavailable:
    """The error of what is not in the cache when nobody may be asked."""
    return SourceUnavailable(
        f"{what} is not in the cache, and nothing may be fetched".lstrip(),
        location=location,
        entry=entry,
        hint="fields of a lock file are here after `memoryfield fetch`",
    )
