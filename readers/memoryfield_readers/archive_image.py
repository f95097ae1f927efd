"""The raw make-up of an archive, for who copies its entries as they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple


class ImageEntry(NamedTuple):
    """One entry of an archive, as it stands in its bytes.

    Attributes:
        path: its name as a field has it, without the slash at the end of a folder's.
        folder: whether it stands for a folder.
        method: 0 for stored, 8 for deflated.
        crc: the CRC-32 of its content.
        compressed: bytes of its data in the archive.
        size: bytes of its content.
        start: offset of its local header.
        end: offset behind its data, and behind its data descriptor if it has one.
        record: its whole header in the central directory, with name, extra fields and comment.
    """

    path: str
    folder: bool
    method: int
    crc: int
    compressed: int
    size: int
    start: int
    end: int
    record: bytes


@dataclass(frozen=True, slots=True)
class ArchiveImage:
    """An archive that was checked strictly: its entries tile it from its first byte on.

    Attributes:
        entries: all of them, folders and debris included, in the order of the central directory.
        comment: the comment of the archive.
        size: bytes of the archive.
        directory_at: offset of the central directory, which is where the entries end.
        read_at: up to so many bytes (second argument) from an offset (first argument). Raises
            SourceUnavailable if they cannot be read, also when the field has been closed.
    """

    entries: tuple[ImageEntry, ...]
    comment: bytes
    size: int
    directory_at: int
    read_at: Callable[[int, int], bytes] = field(repr=False, compare=False)
