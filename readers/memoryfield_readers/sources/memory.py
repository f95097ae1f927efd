"""Files in memory as a source: what is not written yet can be looked at as a field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..entry import Entry, EntryKind, entries_in_order
from ..errors import Fault, LimitExceeded, NotFound
from ..limits import Limits, raise_limit
from ..source import Source
from .folders import nested_files, with_folders


class MemorySource(Source):
    """Files that are at hand, by their paths."""

    archive_name: str | None = None
    in_memory = True
    faults: tuple[Fault, ...] = ()

    def __init__(
        self,
        files: Mapping[str, bytes],
        *,
        name: str,
        location: str,
        limits: Limits,
        modified_ns: Mapping[str, int] | None = None,
    ) -> None:
        """Take files as they are now; what is added to the mapping later is not seen."""
        times = modified_ns or {}
        self.name = name
        self.location = location
        self._limits = limits
        self._files = dict(files)
        found = (
            Entry(path, EntryKind.FILE, len(data), times.get(path))
            for path, data in self._files.items()
        )
        entries = entries_in_order(found)
        self._root = with_folders(entries)
        self._nested = nested_files(entries)
        if len(entries) > limits.entries:
            message = f"{len(entries)} entries, over the limit of {limits.entries}"
            self.faults = (Fault("MF607", message, hint=raise_limit("entries")),)

    def root(self) -> tuple[Entry, ...]:
        """The entries at the root, with the folders that paths of others imply."""
        return self._root

    def nested(self) -> tuple[Entry, ...]:
        """The files in sub-directories."""
        return self._nested

    def read(self, entry: Entry, most: int) -> bytes:
        """All bytes of a file; see `Source.read`."""
        data = self._files.get(entry.path)
        if data is None:
            raise NotFound("no such file", location=self.location, entry=entry.path)
        if len(data) > most:
            raise LimitExceeded(
                f"{len(data)} bytes, over the limit of {most}",
                location=self.location,
                entry=entry.path,
                hint=raise_limit("file-bytes"),
            )
        return data

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        """The bytes of a file, in one piece; see `Source.chunks`."""
        yield self.read(entry, self._limits.file_bytes)

    def archive_digest(self) -> None:
        """None: these are no archive."""
        return

    def close(self) -> None:
        """Nothing: nothing is open."""
