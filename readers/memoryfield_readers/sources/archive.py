"""A ZIP archive as a source, over any seekable file (MF601-MF609)."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..archive_image import ArchiveImage
from ..display import shown
from ..entry import Entry, EntryKind, entries_in_order
from ..errors import (
    HARMLESS_FAULTS,
    Fault,
    LimitExceeded,
    MemoryfieldError,
    NotFound,
    SourceChanged,
    SourceUnavailable,
    UnsafeArchive,
)
from ..journal import FOLDER, JOURNAL, PACKED_HALF_WAY
from ..limits import Limits, raise_limit
from ..source import Arrived, Source, ignored
from ..system_errors import error_of
from .folders import nested_files, with_folders
from .random_access import RandomAccess
from .subfolder import SubfolderSource
from .zip_content import content_of, hashes_of, is_small
from .zip_directory import read_directory
from .zip_frames import judge_frame
from .zip_image import comment_of, image_entries
from .zip_member import DEFLATED, Member

_CHUNK_BYTES = 256 * 1024
_FILE = EntryKind.FILE
_FOLDER = EntryKind.DIRECTORY

MOST_HEADER_BYTES = 256 * 1024
"""What stands beside the data of an entry: a name, extra fields, a data descriptor, at most."""


class ArchiveSource(Source):
    """A ZIP archive; entries at fault are not listed, and `faults` says why."""

    def __init__(
        self,
        file: RandomAccess,
        *,
        location: str,
        archive_name: str | None,
        name: str,
        limits: Limits,
        strict: bool = True,
        resolved: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        """Read the central directory and check the structure; nothing is inflated yet.

        Arguments:
            file: the archive; it is closed with this source.
            location: as messages show it.
            archive_name: its file name; None if it only carries what is no archive to a person.
            name: the name of the field.
            limits: how much to take.
            strict: whether to check every local header at once; if not, each is when its entry is
                read, and all are when the pin is made.
            resolved: the location with the commit or version that was read; None for none.
            notes: what a person should know of how the archive was reached.
        """
        self.location = location
        self.archive_name = archive_name
        self.name = name
        self.resolved = resolved
        self._file = file
        self._limits = limits
        self._strict = strict
        directory = read_directory(file, limits, strict=strict)
        self.faults: tuple[Fault, ...] = directory.faults
        self._directory_at = directory.directory_at or 0
        self._records = directory.records
        self._members = {member.path: member for member in directory.members}
        is_half_way = f"{FOLDER}/{JOURNAL}" in self._members
        self._notes = (*notes, PACKED_HALF_WAY) if is_half_way else notes
        entries = entries_in_order(
            Entry(path, _FOLDER if folder else _FILE, size, modified_ns)
            for path, folder, _, _, _, size, modified_ns, _, _, _ in directory.members
        )
        self._root = with_folders(entries)
        self._nested = nested_files(entries)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how the archive was reached, and how it was made."""
        return self._notes

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
        content = self._at_once(self._member(entry))
        return b"".join(self.chunks(entry)) if content is None else content

    def sha256(self, entry: Entry) -> str:
        """The SHA-256 of an entry; see `Source.sha256`."""
        content = self._at_once(self._member(entry))
        return super().sha256(entry) if content is None else hashlib.sha256(content).hexdigest()

    def sha256s(self, entries: Iterable[Entry]) -> Mapping[str, str]:
        """The SHA-256 of small entries; see `Source.sha256s`."""
        if not self._file.has((0, self._file.size)):
            return {}
        members = (self._members.get(entry.path) for entry in entries)
        return hashes_of(self._file, (member for member in members if member is not None))

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        """The bytes of an entry in pieces, never more than the archive announced.

        Raises:
            UnsafeArchive: size (MF606) or CRC (MF601) are not what the archive announced.
            SourceUnavailable: the archive cannot be read.
        """
        member = self._member(entry)
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

    def prepare(self, entries: Sequence[Entry], arrived: Arrived = ignored) -> None:
        """Fetch entries that are not here yet, neighbours in one request; see `Source.prepare`."""
        if self._file.has((0, self._file.size)):
            return
        members = [self._members[entry.path] for entry in entries if entry.path in self._members]
        members = [member for member in members if not member.folder and self._may_be_read(member)]
        try:
            self._file.bring(member.span for member in members)
        except SourceUnavailable as error:
            got = [member.path for member in members if self._file.has(member.span)]
            missing = [m.path for m in members if not self._file.has(m.span)]
            self._place(error)
            raise error.broken_off(got, missing) from error
        except LimitExceeded as error:
            self._place(error)
            raise

    def archive_digest(self) -> str | None:
        """The archive pin: the SHA-256 of the archive's bytes, as `sha256sum` prints it.

        An archive that only carries a field has none: a server makes it anew.

        Raises:
            UnsafeArchive: the archive has not been checked whole before, and is not safe.
            SourceUnavailable: it cannot be read.
            LimitExceeded: it is elsewhere, and larger than any archive within the limits.
        """
        if self.archive_name is None:
            return None
        try:
            self._file.bring_all()
        except (SourceUnavailable, LimitExceeded) as error:
            self._place(error)
            raise
        if not self._strict:
            self._check_whole()
        digest = hashlib.sha256()
        for at in range(0, self._file.size, _CHUNK_BYTES):
            digest.update(self._read_at(at, _CHUNK_BYTES))
        return f"sha256:{digest.hexdigest()}"

    @property
    def archive_size(self) -> int | None:
        """Bytes of the archive; None, as there is no pin, if it only carries a field."""
        return None if self.archive_name is None else self._file.size

    def archive_chunks(self) -> Iterator[bytes]:
        """The bytes of the archive in pieces; none if not all of it is here."""
        if self._file.has((0, self._file.size)):
            for at in range(0, self._file.size, _CHUNK_BYTES):
                yield self._read_at(at, _CHUNK_BYTES)

    def archive_image(self) -> ArchiveImage | None:
        """The raw make-up of the archive; see `Source.archive_image`."""
        if self.archive_name is None or not self._strict:
            return None
        self._refuse(self.faults)
        behind = self._directory_at + len(self._records)
        comment = comment_of(self._read_at(behind, self._file.size - behind))
        if comment is None:
            raise SourceChanged("changed while it was being read", location=self.location)
        return ArchiveImage(
            image_entries(self._members.values(), self._records),
            comment,
            self._file.size,
            self._directory_at,
            self._read_at,
        )

    def within(self, folder: str) -> Source:
        """A sub-directory as a source; see `Source.within`."""
        return SubfolderSource(self, folder)

    def _check_whole(self) -> None:
        """Refuse an archive of which only the directory was looked at, if there is more to it."""
        directory = read_directory(self._file, self._limits)
        self._refuse(directory.faults)
        self._records = directory.records
        self._strict = True

    def _refuse(self, faults: tuple[Fault, ...]) -> None:
        """Hand out no more of an archive with faults that count."""
        if counting := tuple(fault for fault in faults if fault.rule not in HARMLESS_FAULTS):
            raise UnsafeArchive(counting, location=self.location)

    def close(self) -> None:
        """Close the archive, if it was opened for this source."""
        self._file.close()

    def _member(self, entry: Entry) -> Member:
        member = self._members.get(entry.path)
        if member is None:
            raise NotFound("no such entry", location=self.location, entry=entry.path)
        return member

    def _at_once(self, member: Member) -> bytes | None:
        """The content of a small entry; None for a large one, and where anything is wrong with it.

        Then it is to be read in pieces, which says what is wrong.
        """
        if not is_small(member):
            return None
        return content_of(member, self._read_at(self._data_at(member), member.compressed))

    def _stored(self, member: Member) -> Iterator[bytes]:
        start = self._data_at(member)
        end = start + member.compressed
        for at in range(start, end, _CHUNK_BYTES):
            yield self._read_at(at, min(_CHUNK_BYTES, end - at))

    def _data_at(self, member: Member) -> int:
        """Where the data of an entry begin, once its local header has been checked."""
        if isinstance(member.data_at, int):
            return member.data_at
        if not self._may_be_read(member):
            raise LimitExceeded(
                f"{member.compressed} compressed bytes, over the limit of "
                f"{self._limits.file_bytes}",
                location=self.location,
                entry=member.path,
                hint=raise_limit("file-bytes"),
            )
        try:
            if not self._file.has(member.span):
                self._file.bring([member.span])
            found = judge_frame(self._file, member.data_at)
        except OSError as error:
            raise error_of(error, location=self.location) from error
        except SourceUnavailable as error:
            error.entry = error.entry or member.path
            self._place(error)
            raise
        except LimitExceeded as error:
            self._place(error)
            raise
        if isinstance(found, Fault):
            raise UnsafeArchive((found,), location=self.location)
        self._members[member.path] = member._replace(data_at=found)
        return found

    def _may_be_read(self, member: Member) -> bool:
        """Whether no more would be fetched than a file may have, were it stored."""
        return member.end - member.start <= self._limits.file_bytes + MOST_HEADER_BYTES

    def _place(self, error: MemoryfieldError) -> None:
        error.location = error.location or self.location

    def _read_at(self, offset: int, length: int) -> bytes:
        try:
            return self._file.read_at(offset, length)
        except OSError as error:
            raise error_of(error, location=self.location) from error
        except SourceUnavailable as error:
            self._place(error)
            raise

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
