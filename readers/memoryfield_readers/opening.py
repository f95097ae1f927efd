"""From a location to a field."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from .errors import HARMLESS_FAULTS, Fault, LimitExceeded, LocationError, UnsafeArchive
from .field import Field
from .limits import DEFAULT_LIMITS, Limits
from .locations import LocalLocation, parse_location
from .names import archive_stem
from .source import Source
from .system_errors import error_of
from .transfer.progress import Watch, unwatched

Location: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO"

_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OPEN_FLAGS |= getattr(os, "O_NONBLOCK", 0)  # a FIFO must not hang us


def open_field(
    location: Location,
    *,
    limits: Limits = DEFAULT_LIMITS,
    name: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    trusted: bool = True,
    watch: Watch = unwatched,
) -> Field:
    """Open a field for reading; a container that is not safe to read is refused.

    Of an archive elsewhere the end and the central directory are read and checked, and each entry
    when it is read; `Field.archive_digest` and `inspect_field` check it whole.

    Arguments:
        location: a directory or a ZIP archive on this machine, as a path or a `file://` URL; a URL
            of either elsewhere (`https://`, `s3://`, `github://`, `git+https://`, `git+file://`,
            and all that fsspec knows); an archive as bytes or as a seekable binary file object,
            which stays open.
        limits: how much to take (MF607).
        name: the file name of an archive given as bytes or file object, for messages.
        storage_options: how the source is reached: `timeout` (seconds), `retries`, `anon`, and what
            the transport has for itself.
        trusted: whether the location is one that a person chose. One that comes from a lock file, a
            page or a configuration of someone else may name public places alone.
        watch: is told how far a long transfer is.

    Raises:
        LocationError: the location is of no kind that can be read, or an option is wrong.
        NotFound: it does not exist.
        AccessDenied: it may not be read.
        SourceUnavailable: it cannot be had for another reason.
        UnsafeArchive: the archive breaks MF601 or one of MF603 to MF607.
        LimitExceeded: the field goes beyond the limits (MF607).
    """
    source = _source(location, limits, name, storage_options, trusted, watch, whole=False)
    field = Field(source, limits)
    faults = tuple(fault for fault in field.faults if fault.rule not in HARMLESS_FAULTS)
    if not faults:
        return field
    field.close()
    raise _refusal(field, faults)


def inspect_field(
    location: Location,
    *,
    limits: Limits = DEFAULT_LIMITS,
    name: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    trusted: bool = True,
    watch: Watch = unwatched,
) -> Field:
    """Open a field for review, as `open_field` does, but refuse nothing.

    What is wrong with the container stands in `Field.faults`; entries at fault are not listed. An
    archive elsewhere is fetched whole. This is what a validator needs, and nobody else should want.
    """
    source = _source(location, limits, name, storage_options, trusted, watch, whole=True)
    return Field(source, limits)


def local_path(location: str) -> Path | None:
    """The path that a location names on this machine, whether it exists or not; None for none."""
    try:
        parsed = parse_location(location)
    except LocationError:
        return None
    return parsed.path if isinstance(parsed, LocalLocation) else None


def _source(
    location: Location,
    limits: Limits,
    name: str | None,
    storage_options: Mapping[str, Any] | None,
    trusted: bool,
    watch: Watch,
    *,
    whole: bool,
) -> Source:
    if isinstance(location, bytes | bytearray | memoryview):
        file = io.BytesIO(location)
        return _archive(file, name or "<bytes>", name or "", limits, owned=True)
    if isinstance(location, str | os.PathLike):
        text = os.fspath(location)
        if isinstance(text, str):
            is_path = not isinstance(location, str)
            parsed = LocalLocation(text, Path(text)) if is_path else parse_location(text)
            if not trusted:
                from .locations.foreign import require_shareable

                require_shareable(parsed)
            if isinstance(parsed, LocalLocation):
                return _local(parsed.path, text, limits)
            from .elsewhere import remote_source
            from .transfer.options import TransferOptions

            options = TransferOptions.of(storage_options, public_only=not trusted)
            return remote_source(parsed, options, limits, watch, whole=whole)
    elif hasattr(location, "seek"):
        shown = name or str(getattr(location, "name", "<file object>"))
        return _file_object(location, shown, name or "", limits)
    raise LocationError(
        f"a {type(location).__name__} is no location",
        hint="give a path, a URL, bytes, or a seekable binary file object",
    )


def _local(path: Path, text: str, limits: Limits) -> Source:
    try:
        if path.is_dir():
            from .sources.local import LocalSource

            return LocalSource(path, text, limits)
        descriptor = os.open(path, _OPEN_FLAGS)
    except OSError as error:
        raise error_of(error, location=text) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise LocationError("is neither a folder nor a file", location=text)
    file = open(descriptor, "rb", buffering=0)  # noqa: SIM115 - closed with the field
    return _archive(file, text, path.name, limits, owned=True)


def _file_object(file: object, shown: str, name: str, limits: Limits) -> Source:
    try:
        return _archive(file, shown, name, limits, owned=False)
    except OSError as error:
        raise error_of(error, location=shown) from error
    except (AttributeError, TypeError, ValueError) as error:
        raise LocationError(
            f"is no seekable binary file object: {error}", location=shown
        ) from error


def _archive(file: object, location: str, name: str, limits: Limits, *, owned: bool) -> Source:
    from .sources.archive import ArchiveSource
    from .sources.random_access import SeekableFile

    access = SeekableFile(file, owned=owned)  # type: ignore[arg-type]
    return ArchiveSource(
        access, location=location, archive_name=name, name=archive_stem(name), limits=limits
    )


def _refusal(field: Field, faults: tuple[Fault, ...]) -> UnsafeArchive | LimitExceeded:
    first = faults[0]
    if field.archive_name is not None or first.rule != "MF607":
        # Of a served field it is the archive that the server has beside the pages.
        served = field.resolved if field.archive_name is None else None
        return UnsafeArchive(faults, location=served or field.location)
    return LimitExceeded(first.message, location=field.location, entry=first.entry, hint=first.hint)
