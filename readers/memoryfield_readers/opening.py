"""From a location to a field."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from .errors import (
    HARMLESS_FAULTS,
    LimitExceeded,
    LocationError,
    PinMismatch,
    UnsafeArchive,
)
from .field import Field
from .here import archive_source, file_object_source, local_source, no_archive
from .limits import DEFAULT_LIMITS, Limits
from .locations import LocalLocation, parse_location
from .pins.pin import Pin, Pins, parse_pins
from .source import Source
from .transfer.options import TransferOptions
from .transfer.progress import Watch, unwatched

if TYPE_CHECKING:
    from .cache import Cache
    from .lock import LockedField, LockFile

Location: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO"
PinText: TypeAlias = "str | Pin | Pins | Iterable[str | Pin]"
"""A pin, as text or taken apart, or one of each kind."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What `open_field` was asked for, beside the location."""

    pins: Pins
    limits: Limits
    name: str | None
    storage_options: Mapping[str, Any] | None
    cache: Cache | EllipsisType | None
    offline: bool
    trusted: bool
    watch: Watch
    whole: bool


def open_field(
    location: Location,
    *,
    pin: PinText | None = None,
    limits: Limits = DEFAULT_LIMITS,
    name: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    cache: Cache | EllipsisType | None = ...,
    offline: bool = False,
    trusted: bool = True,
    watch: Watch = unwatched,
) -> Field:
    """Open a field for reading; a container that is not safe to read is refused.

    Of an archive elsewhere the end and the central directory are read and checked, and each entry
    when it is read; `Field.archive_digest` and `inspect_field` check it whole. With an archive pin
    the whole archive is hashed before a byte of it is handed out, with a field pin the whole field
    is; a field of a lock file is proved file by file (MF904).

    Arguments:
        location: a directory or a ZIP archive on this machine, as a path or a `file://` URL; a URL
            of either elsewhere (`https://`, `s3://`, `github://`, `git+https://`, `git+file://`,
            and all that fsspec knows); "@NAME" or "NAME" of the nearest lock file; an archive as
            bytes or as a seekable binary file object, which stays open.
        pin: `sha256:…` of the archive, `field-sha256:…` of the field, or both.
        limits: how much to take (MF607).
        name: the file name of an archive given as bytes or file object, for messages.
        storage_options: how the source is reached: `timeout` (seconds), `retries`, `anon`, and what
            the transport has for itself.
        cache: where fetched fields stand. As it is, a field of a lock file is looked for in the
            default cache, and others in none; None for no cache at all. An archive elsewhere whose
            pin is given is put into a cache that is.
        offline: whether to ask nobody else, and take what is on this machine alone.
        trusted: whether the location is one that a person chose. One that comes from a page or a
            configuration of someone else may name public places alone.
        watch: is told how far a long transfer is.

    Raises:
        InvalidPin: the pin is none, or not of what the location is; nobody was asked yet.
        LocationError: the location is of no kind that can be read, or an option is wrong.
        LockFileError: the lock file means nothing.
        PinMismatch: what came is not what was pinned.
        NotFound: it does not exist.
        AccessDenied: it may not be read.
        SourceUnavailable: it cannot be had for another reason.
        UnsafeArchive: the archive breaks MF601 or one of MF603 to MF607.
        LimitExceeded: the field goes beyond the limits (MF607).
    """
    pins = parse_pins(pin)
    asked = _Asked(pins, limits, name, storage_options, cache, offline, trusted, watch, whole=False)
    field = _opened(location, asked)
    refusal = refusal_of(field)
    if refusal is None:
        return field
    field.close()
    raise refusal


def inspect_field(
    location: Location,
    *,
    pin: PinText | None = None,
    limits: Limits = DEFAULT_LIMITS,
    name: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    cache: Cache | EllipsisType | None = ...,
    offline: bool = False,
    trusted: bool = True,
    watch: Watch = unwatched,
) -> Field:
    """Open a field for review, as `open_field` does, but refuse nothing but what no pin allows.

    What is wrong with the container stands in `Field.faults`; entries at fault are not listed. An
    archive elsewhere is fetched whole. This is what a validator needs, and nobody else should want.
    """
    pins = parse_pins(pin)
    asked = _Asked(pins, limits, name, storage_options, cache, offline, trusted, watch, whole=True)
    return _opened(location, asked)


def memory_field(
    files: Mapping[str, bytes],
    name: str = "field",
    location: str = "<memory>",
    *,
    limits: Limits = DEFAULT_LIMITS,
    modified_ns: Mapping[str, int] | None = None,
) -> Field:
    """A field whose files are in memory: pages that are not written yet, for one.

    Arguments:
        files: the bytes of each file, by its path; the bytes are not copied.
        name: the name of the field.
        location: as messages show it.
        limits: how much to take (MF607).
        modified_ns: when files were changed last, in nanoseconds since 1970-01-01T00:00:00Z, by
            path; of what is not among these, nobody knows.

    Raises:
        LimitExceeded: the field goes beyond the limits (MF607).
    """
    from .sources.memory import MemorySource

    source = MemorySource(
        files, name=name, location=location, limits=limits, modified_ns=modified_ns
    )
    field = Field(source, limits)
    if field.faults and (refusal := refusal_of(field)) is not None:
        raise refusal
    return field


