"""A new archive read again before it counts: a disk, or memory, may have made another one of it."""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import BinaryIO, Final, TypeAlias, cast

from memoryfield_readers import (
    ArchiveImage,
    Fault,
    LimitExceeded,
    Limits,
    SourceUnavailable,
    UnsafeArchive,
)
from memoryfield_readers.canonical_archive.records import DEFLATED
from memoryfield_readers.here import strict_paths

from .building import Layout, Placed, Run
from .new_file import PIECE_BYTES, NewFile

ReadAt: TypeAlias = Callable[[int, int], bytes]

_OF_NAMES: Final = ("MF603", "MF604")


def verified(made: NewFile, layout: Layout, image: ArchiveImage, limits: Limits) -> str:
    """See that an edited archive is what was planned.

    What was copied is compared with the old archive byte for byte, what is new with the plan; the
    new entries are unpacked, and the structure is judged as any reader does it.

    Arguments:
        made: the new archive.
        layout: what it is to consist of.
        image: the old one.
        limits: how much a reader takes.

    Returns:
        The SHA-256 of the archive, in hexadecimal.

    Raises:
        SourceUnavailable: it is another one, or cannot be read.
        LimitExceeded: no reader would take it with these limits.
        UnsafeArchive: no reader would take it.
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    at = 0
    for piece in layout.pieces:
        for expected in _pieces_of(piece, image.read_at):
            found = made.read_at(at, len(expected))
            if found != expected:
                raise unlike()
            digest.update(found)
            at += len(found)
    if at != layout.size:
        raise unlike()
    for placed in layout.placed:
        if not _holds_content(placed, made.read_at):
            raise unlike()
    with opened_again(made) as archive:
        check_structure(archive, layout.paths, layout.size, limits)
    return digest.hexdigest()


def check_structure(archive: BinaryIO, paths: tuple[str, ...], size: int, limits: Limits) -> None:
    """See that a reader takes an archive, and finds these entries in it.

    Arguments:
        archive: the archive, which stays open.
        paths: the names of its entries, in order.
        size: its bytes.
        limits: how much a reader takes.

    Raises:
        SourceUnavailable: there are others in it.
        LimitExceeded, UnsafeArchive: no reader would take it; without a location.
        OSError: it cannot be read.
    """
    if archive.seek(0, os.SEEK_END) != size:
        raise unlike()
    try:
        found = strict_paths(archive, "", limits)
    except UnsafeArchive as error:
        first = error.faults[0]
        if first.rule == "MF607":
            raise LimitExceeded(
                f"the new archive would be over the limits: {first.message}", hint=first.hint
            ) from error
        raise UnsafeArchive(tuple(map(_of_new, error.faults))) from error
    if found != paths:
        raise unlike()


def opened_again(made: NewFile) -> BinaryIO:
    """A new file, open for reading from its start; closing it closes nothing."""
    return cast("BinaryIO", os.fdopen(made.descriptor, "rb", buffering=0, closefd=False))


def sha256_read_again(made: NewFile, size: int) -> str:
    """The SHA-256 of what the disk holds, in hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    for at in range(0, size, PIECE_BYTES):
        digest.update(made.read_at(at, min(PIECE_BYTES, size - at)))
    return digest.hexdigest()


def unlike() -> SourceUnavailable:
    """The error for what was made and is another by now."""
    return SourceUnavailable(
        "cannot be written: what the disk holds is not what was written",
        hint="the disk or the memory of this machine fails: look after it",
    )


def _of_new(fault: Fault) -> Fault:
    hint = "give it another name, with `memoryfield mv`" if fault.rule in _OF_NAMES else None
    return replace(fault, message=f"the new archive would not be safe: {fault.message}", hint=hint)


def _pieces_of(piece: Run | bytes, read_at: ReadAt) -> Iterator[bytes]:
    if isinstance(piece, bytes):
        for at in range(0, len(piece), PIECE_BYTES):
            yield piece[at : at + PIECE_BYTES]
        return
    for at in range(piece.start, piece.end, PIECE_BYTES):
        yield read_at(at, min(PIECE_BYTES, piece.end - at))


def _holds_content(placed: Placed, read_at: ReadAt) -> bool:
    """Whether an entry unpacks to what it is to hold."""
    header = placed.entry.header
    data = read_at(placed.at, header.compressed)
    if header.method == DEFLATED:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            data = inflater.decompress(data, header.size + 1)
        except zlib.error:
            return False
        if not inflater.eof:
            return False
    return hashlib.sha256(data).digest() == hashlib.sha256(placed.entry.content).digest()
