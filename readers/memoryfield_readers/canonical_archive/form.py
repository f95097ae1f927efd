"""The form of an archive that is the same everywhere: made, and recognised (SPEC.md)."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Final

from ..archive_image import ArchiveImage
from ..entry import name_key
from ..names import is_debris
from .records import (
    CENTRAL_BYTES,
    END_BYTES,
    LOCAL_BYTES,
    MAX_16,
    MAX_32,
    OFFSET_AT,
    EntryHeader,
    central_record,
    end_records,
    local_record,
)

_HEAD_BYTES: Final = 16
_TAIL_AT: Final = 30
_ASCII: Final = central_record(EntryHeader(b"a", 0, 0, 0), 0)
_OTHER: Final = central_record(EntryHeader(b"\xc3", 0, 0, 0), 0)
_HEADS: Final = {True: _ASCII[:_HEAD_BYTES], False: _OTHER[:_HEAD_BYTES]}
"""How records begin, up to the CRC, by whether the name is ASCII."""
_TAIL: Final = _ASCII[_TAIL_AT:OFFSET_AT]
"""What stands between the length of the name and the offset."""


def header_of(path: str, content: bytes) -> EntryHeader:
    """What the records of an entry say in the canonical form.

    Arguments:
        path: its name.
        content: all of it.
    """
    return EntryHeader(name_key(path), zlib.crc32(content), len(content), len(content))


class CanonicalForm:
    """The records of an archive in the canonical form, entry by entry."""

    def __init__(self) -> None:
        """Begin with none."""
        self._directory: list[bytes] = []
        self._last: bytes | None = None
        self._at = 0

    @property
    def at(self) -> int:
        """Where the next entry begins, in bytes from the start of the archive."""
        return self._at

    def add(self, header: EntryHeader) -> bytes:
        """Take an entry: the record that stands before its content.

        Arguments:
            header: what `header_of` gave for it.

        Raises:
            ValueError: its name does not come behind the one before.
        """
        if self._last is not None and header.name <= self._last:
            raise ValueError(f"{header.name!r} is out of order")
        self._last = header.name
        local = local_record(header)
        self._directory.append(central_record(header, self._at))
        self._at += len(local) + header.size
        return local

    def ending(self) -> bytes:
        """What stands behind the last entry."""
        records = b"".join(self._directory)
        return records + end_records(len(self._directory), len(records), self._at)


def is_canonical(image: ArchiveImage) -> bool:
    """Whether an archive is in the canonical form, so that an edited one is to be, too.

    The central directory is looked at, with what it implies for the rest; a strict reader has
    compared the local headers with it, but for times and versions, which the copied ones keep.
    """
    entries = image.entries
    if image.comment or not entries:
        return False
    if image.directory_at >= MAX_32 or len(entries) >= MAX_16:
        return _is_canonical_by_parts(image)
    paths, folders, _, _, _, sizes, starts, ends, records = zip(*entries, strict=True)
    raw = [record[CENTRAL_BYTES:] for record in records]
    names_bytes = sum(map(len, raw))
    size = names_bytes + CENTRAL_BYTES * len(raw)
    text = "".join(paths)
    return (
        image.size == image.directory_at + size + END_BYTES
        and image.directory_at == names_bytes + LOCAL_BYTES * len(raw) + sum(sizes)
        and starts[0] == 0
        and starts[1:] == ends[:-1]
        and {record[_TAIL_AT:OFFSET_AT] for record in records} == {_TAIL}
        and _have_heads(records, raw, is_ascii=text.isascii())
        and raw == sorted(raw)
        and "/" not in text
        and not any(folders)
        and not any(map(is_debris, paths))
    )


def _have_heads(records: Iterable[bytes], names: Iterable[bytes], *, is_ascii: bool) -> bool:
    if is_ascii:
        return {record[:_HEAD_BYTES] for record in records} == {_HEADS[True]}
    return all(
        record[:_HEAD_BYTES] == _HEADS[name.isascii()]
        for record, name in zip(records, names, strict=True)
    )


def _is_canonical_by_parts(image: ArchiveImage) -> bool:
    """The same of an archive that may have zip64 records: each is made anew and compared."""
    at = size = 0
    last = b""
    for entry in image.entries:
        header = EntryHeader(name_key(entry.path), entry.crc, entry.size, entry.size)
        end = at + len(local_record(header)) + entry.size
        if (
            (entry.start, entry.end, entry.method) != (at, end, header.method)
            or entry.record != central_record(header, at)
            or header.name <= last
            or entry.folder
            or is_debris(entry.path)
            or "/" in entry.path
        ):
            return False
        at, last = end, header.name
        size += len(entry.record)
    ends = len(end_records(len(image.entries), size, at))
    return image.size == image.directory_at + size + ends
