"""A sub-directory of a source as the root of a field: an archive of a folder, unwrapped (MF608)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..display import shown
from ..entry import Entry, EntryKind
from ..errors import Fault, NotFound, SourceUnavailable
from ..names import topmost_debris
from ..source import Arrived, Source, ignored
from .folders import nested_files, with_folders
from .plain_paths import is_plain


class SubfolderSource(Source):
    """What lies in one sub-directory of a source, which stays open when this is closed."""

    archive_name: str | None = None

    def __init__(self, source: Source, folder: str) -> None:
        """Look for a sub-directory among what the source lists.

        Arguments:
            source: the whole; it is read as long as this is.
            folder: the path of the sub-directory, with `/` between components.

        Raises:
            NotFound: there is no such sub-directory, or it is debris, which nobody looks into.
            SourceUnavailable: it may not be listed.
            LimitExceeded: there are more entries than the limits allow.
        """
        self._source = source
        self._prefix = f"{folder}/"
        inside: list[Entry] = []
        is_path = is_plain(folder) and topmost_debris(self._prefix) is None
        if is_path:
            for entry in source.nested():
                if entry.path == folder and entry.kind is EntryKind.UNREADABLE:
                    raise SourceUnavailable(
                        f"cannot be read: {entry.problem}", location=source.location, entry=folder
                    )
                if entry.path.startswith(self._prefix):
                    inside.append(entry._replace(path=entry.path.removeprefix(self._prefix)))
        if not inside and not (is_path and self._is_empty_folder(folder)):
            raise NotFound(f"there is no folder {shown(folder)}", location=source.location)
        self.name = folder.rpartition("/")[2]
        self.location = f"{source.location}/{folder}"
        self.faults: tuple[Fault, ...] = source.faults
        self._root = with_folders(inside)
        self._nested = nested_files(inside)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how the whole was reached."""
        return self._source.notes

    def root(self) -> tuple[Entry, ...]:
        """The entries in the sub-directory itself."""
        return self._root

    def nested(self) -> tuple[Entry, ...]:
        """What lies deeper."""
        return self._nested

    def read(self, entry: Entry, most: int) -> bytes:
        """All bytes of a file; see `Source.read`."""
        return self._source.read(self._outer(entry), most)

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        """The bytes of a file in pieces; see `Source.chunks`."""
        return self._source.chunks(self._outer(entry))

    def sha256(self, entry: Entry) -> str:
        """The SHA-256 of a file; see `Source.sha256`."""
        return self._source.sha256(self._outer(entry))

    def sha256s(self, entries: Iterable[Entry]) -> Mapping[str, str]:
        """The SHA-256 of files; see `Source.sha256s`."""
        found = self._source.sha256s([self._outer(entry) for entry in entries])
        return {path.removeprefix(self._prefix): digest for path, digest in found.items()}

    def prepare(self, entries: Sequence[Entry], arrived: Arrived = ignored) -> None:
        """Bring files near; see `Source.prepare`."""
        inner = {f"{self._prefix}{entry.path}": entry for entry in entries}
        self._source.prepare(
            [self._outer(entry) for entry in entries], lambda outer: arrived(inner[outer.path])
        )

    def archive_digest(self) -> None:
        """None: a part of an archive is no archive."""
        return

    def close(self) -> None:
        """Nothing: the whole is closed by who opened it."""

    def _outer(self, entry: Entry) -> Entry:
        return entry._replace(path=self._prefix + entry.path)

    def _is_empty_folder(self, folder: str) -> bool:
        return any(
            entry.path == folder and entry.kind is EntryKind.DIRECTORY
            for entry in self._source.root()
        )
