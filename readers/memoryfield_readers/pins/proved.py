"""A source that hands out nothing but what a manifest covers, proved file by file (MF904)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from ..archive_image import ArchiveImage
from ..display import shown
from ..entry import Entry, EntryKind
from ..errors import Fault, MemoryfieldError, NotFound, PageError, UnsafeArchive
from ..limits import Limits
from ..manifest import Manifest
from ..names import Role, is_debris, role
from ..source import Arrived, Source, ignored
from ..transfer.doubts import without_doubts
from .diagnosis import mismatch, mismatch_of_error, mismatch_of_file, mismatch_of_names

_PIECE_BYTES = 256 * 1024
_OTHERS = 3
"""So many other files are asked for, to tell a file that was dropped from a field that is gone."""
_MAY_BE_READ = (EntryKind.FILE, EntryKind.UNREADABLE)
"""What may be a file; one that cannot be examined just now says so when it is read."""


class ProvedSource(Source):
    """Another source, of which each file is hashed before its first byte is handed out.

    Pages and attachments are those of the manifest, no more and no fewer. What lies beside them
    and is covered by nothing (debris, sub-directories) is listed, as it is no part of a field; a
    vector index is left out, unless its hash is known too.
    """

    def __init__(
        self,
        source: Source,
        manifest: Manifest,
        limits: Limits,
        *,
        indexes: Mapping[str, str] | None = None,
        whole: bool = False,
    ) -> None:
        """Compare what is listed with what was pinned.

        Arguments:
            source: the source, which is closed with this one.
            manifest: the hashes of all pages and attachments.
            limits: `file_bytes` bounds what is held in memory.
            indexes: the hashes of vector indexes, by name.
            whole: whether the source is an archive that was hashed whole, so that its own bytes are
                covered, too.

        Raises:
            PinMismatch: a page or an attachment is missing or was added.
        """
        self.location = source.location
        self.name = source.name
        self.archive_name = source.archive_name
        self.faults: tuple[Fault, ...] = source.faults
        self.resolved = source.resolved
        self._source = source
        self._limits = limits
        self._whole = whole
        self._hashes = {**manifest.hashes, **(indexes or {})}
        self._listed = listed = {entry.path: entry for entry in source.root()}
        missing = [
            name
            for name in self._hashes
            if (entry := listed.get(name)) is None or entry.kind not in _MAY_BE_READ
        ]
        added = [
            name
            for name, entry in listed.items()
            if name not in self._hashes and self._is_added(entry)
        ]
        for fault in source.faults:
            if fault.entry in missing:  # it is there, but damaged, and so not listed
                raise mismatch(
                    fault.message,
                    expected=f"sha256:{self._hashes[fault.entry]}",
                    actual="no such file",
                    location=self.location,
                    entry=fault.entry,
                )
        if missing or added:
            raise mismatch_of_names(
                missing, added, location=self.location, expected=manifest.digest
            )
        self._root = tuple(
            entry
            for name, entry in listed.items()
            if name in self._hashes or role(name) is not Role.INDEX
        )
        left_out = [
            name for name in listed if name not in self._hashes and role(name) is Role.INDEX
        ]
        self._left_out = tuple(
            f"the vector index {shown(name)} is covered by no pin, and is not read"
            for name in left_out
            if listed[name].kind is EntryKind.FILE
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how the field was found and read."""
        return (*without_doubts(self._source.notes), *self._left_out)

    def root(self) -> Sequence[Entry]:
        """The entries at the root; vector indexes that nothing covers are not among them."""
        return self._root

    def listed(self, name: str) -> Entry:
        """What the source listed for a file that is covered."""
        return self._listed[name]

    def nested(self) -> Iterable[Entry]:
        """What lies in sub-directories; see `Source.nested`."""
        return self._source.nested()

    def read(self, entry: Entry, most: int) -> bytes:
        """All bytes of a file, proved; see `Source.read`.

        Raises:
            PinMismatch: they are not those that were pinned.
        """
        expected = self._hashes.get(entry.path)
        if expected is None:
            raise NotFound("is covered by no pin", location=self.location, entry=entry.path)
        try:
            data = self._source.read(entry, most)
        except NotFound as error:  # nobody lists what a server has: that it is gone shows now
            if not self._has_another(entry):
                raise  # all of it is gone: the field cannot be had
            raise mismatch_of_names(
                (entry.path,), (), location=self.location, expected=f"sha256:{expected}"
            ) from error
        except (PageError, UnsafeArchive) as error:  # a page to log in, say, or damaged data
            raise mismatch_of_error(
                error,
                f"sha256:{expected}",
                location=self.location,
                entry=entry.path,
                url=self._source.came_from(entry),
            ) from error
        if hashlib.sha256(data).hexdigest() != expected:
            url = self._source.came_from(entry)
            raise mismatch_of_file(
                data, expected, location=self.location, entry=entry.path, url=url
            )
        return data

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        """The bytes of a file in pieces, the first of which comes when all are proved."""
        if entry.path not in self._hashes:  # debris: no part of a field, looked at for damage alone
            yield from self._source.chunks(entry)
            return
        data = self.read(entry, self._limits.file_bytes)
        for at in range(0, len(data), _PIECE_BYTES):
            yield data[at : at + _PIECE_BYTES]

    def prepare(self, entries: Sequence[Entry], arrived: Arrived = ignored) -> None:
        """Bring files near; see `Source.prepare`."""
        self._source.prepare(entries, arrived)

    def known(self, entry: Entry) -> Entry:
        """What is known of an entry by now; see `Source.known`."""
        return self._source.known(entry)

    def dated(self, entry: Entry) -> Entry:
        """The entry with the time of its last change; see `Source.dated`."""
        return self._source.dated(entry)

    def came_from(self, entry: Entry) -> str | None:
        """Where a file came from in the end; see `Source.came_from`."""
        return self._source.came_from(entry)

    def archive_digest(self) -> str | None:
        """The archive pin; see `Source.archive_digest`."""
        return self._source.archive_digest()

    @property
    def archive_size(self) -> int | None:
        """Bytes of the archive; see `Source.archive_size`."""
        return self._source.archive_size

    def archive_chunks(self) -> Iterator[bytes]:
        """The bytes of the archive, if they were proved; see `Source.archive_chunks`."""
        return self._source.archive_chunks() if self._whole else iter(())

    def archive_image(self) -> ArchiveImage | None:
        """The raw make-up of the archive, if its bytes were proved; see `Source.archive_image`."""
        return self._source.archive_image() if self._whole else None

    def close(self) -> None:
        """Let go of the source."""
        self._source.close()

    def _has_another(self, missing: Entry) -> bool:
        """Whether the source has some other file of the field, where one is not there any more."""
        others = (self._listed[name] for name in self._hashes if name != missing.path)
        for other in islice(others, _OTHERS):
            try:
                self._source.read(other, self._limits.file_bytes)
            except NotFound:
                continue
            except MemoryfieldError:
                pass  # it has something there, whatever is the matter with it
            return True
        return False

    def _is_added(self, entry: Entry) -> bool:
        """Whether an entry at the root that no pin covers would be a part of the field."""
        name, kind = entry.path, entry.kind
        if kind is EntryKind.DIRECTORY or is_debris(name):
            return False
        return kind is not EntryKind.FILE or role(name) is not Role.INDEX
