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
from .sources.local import error_of

Location: TypeAlias = "str | os.PathLike[str] | bytes | BinaryIO"

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # two letters at least: `C:\` is a drive
_CREDENTIALS = re.compile(r"//[^/?#]*@")
_NOT_PATH = re.compile(r"[?#\t\r\n]")
"""What `urlsplit` takes away from a path, with or without a word: another file would be left."""
_HARMLESS = frozenset({"MF609"})


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
        NotFound, AccessDenied, SourceUnavailable: it cannot be had.
        UnsafeArchive: the archive breaks MF601 or one of MF603 to MF607.
        LimitExceeded: the directory goes beyond the limits (MF607).
    """
    field = inspect_field(location, limits=limits, name=name)
    faults = tuple(fault for fault in field.faults if fault.rule not in _HARMLESS)
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
    if isinstance(location, bytes):
        return _archive(io.BytesIO(location), name or "<bytes>", name or "", limits, owned=True)
    if not isinstance(location, str | os.PathLike):
        shown = name or str(getattr(location, "name", "<file object>"))
        try:
            return _archive(location, shown, name or "", limits, owned=False)
        except OSError as error:
            raise error_of(error, location=shown) from error
    text = os.fspath(location)
    path = _local_path(text)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            from .sources.local import LocalSource

            return Field(LocalSource(path, text, limits), limits)
        if stat.S_ISREG(mode):
            return _archive(path.open("rb", buffering=0), text, path.name, limits, owned=True)
    except OSError as error:
        raise error_of(error, location=text) from error
    raise LocationError("is neither a folder nor a file", location=text)


def _local_path(text: str) -> Path:
    if not text or "\x00" in text or not _encodable(text):
        raise LocationError("is no path", location=text or "''", hint="name a folder or an archive")
    if not _URL.match(text) or os.path.exists(text):
        return Path(text)
    try:
        url = urlsplit(text)
    except ValueError as error:
        raise LocationError(f"is no URL: {error}") from None
    bare = _CREDENTIALS.sub("//", text).partition("?")[0]  # for messages
    if url.scheme != "file":
        raise LocationError(
            f"this version cannot read {url.scheme}: locations",
            location=bare,
            hint="give a folder, a ZIP archive or a file:// URL",
        )
    here = url.netloc.lower() in ("", "localhost") and url.path.startswith("/")
    if not here or _NOT_PATH.search(text):
        raise LocationError(
            "is no file:// URL of this machine",
            location=bare,
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
