"""From a location to a field."""

from __future__ import annotations

import io
import os
import re
import stat
from pathlib import Path
from typing import BinaryIO, TypeAlias
from urllib.parse import unquote, urlsplit

from .errors import Fault, LimitExceeded, LocationError, UnsafeArchive
from .field import Field
from .limits import DEFAULT_LIMITS, Limits
from .system_errors import error_of

Location: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO"

HARMLESS_FAULTS = frozenset({"MF609"})
"""Faults that no reader refuses an archive for."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # two letters at least: `C:\` is a drive
_NOT_PATH = re.compile(r"[?#\t\r\n]")
"""What `urlsplit` takes away from a path, with or without a word: another file would be left."""
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OPEN_FLAGS |= getattr(os, "O_NONBLOCK", 0)  # a FIFO must not hang us


def open_field(
    location: Location, *, limits: Limits = DEFAULT_LIMITS, name: str | None = None
) -> Field:
    """Open a field for reading; a container that is not safe to read is refused.

    Arguments:
        location: a directory, a ZIP archive, a `file://` URL of either, or an archive as bytes or
            as a seekable binary file object, which stays open.
        limits: how much to take (MF607).
        name: the file name of an archive given as bytes or file object, for messages.

    Raises:
        LocationError: the location is of no kind that can be read.
        NotFound: it does not exist.
        AccessDenied: it may not be read.
        SourceUnavailable: it cannot be had for another reason.
        UnsafeArchive: the archive breaks MF601 or one of MF603 to MF607.
        LimitExceeded: the directory goes beyond the limits (MF607).
    """
    field = inspect_field(location, limits=limits, name=name)
    faults = tuple(fault for fault in field.faults if fault.rule not in HARMLESS_FAULTS)
    if not faults:
        return field
    field.close()
    raise _refusal(field, faults)


def inspect_field(
    location: Location, *, limits: Limits = DEFAULT_LIMITS, name: str | None = None
) -> Field:
    """Open a field for review, as `open_field` does, but refuse nothing.

    What is wrong with the container stands in `Field.faults`; entries at fault are not listed.
    This is what a validator needs, and nobody else should want.
    """
    if isinstance(location, bytes | bytearray | memoryview):
        file = io.BytesIO(location)
        return _archive(file, name or "<bytes>", name or "", limits, owned=True)
    if isinstance(location, str | os.PathLike):
        text = os.fspath(location)
        if isinstance(text, str):
            return _open_path(_local_path(text), text, limits)
    elif hasattr(location, "seek"):
        shown = name or str(getattr(location, "name", "<file object>"))
        return _open_file_object(location, shown, name or "", limits)
    raise LocationError(
        f"a {type(location).__name__} is no location",
        hint="give a path, a file:// URL, bytes, or a seekable binary file object",
    )


def local_path(location: str) -> Path | None:
    """The path that a location names on this machine, whether it exists or not; None for none."""
    try:
        return _local_path(location)
    except LocationError:
        return None


def _open_path(path: Path, text: str, limits: Limits) -> Field:
    try:
        if path.is_dir():
            from .sources.local import LocalSource

            return Field(LocalSource(path, text, limits), limits)
        descriptor = os.open(path, _OPEN_FLAGS)
    except OSError as error:
        raise error_of(error, location=text) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise LocationError("is neither a folder nor a file", location=text)
    file = open(descriptor, "rb", buffering=0)  # noqa: SIM115 - closed with the field
    return _archive(file, text, path.name, limits, owned=True)


def _open_file_object(file: object, shown: str, name: str, limits: Limits) -> Field:
    try:
        return _archive(file, shown, name, limits, owned=False)
    except OSError as error:
        raise error_of(error, location=shown) from error
    except (AttributeError, TypeError, ValueError) as error:
        raise LocationError(
            f"is no seekable binary file object: {error}", location=shown
        ) from error


def _local_path(text: str) -> Path:
    if not text or "\x00" in text or not _encodable(text):
        raise LocationError("is no path", location=text or "''", hint="name a folder or an archive")
    scheme = _SCHEME.match(text)
    if not scheme or os.path.exists(text):
        return Path(text)
    if scheme[1].lower() != "file":
        # The text is not repeated: there may be credentials in it, in any part.
        raise LocationError(
            f"this version cannot read {scheme[1]}: locations",
            hint="give a folder, a ZIP archive or a file:// URL",
        )
    try:
        url = urlsplit(text)
    except ValueError:  # its text repeats what may be a password
        raise LocationError("is no file:// URL", hint="write file:///absolute/path") from None
    here = url.netloc.lower() in ("", "localhost") and url.path.startswith("/")
    if not here or _NOT_PATH.search(text):
        raise LocationError(
            "is no file:// URL of this machine",
            location=f"file:{url.path}",
            hint="write file:///absolute/path, with %23 for # and %3F for ?",
        )
    decoded = unquote(url.path, errors="surrogateescape")
    if "\x00" in decoded:
        raise LocationError("holds a NUL", location=text)
    if os.name == "nt":
        decoded = decoded.lstrip("/")
    return Path(decoded)


def _encodable(text: str) -> bool:
    """Whether the file system can have such a name at all."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def _archive(file: object, location: str, name: str, limits: Limits, *, owned: bool) -> Field:
    from .sources.archive import ArchiveSource
    from .sources.random_access import SeekableFile

    access = SeekableFile(file, owned=owned)  # type: ignore[arg-type]
    source = ArchiveSource(access, location=location, archive_name=name, limits=limits)
    return Field(source, limits)


def _refusal(field: Field, faults: tuple[Fault, ...]) -> UnsafeArchive | LimitExceeded:
    if field.archive_name is not None:
        return UnsafeArchive(faults, location=field.location)
    first = faults[0]
    return LimitExceeded(first.message, location=field.location, entry=first.entry, hint=first.hint)
