"""The content of small entries of a ZIP file in one go, where nothing is wrong with it.

Whatever is wrong is left to be told by who reads the entry in pieces.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from operator import attrgetter
from typing import Final

from ..errors import SourceUnavailable
from .random_access import RandomAccess
from .zip_member import DEFLATED, Member

AT_ONCE_BYTES: Final = 256 * 1024
"""Entries up to this size, in the archive and inflated, are read in one go."""

_WINDOW_BYTES: Final = 512 * 1024
"""Entries that lie near each other are read together."""

_START: Final = attrgetter("start")


def is_small(member: Member) -> bool:
    """Whether an entry may be read in one go."""
    return member.size <= AT_ONCE_BYTES and member.compressed <= AT_ONCE_BYTES


def content_of(member: Member, data: bytes) -> bytes | None:
    """The content of an entry from its bytes in the archive; None if it is not what was announced.

    Of what inflates to more than was announced, one byte more is inflated.
    """
    if member.method == DEFLATED:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            data = inflater.decompress(data, member.size + 1)
        except zlib.error:
            return None
        if not inflater.eof or inflater.unused_data:
            return None
    return data if len(data) == member.size and zlib.crc32(data) == member.crc else None


def hashes_of(file: RandomAccess, members: Iterable[Member]) -> dict[str, str]:
    """The SHA-256 of the content of small entries by path, read from front to back.

    Arguments:
        file: the archive, all of which is at hand.
        members: the entries; those with which anything is wrong are not in what is returned.
    """
    found: dict[str, str] = {}
    window, window_at, window_end = b"", 0, 0
    for member in sorted(members, key=_START):
        at, compressed = member.data_at, member.compressed
        if not isinstance(at, int) or not is_small(member):
            continue
        if at + compressed > window_end:
            window_at, window_end = at, min(at + _WINDOW_BYTES, file.size)
            try:
                window = file.read_at(at, window_end - at)
            except (OSError, SourceUnavailable):
                break  # whose bytes cannot be read is told when they are read by themselves
        at -= window_at
        content = content_of(member, window[at : at + compressed])
        if content is not None:
            found[member.path] = hashlib.sha256(content).hexdigest()
    return found
