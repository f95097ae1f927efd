"""From a location elsewhere to a source: each transport is imported when it is needed."""

from __future__ import annotations

from .errors import LocationError, MemoryfieldError, NotFound, PageError
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
from .names import archive_stem
from .source import Source
from .sources.archive import ArchiveSource
from .sources.remote import RemoteSource
from .transfer.options import TransferOptions
from .transfer.progress import Watch
from .transfer.ranged import RangedObject
from .transfer.ranged_file import RangedFile
from .transfer.store import Store

SERVED_ARCHIVE = "memoryfield.zip"
"""Where a server has the whole field (MF703)."""


def remote_source(
    location: ParsedLocation,
    options: TransferOptions,
    limits: Limits,
    watch: Watch,
    *,
    whole: bool,
) -> Source:
    """The source of a location that is not on this machine, or not as files.

    Arguments:
        location: the location.
        options: how it is reached.
        limits: how much to take.
        watch: is told how far a long transfer is.
        whole: whether to fetch an archive whole, and check all of it at once.

    Raises:
        MemoryfieldError: it cannot be had; as `open_field` raises.
    """
    try:
        return _source(location, options, limits, watch, whole=whole)
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
) -> Source:
    if isinstance(location, HttpLocation) and not location.is_archive:
        return _served(location, options, limits, watch, whole=whole)
    name = _name(location)
    if _is_archive(location):
        file = RangedFile(_object(location, options, limits), limits, watch)
        return _archive(file, location.shown, name, archive_stem(name), limits, whole=whole)
    store = _store(location, options, limits)
    if isinstance(location, GitHubLocation) and location.ref_and_path and store.resolved:
        name = _name(parse_location(store.resolved))  # now it is known which of the two it ends in
    return RemoteSource(store, location=location.shown, name=name, limits=limits, watch=watch)


def _served(
    location: HttpLocation, options: TransferOptions, limits: Limits, watch: Watch, *, whole: bool
) -> Source:
    """A field that a server serves: its archive, if there is one, tells what is in it (MF703)."""
    from .http.http_object import HttpObject
    from .sources.http_field import HttpField

    options.of_transport("HTTP")
    archive = HttpObject(location.url + SERVED_ARCHIVE, options, location=location.shown)
    try:
        file = RangedFile(archive, limits, watch)
    except (NotFound, PageError) as error:
        # An HTML page is how some servers say that there is none.
        why = "404" if isinstance(error, NotFound) else "an HTML page"
        store = HttpField(location, options, limits, tried=(f"{SERVED_ARCHIVE}: {why}",))
        return RemoteSource(
            store, location=location.shown, name=location.name, limits=limits, watch=watch
        )
    except MemoryfieldError as error:
        error.entry = error.entry or SERVED_ARCHIVE
        raise
    found = location.shown + SERVED_ARCHIVE
    return _archive(file, location.shown, None, location.name, limits, whole=whole, resolved=found)


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


def _is_archive(location: ParsedLocation) -> bool:
    return not isinstance(location, LocalLocation) and location.is_archive


def _name(location: ParsedLocation) -> str:
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


def _object(location: ParsedLocation, options: TransferOptions, limits: Limits) -> RangedObject:
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


def _store(location: ParsedLocation, options: TransferOptions, limits: Limits) -> Store:
    if isinstance(location, S3Location):
        from .sources.s3 import S3Prefix

        return S3Prefix(location, options, limits)
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
