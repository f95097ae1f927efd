"""From a location on this machine, or a file at hand, to a source."""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from .errors import HARMLESS_FAULTS, InvalidPin, LocationError, MemoryfieldError, UnsafeArchive
from .limits import Limits
from .manifest import Manifest
from .names import archive_stem
from .pins.pin import Pin
from .source import Source
from .system_errors import error_of

_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OPEN_FLAGS |= getattr(os, "O_NONBLOCK", 0)  # a FIFO must not hang us


def local_source(
    path: Path,
    text: str,
    limits: Limits,
    *,
    pin: Pin | None = None,
    manifest: Manifest | None = None,
) -> Source:
    """The source of a folder or an archive on this machine.

    Arguments:
        path: where it is.
        text: the location, as messages show it.
        limits: how much to take.
        pin: the pin of the archive, which is hashed whole before a byte of it is handed out.
        manifest: what the archive should hold, for the diagnosis of a mismatch.

    Raises:
        NotFound, AccessDenied, SourceUnavailable: it cannot be read.
        LocationError: it is neither a folder nor a file.
        InvalidPin: there is a pin of an archive for a folder.
        PinMismatch: the archive is another one.
    """
    try:
        if path.is_dir():
            if pin is not None:
                raise no_archive(text)
            from .sources.local import LocalSource

            return LocalSource(path, text, limits)
        descriptor = os.open(path, _OPEN_FLAGS)
    except OSError as error:
        raise error_of(error, location=text) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise LocationError("is neither a folder nor a file", location=text)
    with ExitStack() as undo:
        file = undo.enter_context(open(descriptor, "rb", buffering=0))
        try:
            source = archive_source(
                file, text, path.name, limits, owned=True, pin=pin, manifest=manifest
            )
        except OSError as error:
            raise error_of(error, location=text) from error
        undo.pop_all()  # it is closed with the field
    return source


def file_object_source(
    file: object, shown: str, name: str, limits: Limits, *, pin: Pin | None = None
) -> Source:
    """The source of an archive that is an open file, which stays open.

    Raises:
        LocationError: it is no seekable binary file object.
        MemoryfieldError: it cannot be read, or is another one than the pin says.
    """
    try:
        return archive_source(file, shown, name, limits, owned=False, pin=pin)
    except OSError as error:
        raise error_of(error, location=shown) from error
    except (AttributeError, TypeError, ValueError) as error:
        raise LocationError(
            f"is no seekable binary file object: {error}", location=shown
        ) from error


def archive_source(
    file: object,
    location: str,
    name: str,
    limits: Limits,
    *,
    owned: bool,
    pin: Pin | None = None,
    manifest: Manifest | None = None,
) -> Source:
    """The source of an archive that is a file; see `local_source` for what is not said here.

    Arguments:
        file: a seekable binary file object.
        location: as messages show it.
        name: the file name of the archive, "" if it has none.
        limits: how much to take.
        owned: whether the file is closed with the source.
        pin: its pin.
        manifest: what it should hold.

    Raises:
        OSError, AttributeError, TypeError, ValueError: what such a file object raises.
        PinMismatch: the archive is another one.
    """
    from .sources.archive import ArchiveSource
    from .sources.random_access import RandomAccess, SeekableFile

    seekable = SeekableFile(file, owned=owned)  # type: ignore[arg-type]
    access: RandomAccess = seekable
    if pin is not None:
        from .pins.whole_archive import proved_copy

        try:
            access = proved_copy(
                seekable.from_start(),
                seekable.size,
                pin,
                limits,
                location=location,
                manifest=manifest,
            )
        except MemoryfieldError as error:
            error.location = error.location or location
            raise
        finally:
            seekable.close()
    return ArchiveSource(
        access, location=location, archive_name=name, name=archive_stem(name), limits=limits
    )


def strict_paths(file: BinaryIO, location: str, limits: Limits) -> tuple[str, ...]:
    """The path of each entry of an archive, once its structure is found to be safe to read.

    Each local header is read, and no content is inflated: for who has made an archive, and is to
    see whether a reader takes it.

    Arguments:
        file: a seekable binary file object, which stays open.
        location: as messages show it.
        limits: how much to take.

    Raises:
        OSError: it cannot be read.
        UnsafeArchive: it has faults, other than such as no reader refuses it for.
    """
    from .sources.random_access import SeekableFile
    from .sources.zip_directory import read_directory

    directory = read_directory(SeekableFile(file, owned=False), limits)
    faults = tuple(fault for fault in directory.faults if fault.rule not in HARMLESS_FAULTS)
    if faults:
        raise UnsafeArchive(faults, location=location)
    return tuple(member.path for member in directory.members)


def no_archive(location: str) -> InvalidPin:
    """The error of a pin of an archive for what is no archive."""
    return InvalidPin(
        "a pin sha256: is of an archive, and this is none",
        location=location,
        hint="`memoryfield pin` prints the pin field-sha256:, which is of any field",
    )
