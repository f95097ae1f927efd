"""The seam between transports and the format: what lists entries and reads bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

from .archive_image import ArchiveImage
from .entry import Entry
from .errors import Fault, LocationError

Arrived: TypeAlias = Callable[[Entry], None]
"""Called with an entry whose bytes have come, by the thread that waits for them."""


def ignored(entry: Entry) -> None:
    """Nobody does anything with single files that have come."""


class Source(Protocol):
    """A transport that lists entries and reads bytes, and knows nothing of the format.

    What only sources elsewhere have to do has an answer here, which all others inherit.

    Attributes:
        location: the location as messages show it.
        name: the last component of the location, without an archive's ending.
        archive_name: the file name of an archive, "" if it has none; None for what is no archive.
        faults: what is wrong with the container as a whole or with single entries of it.
        resolved: the location with what it was pinned to (a commit, a version); None where nothing
            of that kind is known.
        in_memory: whether all bytes are at hand in memory, so that reading them takes nothing.
    """

    location: str
    name: str
    archive_name: str | None
    faults: tuple[Fault, ...]
    resolved: str | None = None
    in_memory: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how the field was found and read, one line each."""
        return ()

    @property
    def known_digest(self) -> str | None:
        """The field pin, where it is known without reading a file, and all that comes is proved."""
        return None

    def root(self) -> Sequence[Entry]:
        """The entries at the root, sub-directories included.

        Raises:
            SourceUnavailable: the listing cannot be had.
            LimitExceeded: there are more entries than the limits allow.
        """
        ...

    def nested(self) -> Iterable[Entry]:
        """What lies in sub-directories: the files, and what is irregular.

        A sub-directory is no part of a field. A folder is named itself only where it is debris,
        which a directory's source does not enter, or where it cannot be listed: then it is
        unreadable.

        Raises:
            LimitExceeded: there are more entries than the limits allow.
        """
        ...

    def read(self, entry: Entry, most: int) -> bytes:
        """All bytes of a file.

        Arguments:
            entry: a file that this source has listed.
            most: how many bytes to take at most.

        Raises:
            LimitExceeded: the file has more bytes than that.
            SourceUnavailable: the file cannot be read.
            UnsafeArchive: what is read is not what the archive announced.
        """
        ...

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        """The bytes of a file in pieces; raises as `read` does."""
        ...

    def sha256(self, entry: Entry) -> str:
        """The SHA-256 of a file's bytes, in hexadecimal; raises as `read` does."""
        digest = hashlib.sha256()
        for chunk in self.chunks(entry):
            digest.update(chunk)
        return digest.hexdigest()

    def sha256s(self, entries: Iterable[Entry]) -> Mapping[str, str]:
        """The SHA-256 of files, by path: of those that are cheaper to hash together than alone.

        What stands in the way of a single one is told when that one is read.
        """
        return {}

    def prepare(self, entries: Sequence[Entry], arrived: Arrived = ignored) -> None:
        """Bring files near that are going to be read, in as few requests as that takes.

        What stands in the way of a single file is told when that one is read.

        Arguments:
            entries: the files.
            arrived: is told of each file that was not near before, where files come one by one.

        Raises:
            SourceUnavailable: the source gives nothing any more; `got` and `missing` say how far
                it came.
            LimitExceeded: they have more bytes together than the limits allow.
        """
        return

    def known(self, entry: Entry) -> Entry:
        """What is known of an entry by now: reading a file may tell its size and its time."""
        return entry

    def dated(self, entry: Entry) -> Entry:
        """The entry with the time of its last change, asked for if need be; raises as `read`."""
        return self.known(entry)

    def came_from(self, entry: Entry) -> str | None:
        """The URL that gave a file in the end, fit to be shown; None where that says nothing."""
        return None

    def archive_digest(self) -> str | None:
        """The archive pin, `sha256:` and 64 hexadecimal digits; None for what is no archive."""
        ...

    @property
    def archive_size(self) -> int | None:
        """Bytes of the archive; None for what is no archive."""
        return None

    def archive_chunks(self) -> Iterator[bytes]:
        """The bytes of the archive in pieces; none of what is no archive, or is not here whole."""
        return iter(())

    def archive_image(self) -> ArchiveImage | None:
        """The raw make-up of an archive that is here and was checked whole; None for all else.

        Raises:
            UnsafeArchive: it is not safe.
            SourceUnavailable: it cannot be read.
        """
        return None

    def within(self, folder: str) -> Source:
        """A sub-directory as a source, open for as long as this one is.

        Arguments:
            folder: its path, with `/` between components.

        Raises:
            LocationError: what lies in sub-directories is not read here.
            NotFound: there is no such sub-directory, or it is debris.
            LimitExceeded: there are more entries than the limits allow.
        """
        raise LocationError(
            "sub-directories are read of folders and archives on this machine alone, without a pin",
            location=self.location,
            hint="fetch it, and give the path of the copy",
        )

    def close(self) -> None:
        """Let go of what is open."""
        ...
