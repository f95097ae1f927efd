"""What seems to have happened to an archive that is not the one that was pinned."""

from __future__ import annotations

import hashlib
import os
import stat
import zlib
from contextlib import closing
from pathlib import Path

from ..errors import MemoryfieldError, PinMismatch, UnsafeArchive
from ..limits import Limits
from ..manifest import Manifest
from ..names import Role, role
from ..sources.archive import ArchiveSource
from ..sources.random_access import PIECE_BYTES, RandomAccess, pieces_of
from .diagnosis import (
    CHANGED,
    GZIP_BITS,
    GZIP_MAGIC,
    OTHER_PIN,
    STILL_GZIPPED,
    mismatch,
    not_a_file,
)
from .pin import Pin
from .private_copy import PrivateCopy

_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OPEN_FLAGS |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_HEAD_BYTES = 4096
_CUT = "it is cut off or damaged"


def mismatch_of_archive(
    file: RandomAccess,
    actual: str,
    pin: Pin,
    limits: Limits,
    *,
    location: str,
    url: str | None = None,
    manifest: Manifest | None = None,
    locked_size: int | None = None,
) -> PinMismatch:
    """The error of an archive that is another one than was pinned, with the entry at fault.

    Arguments:
        file: the whole archive; it stays open.
        actual: its SHA-256, in hexadecimal.
        pin: what it should have.
        limits: how much of it is looked at.
        location: as messages show it.
        url: where it came from in the end; None where that says nothing.
        manifest: what it should hold; None where that is not known.
        locked_size: the bytes it should have; None where that is not known.
    """
    diagnosis, entry = _diagnosis(file, pin, limits, manifest)
    if locked_size is not None and diagnosis.startswith(_CUT) and file.size < locked_size:
        diagnosis = f"it is cut off: {file.size} of {locked_size} bytes"
    return mismatch(
        diagnosis,
        expected=str(pin),
        actual=f"sha256:{actual}",
        location=location,
        entry=entry,
        size=file.size,
        url=url,
    )


def damaged_entry(path: Path, pin: Pin, limits: Limits, manifest: Manifest | None) -> str | None:
    """The entry of an archive in a file that is not what it was; None if that cannot be told."""
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
        with open(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return None
            copy = PrivateCopy(file, status.st_size, limits.archive_bytes)
        with closing(copy):
            return _diagnosis(copy, pin, limits, manifest)[1]
    except (OSError, MemoryfieldError):
        return None


def _diagnosis(
    file: RandomAccess, pin: Pin, limits: Limits, manifest: Manifest | None
) -> tuple[str, str | None]:
    """What seems to have happened to an archive, and to which entry of it."""
    head = file.read_at(0, _HEAD_BYTES)
    odd = not_a_file(head, file.size)
    if odd is not None:
        return odd, None
    if head.startswith(GZIP_MAGIC):
        inside = _sha256_inside(file, limits.archive_bytes)
        fits = "; what is inside would match" if inside == pin.sha256 else ""
        return f"{STILL_GZIPPED}{fits}", None
    try:
        source = ArchiveSource(file, location="", archive_name="", name="", limits=limits)
    except MemoryfieldError as error:
        return f"it is no whole archive: {error.message}", error.entry
    for fault in source.faults:
        what = _CUT if fault.rule == "MF601" else "its records are damaged"
        return f"{what}: {fault.message}", fault.entry
    return _changed_entry(source, pin, limits, manifest)


def _changed_entry(
    source: ArchiveSource, pin: Pin, limits: Limits, manifest: Manifest | None
) -> tuple[str, str | None]:
    expected = dict(manifest.hashes) if manifest is not None else {}
    of_field: dict[str, str] = {}
    for entry in (*source.root(), *source.nested()):
        if entry.size > limits.file_bytes or entry.kind.value != "file":
            continue
        digest = hashlib.sha256()
        try:
            for piece in source.chunks(entry):
                digest.update(piece)
        except UnsafeArchive as error:
            return f"an entry is damaged: {error.faults[0].message}", entry.path
        except MemoryfieldError as error:
            return f"an entry cannot be read: {error.message}", entry.path
        wanted = expected.pop(entry.path, None)
        if "/" in entry.path or role(entry.path) not in (Role.PAGE, Role.ATTACHMENT):
            continue
        of_field[entry.path] = digest.hexdigest()
        if manifest is not None and wanted != digest.hexdigest():
            return ("an entry was added" if wanted is None else "an entry was changed"), entry.path
    for name in expected:
        return "an entry is missing", name
    if manifest is not None:
        return "its pages are those that were pinned, but it was packed in another way", None
    if Manifest.of(of_field).digest == f"field-{pin}":
        return f"{OTHER_PIN} the field: field-{pin}", None
    return CHANGED, None


def _sha256_inside(file: RandomAccess, most: int) -> str | None:
    """The SHA-256 of what gzip compressed; None if that is no whole stream, or too large."""
    inflater = zlib.decompressobj(GZIP_BITS)
    digest = hashlib.sha256()
    size = 0
    try:
        for piece in pieces_of(file):
            while piece and not inflater.eof:
                inflated = inflater.decompress(piece, PIECE_BYTES)
                piece = inflater.unconsumed_tail
                digest.update(inflated)
                size += len(inflated)
                if size > most:
                    return None
    except zlib.error:
        return None
    return digest.hexdigest() if inflater.eof else None
