"""A ZIP archive as a source, over any seekable file (MF601-MF609)."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator

from ..display import shown
from ..entry import Entry, EntryKind, path_key
from ..errors import Fault, LimitExceeded, NotFound, UnsafeArchive
from ..limits import Limits
from ..names import ARCHIVE_SUFFIX, topmost_debris
from ..system_errors import error_of
from .random_access import RandomAccess
from .zip_directory import DEFLATED, Member, read_directory

_CHUNK_BYTES = 256 * 1024


class ArchiveSource:
    """A ZIP archive; entries at fault are not listed, and `faults` says why."""

    faults: tuple[Fault, ...]

    def __init__(
        self, file: RandomAccess, *, location: str, archive_name: str, limits: Limits
    ) -> None:
        """Read the central directory and check every local header; nothing is inflated yet."""
        self.location = location
        self.archive_name: str | None = archive_name
        self.name = _stem(archive_name)
        self._file = file
        self._limits = limits
        directory = read_directory(file, limits)
        self.faults = directory.faults
        self._members = {member.path: member for member in directory.members}
        entries = sorted(map(_entry, directory.members), key=path_key)
        self._root = _with_folders([e for e in entries if "/" not in e.path], entries)
        self._nested = tuple(entry for entry in entries if "/" in entry.path and _is_told(entry))

    def root(self) -> tuple[Entry, ...]:
        """The entries at the root; folders that only the names of others imply are among them."""
        return self._root

    def nested(self) -> tuple[Entry, ...]:
        """The files in sub-directories, also those in debris, and the folders that are debris."""
        return self._nested

    def read(self, entry: Entry, most: int) -> bytes:
        """All bytes of an entry; see `Source.read`."""
        if entry.size > most:
            raise LimitExceeded(
                f"{entry.size} bytes, over the limit of {most}",
                location=self.location,
                entry=entry.path,
            )
        return b"".join(self.chunks(entry))

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        """The bytes of an entry in pieces, never more than the archive announced.

        Raises:
            UnsafeArchive: size (MF606) or CRC (MF601) are not what the archive announced.
            SourceUnavailable: the archive cannot be read.
        """
        member = self._members.get(entry.path)
        if member is None:
            raise NotFound("no such entry", location=self.location, entry=entry.path)
        crc = 0
        size = 0
        pieces = self._inflated(member) if member.method == DEFLATED else self._stored(member)
        for piece in pieces:
            crc = zlib.crc32(piece, crc)
            size += len(piece)
            if size > member.size:
                break
            yield piece
        if size != member.size:
            more = "more" if size > member.size else "fewer"
            raise self._unsafe(
                "MF606", f"has {more} bytes than the {member.size} announced", member
            )
        if crc != member.crc:
            raise self._unsafe(
                "MF601", f"is damaged: its CRC is {crc:08x}, not {member.crc:08x}", member
            )

    def archive_digest(self) -> str:
        """The archive pin: the SHA-256 of the archive's bytes, as `sha256sum` prints it."""
        digest = hashlib.sha256()
        for at in range(0, self._file.size, _CHUNK_BYTES):
            digest.update(self._read_at(at, _CHUNK_BYTES))
        return f"sha256:{digest.hexdigest()}"

    def close(self) -> None:
        """Close the archive, if it was opened for this source."""
        self._file.close()

    def _stored(self, member: Member) -> Iterator[bytes]:
        end = member.data_at + member.compressed
        for at in range(member.data_at, end, _CHUNK_BYTES):
            yield self._read_at(at, min(_CHUNK_BYTES, end - at))

    def _read_at(self, offset: int, length: int) -> bytes:
        try:
            return self._file.read_at(offset, length)
        except OSError as error:
            raise error_of(error, location=self.location) from error

    def _inflated(self, member: Member) -> Iterator[bytes]:
        """Inflate piece by piece; the stream must end exactly where the entry does."""
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            for data in self._stored(member):
                while data and not inflater.eof:
                    piece = inflater.decompress(data, _CHUNK_BYTES)
                    data = inflater.unconsumed_tail
                    if piece:
                        yield piece
                if inflater.eof and (inflater.unused_data or data):
                    raise self._unsafe("MF606", "has bytes after the end of its data", member)
            while not inflater.eof:
                piece = inflater.decompress(b"", _CHUNK_BYTES)
                if not piece:
                    raise self._unsafe("MF601", "is cut off: its data does not end", member)
                yield piece
        except zlib.error as error:
            reason = str(error).rpartition(": ")[2]
            raise self._unsafe("MF601", f"cannot be inflated: {reason}", member) from None

    def _unsafe(self, rule: str, problem: str, member: Member) -> UnsafeArchive:
        fault = Fault(rule, f"{shown(member.path)} {problem}", member.path)
        return UnsafeArchive((fault,), location=self.location)


def _entry(member: Member) -> Entry:
    kind = EntryKind.DIRECTORY if member.folder else EntryKind.FILE
    return Entry(member.path, kind, member.size, member.modified_ns)


def _is_told(entry: Entry) -> bool:
    """Whether something in a sub-directory is named: an empty folder of debris is debris too."""
    return entry.kind is EntryKind.FILE or topmost_debris(f"{entry.path}/") is not None


def _with_folders(root: list[Entry], entries: list[Entry]) -> tuple[Entry, ...]:
    """The root's entries and the folders implied by the paths of others."""
    known = {entry.path for entry in root}
    for entry in entries:
        top, slash, _ = entry.path.partition("/")
        if slash and top not in known:
            known.add(top)
            root.append(Entry(top, EntryKind.DIRECTORY, 0, entry.modified_ns))
    return tuple(sorted(root, key=path_key))


def _stem(archive_name: str) -> str:
    for suffix in (ARCHIVE_SUFFIX, ".zip"):
        if archive_name.endswith(suffix):
            return archive_name.removesuffix(suffix)
    return archive_name