def local_path(location: str) -> Path | None:
    """The path that a location names on this machine, whether it exists or not; None for none."""
    try:
        parsed = parse_location(location)
    except LocationError:
        return None
    return parsed.path if isinstance(parsed, LocalLocation) else None


def _opened(location: Location, asked: _Asked) -> Field:
    found = None
    if isinstance(location, str) and asked.trusted:
        from .lock.names import locked_field

        found = locked_field(location, limits=asked.limits)
    source = _source(location, asked) if found is None else _locked(*found, asked)
    with ExitStack() as undo:
        undo.callback(source.close)
        field = Field(source, asked.limits)
        if found is None and asked.pins.field is not None:
            field = _proved(field, source, asked.pins.field, asked)
        undo.pop_all()
    return field


def _proved(field: Field, source: Source, pin: Pin, asked: _Asked) -> Field:
    """The same field, of which nothing is handed out that its pin does not cover."""
    from .pins.proved import ProvedSource
    from .pins.whole_field import manifest_of

    whole = asked.pins.archive is not None  # then it was hashed before
    manifest = manifest_of(field, pin)
    return Field(ProvedSource(source, manifest, asked.limits, whole=whole), asked.limits)


def _locked(lock: LockFile, locked: LockedField, asked: _Asked) -> Source:
    from .locked import locked_source

    for given, known in (
        (asked.pins.field, locked.field_pin),
        (asked.pins.archive, locked.archive_pin),
    ):
        if given is None or given == known:
            continue
        if known is None:
            raise no_archive(locked.location)
        raise PinMismatch(
            f"the lock file has another pin: {known}, not {given}",
            location=f"@{locked.name}",
            expected=str(given),
            actual=str(known),
            diagnosis="the lock file has another pin",
        )
    cache = asked.cache
    if isinstance(cache, EllipsisType):
        from .cache import Cache

        cache = Cache.default()
    return locked_source(
        lock,
        locked,
        limits=asked.limits,
        storage_options=asked.storage_options,
        cache=cache,
        offline=asked.offline,
        watch=asked.watch,
        whole=asked.whole or asked.pins.archive is not None,
        archive_alone=asked.pins.archive is not None,
    )


def _source(location: Location, asked: _Asked) -> Source:
    limits, pin = asked.limits, asked.pins.archive
    if isinstance(location, bytes | bytearray | memoryview):
        file = io.BytesIO(location)
        shown = asked.name or "<bytes>"
        return archive_source(file, shown, asked.name or "", limits, owned=True, pin=pin)
    if isinstance(location, str | os.PathLike):
        text = os.fspath(location)
        if isinstance(text, str):
            return _source_of_text(text, asked, is_path=not isinstance(location, str))
    elif hasattr(location, "seek"):
        shown = asked.name or str(getattr(location, "name", "<file object>"))
        return file_object_source(location, shown, asked.name or "", limits, pin=pin)
    raise LocationError(
        f"a {type(location).__name__} is no location",
        hint="give a path, a URL, bytes, or a seekable binary file object",
    )


def _source_of_text(text: str, asked: _Asked, *, is_path: bool) -> Source:
    parsed = LocalLocation(text, Path(text)) if is_path else parse_location(text)
    options = TransferOptions.of(asked.storage_options, public_only=not asked.trusted)
    if not asked.trusted:
        from .locations.foreign import require_shareable

        require_shareable(parsed)
    if isinstance(parsed, LocalLocation):
        return local_source(parsed.path, text, asked.limits, pin=asked.pins.archive)
    from .elsewhere import remote_source

    cache = None if isinstance(asked.cache, EllipsisType) else asked.cache
    return remote_source(
        parsed,
        options,
        asked.limits,
        asked.watch,
        whole=asked.whole,
        pin=asked.pins.archive,
        cache=cache,
        offline=asked.offline,
    )


def refusal_of(field: Field) -> UnsafeArchive | LimitExceeded | None:
    """Why a field is not handed out, by what is wrong with its container; None if it may be."""
    faults = tuple(fault for fault in field.faults if fault.rule not in HARMLESS_FAULTS)
    if not faults:
        return None
    first = faults[0]
    if field.archive_name is not None or first.rule != "MF607":
        # Of a served field it is the archive that the server has beside the pages.
        served = field.resolved if field.archive_name is None else None
        return UnsafeArchive(faults, location=served or field.location)
    return LimitExceeded(first.message, location=field.location, entry=first.entry, hint=first.hint)
