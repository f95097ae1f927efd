"""From a location elsewhere to a source: each transport is imported when it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import LocationError, MemoryfieldError, NotFound, PageError
from .here import no_archive
from .limits import Limits
from .locations import (
    FsspecLocation,
    GitHubLocation,
    GitLocation,
    HttpLocation,
    LocalLocation,
    ParsedLocation,
    S3Location,
    parse_location,
)
from .manifest import Manifest
from .names import archive_stem
from .pins.pin import Pin
from .source import Source
from .sources.archive import ArchiveSource
from .sources.remote import RemoteSource
from .transfer.options import TransferOptions
from .transfer.progress import Watch
from .transfer.ranged import RangedObject
from .transfer.ranged_file import RangedFile
from .transfer.store import Store

if TYPE_CHECKING:
    from .cache import Cache

SERVED_ARCHIVE = "memoryfield.zip"
"""Where a server has the whole field (MF703)."""


def remote_source(
    location: ParsedLocation,
    options: TransferOptions,
    limits: Limits,
    watch: Watch,
    *,
    whole: bool,
    pin: Pin | None = None,
    size: int | None = None,
    cache: Cache | None = None,
    manifest: Manifest | None = None,
    listing: Manifest | None = None,
    offline: bool = False,
) -> Source:
    """The source of a location that is not on this machine, or not as files.

    Arguments:
        location: the location.
        options: how it is reached.
        limits: how much to take.
        watch: is told how far a long transfer is.
        whole: whether to fetch an archive whole, and check all of it at once.
        pin: the pin of the archive, which is hashed whole before a byte of it is handed out.
        size: the bytes of an archive that has a pin; None where that is not known.
        cache: where an archive that has a pin may stand, and is put; None for nowhere.
        manifest: what an archive that has a pin should hold, for the diagnosis of a mismatch.
        listing: names all files of a folder, where these are known: a server or a bucket is then
            never asked what there is.
        offline: whether to ask nobody: then there is but an archive in the cache.

    Raises:
        MemoryfieldError: it cannot be had; as `open_field` raises.
    """
    try:
        if pin is not None:
            if not is_archive(location):
                raise no_archive(location.shown)
            return _pinned(location, options, limits, watch, pin, size, cache, manifest, offline)
        if offline:
            from .pins.whole_archive import nothing_here

            raise nothing_here(location.shown)
        return _source(location, options, limits, watch, whole=whole, listing=listing)
    except MemoryfieldError as error:
        error.location = error.location or location.shown
        raise


def _source(
    location: ParsedLocation,
    options: TransferOptions,
    limits: Limits,
    watch: Watch,
    *,
    whole: bool,
    listing: Manifest | None,
) -> Source:
    if isinstance(location, HttpLocation) and not location.is_archive:
        return _served(location, options, limits, watch, whole=whole, listing=listing)
    name = name_of(location)
    if is_archive(location):
        file = RangedFile(remote_object(location, options, limits), limits, watch)
        return _archive(file, location.shown, name, archive_stem(name), limits, whole=whole)
    store = _store(location, options, limits, listing)
    if isinstance(location, GitHubLocation) and location.ref_and_path and store.resolved:
        name = name_of(
            parse_location(store.resolved)
        )  # now it is known which of the two it ends in
    return RemoteSource(store, location=location.shown, name=name, limits=limits, watch=watch)


def _served(
    location: HttpLocation,
    options: TransferOptions,
    limits: Limits,
    watch: Watch,
    *,
    whole: bool,
    listing: Manifest | None,
) -> Source:
    """A field that a server serves: its archive, if there is one, tells what is in it (MF703)."""
    from .http.http_object import HttpObject

    options.of_transport("HTTP")
    archive = HttpObject(location.url + SERVED_ARCHIVE, options, location=location.shown)
    try:
        file = RangedFile(archive, limits, watch)
    except (NotFound, PageError) as error:
        # An HTML page is how some servers say that there is none.
        why = "404" if isinstance(error, NotFound) else "an HTML page"
        tried = (f"{SERVED_ARCHIVE}: {why}",)
        return _http_field(location, options, limits, watch, manifest=listing, tried=tried)
    except MemoryfieldError as error:
        error.entry = error.entry or SERVED_ARCHIVE
        raise
    found = location.shown + SERVED_ARCHIVE
    return _archive(file, location.shown, None, location.name, limits, whole=whole, resolved=found)


def _http_field(
    location: HttpLocation,
    options: TransferOptions,
    limits: Limits,
    watch: Watch,
    *,
    manifest: Manifest | None,
    tried: tuple[str, ...],
) -> Source:
    from .sources.http_field import HttpField

    store = HttpField(location, options, limits, manifest=manifest, tried=tried)
    return RemoteSource(
        store,
        location=location.shown,
        name=location.name,
        limits=limits,
        watch=watch,
        redirected=store.redirected,
    )


def _pinned(
    location: ParsedLocation,
    options: TransferOptions,
    limits: Limits,
    watch: Watch,
    pin: Pin,
    size: int | None,
    cache: Cache | None,
    manifest: Manifest | None,
    offline: bool,
) -> Source:
    """An archive that is proved whole before a byte of it is handed out."""
    from .pins.whole_archive import pinned_archive

    name = name_of(location)

    def remote() -> RangedObject:
        return remote_object(location, options, limits)

    file, resolved, notes = pinned_archive(
        remote,
        pin,
        cache,
        limits,
        watch,
        location=location.shown,
        size=size,
        manifest=manifest,
        offline=offline,
    )
    return ArchiveSource(
        file,
        location=location.shown,
        archive_name=name,
        name=archive_stem(name),
        limits=limits,
        resolved=resolved,
        notes=notes,
    )


def _archive(
    file: RangedFile,
    shown: str,
    archive_name: str | None,
    name: str,
    limits: Limits,
    *,
    whole: bool,
    resolved: str | None = None,
) -> Source:
    try:
        if whole:
            file.bring_all()
        return ArchiveSource(
            file,
            location=shown,
            archive_name=archive_name,
            name=name,
            limits=limits,
            strict=file.is_whole,
            resolved=resolved or file.resolved,
            notes=file.notes,
        )
    except MemoryfieldError:
        file.close()
        raise


def is_archive(location: ParsedLocation) -> bool:
    """Whether a location is that of an archive elsewhere."""
    return not isinstance(location, LocalLocation) and location.is_archive


def name_of(location: ParsedLocation) -> str:
    """The last component of a location, which names the field or its archive."""
    if isinstance(location, S3Location):
        return location.key.rstrip("/").rpartition("/")[2] or location.bucket
    if isinstance(location, GitHubLocation):
        path = location.path or (location.ref_and_path if location.is_archive else "")
        return path.rpartition("/")[2] or location.repo
    if isinstance(location, GitLocation):
        place = location.path or location.repository.rstrip("/").removesuffix(".git").rstrip("/")
        return place.rpartition("/")[2]
    if isinstance(location, LocalLocation):
        return location.path.name
    return location.name


def remote_object(
    location: ParsedLocation, options: TransferOptions, limits: Limits
) -> RangedObject:
    """An archive elsewhere as a file that is read by range; it is looked up now, if need be."""
    if isinstance(location, HttpLocation):
        from .http.http_object import HttpObject

        options.of_transport("HTTP")
        return HttpObject(location.url, options, location=location.shown)
    if isinstance(location, S3Location):
        from .sources.s3 import S3Object

        return S3Object(location, options)
    if isinstance(location, GitHubLocation):
        from .sources.github import github_archive

        return github_archive(location, options)
    if isinstance(location, GitLocation):
        from .sources.git import GitBlob

        return GitBlob(location, options, limits)
    if isinstance(location, FsspecLocation):
        from .sources.any_fsspec import FsspecObject

        return FsspecObject(location, options)
    raise LocationError("is on this machine", location=location.shown)


def _store(
    location: ParsedLocation,
    options: TransferOptions,
    limits: Limits,
    listing: Manifest | None,
) -> Store:
    if isinstance(location, S3Location):
        from .sources.s3 import S3Prefix

        names = None if listing is None else tuple(listing.hashes)
        return S3Prefix(location, options, limits, names=names)
    if isinstance(location, GitHubLocation):
        from .sources.github import GitHubFolder

        return GitHubFolder(location, options, limits)
    if isinstance(location, GitLocation):
        from .sources.git import GitFolder

        return GitFolder(location, options, limits)
    if isinstance(location, FsspecLocation):
        from .sources.any_fsspec import FsspecFolder

        return FsspecFolder(location, options, limits)
    raise LocationError("is no folder elsewhere", location=location.shown)
