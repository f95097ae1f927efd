"""A folder of files elsewhere as a source: listed once, each file fetched once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from threading import Lock

from ..entry import Entry, EntryKind, path_key
from ..errors import (
    Fault,
    LimitExceeded,
    MemoryfieldError,
    NotFound,
    PinMismatch,
    SourceChanged,
    SourceUnavailable,
)
from ..limits import Limits, raise_limit
from ..names import topmost_debris
from ..source import Arrived, Source, ignored
from ..transfer.progress import Watch, unwatched
from ..transfer.side_by_side import side_by_side
from ..transfer.spool import Segment, SpoolSink, TemporaryBytes, chunks_of
from ..transfer.store import Store
from .folders import nested_files, with_folders

_GIVEN_UP_AFTER = 3
"""When so many files in a row could not be had, the source is taken to have gone."""

_IN_VAIN = 2
"""So many times the bytes of a whole field may come, with those of files that break off or are too
large by themselves: the disk holds them, and a server could send them without end."""


_TELLING_BYTES = 64 * 1024
"""So many bytes more than there should be still come: they tell what they are."""


class RemoteSource(Source):
    """A snapshot of a folder elsewhere; what was fetched stands in a temporary file."""

    archive_name: str | None = None

    def __init__(
        self,
        store: Store,
        *,
        location: str,
        name: str,
        limits: Limits,
        watch: Watch = unwatched,
        redirected: Mapping[str, str] | None = None,
    ) -> None:
        """List the folder.

        Arguments:
            store: the transport; it is closed with this source, also where this fails.
            location: as messages show it.
            name: the name of the field.
            limits: how much to take.
            watch: is told how far a transfer of many files is.
            redirected: the URLs that gave files in the end, by path, where others were asked; it
                may grow.

        Raises:
            MemoryfieldError: it cannot be listed; as `Store.listing` raises.
        """
        self.location = location
        self.name = name
        self.faults: tuple[Fault, ...] = ()
        self._store = store
        self._limits = limits
        self._watch = watch
        self._redirected = {} if redirected is None else redirected
        self._bytes = TemporaryBytes()
        self._fetched: dict[str, tuple[Entry, tuple[Segment, ...]]] = {}
        self._failed: dict[str, MemoryfieldError] = {}
        self._total = 0
        self._over: LimitExceeded | None = None
        self._bounded: Collection[str] = ()
        self._bound = self._counted = 0
        self._lock = Lock()
        entries: Sequence[Entry] = ()
        try:
            entries = sorted(store.listing(), key=path_key)
        except LimitExceeded as error:
            self.faults = (Fault("MF607", error.message, hint=error.hint),)
        except MemoryfieldError:
            self.close()
            raise
        self.resolved = store.resolved
        self._sizes = {entry.path: entry.size for entry in entries}
        self._root = with_folders(entries)
        self._nested = nested_files(entries)

    def bound(self, names: Collection[str], most: int) -> None:
        """Take no more than so many bytes of some files, which are known to have so many together.

        From then on, what is more by far is a `PinMismatch`. A little more comes, as what came in
        place of a file, such as a page to log in, tells more than that it is too long.
        """
        self._bounded, self._bound = names, most

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how the files were found and read."""
        return self._store.notes

    def root(self) -> tuple[Entry, ...]:
        """The entries at the root; folders that only the paths of others imply are among them."""
        return self._root

    def nested(self) -> tuple[Entry, ...]:
        """What lies in sub-directories; see `Source.nested`."""
        if _are_more(self._root + self._nested, self._limits.entries):
            raise LimitExceeded(
                f"more than {self._limits.entries} entries",
                location=self.location,
                hint=raise_limit("entries"),
            )
        return self._nested

    def read(self, entry: Entry, most: int) -> bytes:
        """All bytes of a file; see `Source.read`."""
        known, segments = self._have(entry)
        if known.size > most:
            raise self._too_large(known, most, "page-bytes")
        return b"".join(chunks_of(self._bytes, segments))

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        """The bytes of a file in pieces; see `Source.chunks`."""
        _, segments = self._have(entry)
        yield from chunks_of(self._bytes, segments)

    def prepare(self, entries: Sequence[Entry], arrived: Arrived = ignored) -> None:
        """Fetch files, several at a time; see `Source.prepare`."""
        if self._over is not None:
            raise self._over.with_traceback(None)
        wanted = [e for e in entries if e.path not in self._fetched and self._may_be_fetched(e)]
        if self._total + sum(entry.size for entry in wanted) > self._limits.total_bytes:
            raise self._too_much()  # before the first of them comes
        for entry in wanted:
            self._failed.pop(entry.path, None)
        done = 0
        for entry, sink in self._many(wanted):
            try:
                self._take(entry, sink)
            except SourceChanged as error:
                self._failed[entry.path] = error
            else:
                arrived(entry)
            done += 1
            self._watch("files", done, len(wanted))
        rest = [
            entry
            for entry in wanted
            if entry.path not in self._fetched and entry.path not in self._failed
        ]
        in_a_row = 0
        for entry, outcome in side_by_side(self._fetch, rest, self._store.at_once):
            done += 1
            self._watch("files", done, len(wanted))
            if not isinstance(outcome, MemoryfieldError):
                in_a_row = 0
                arrived(entry)
                continue
            self._failed[entry.path] = outcome
            if isinstance(outcome, LimitExceeded) and outcome.entry is None:
                raise outcome
            if type(outcome) is not SourceUnavailable:
                continue
            in_a_row += 1
            if len(wanted) > 1 and in_a_row == min(_GIVEN_UP_AFTER, len(rest)):
                got = [entry.path for entry in wanted if entry.path in self._fetched]
                missing = [entry.path for entry in wanted if entry.path not in self._fetched]
                raise outcome.broken_off(got, missing) from outcome

    def known(self, entry: Entry) -> Entry:
        """The entry with what fetching the file has told."""
        fetched = self._fetched.get(entry.path)
        return entry if fetched is None else fetched[0]

    def dated(self, entry: Entry) -> Entry:
        """The entry with the time of its last change, asked for if need be."""
        known = self.known(entry)
        return known if known.modified_ns is not None else self._store.dated(known)

    def came_from(self, entry: Entry) -> str | None:
        """The URL that gave a file in the end, if that is another than was asked."""
        return self._redirected.get(entry.path)

    def archive_digest(self) -> None:
        """None: a folder is no archive."""
        return

    def close(self) -> None:
        """Let go of the transport and of what was fetched."""
        self._store.close()
        self._bytes.close()

    def _have(self, entry: Entry) -> tuple[Entry, tuple[Segment, ...]]:
        if entry.kind is not EntryKind.FILE:
            raise NotFound("no such file", location=self.location, entry=entry.path)
        if entry.path in self._failed:
            # It may be raised any number of times, and each would add to where it came from.
            raise self._failed[entry.path].with_traceback(None)
        if entry.path not in self._fetched:
            if self._over is not None:
                raise self._over.with_traceback(None)
            if not self._may_be_fetched(entry):
                raise self._too_large(entry, self._limits.file_bytes, "file-bytes")
            self._fetch(entry)
        return self._fetched[entry.path]

    def _may_be_fetched(self, entry: Entry) -> bool:
        return entry.kind is EntryKind.FILE and entry.size <= self._limits.file_bytes

    def _many(self, wanted: Sequence[Entry]) -> Iterator[tuple[Entry, SpoolSink]]:
        """What the transport gives in fewer requests than one a file."""
        sinks: dict[str, SpoolSink] = {}

        def sink(entry: Entry) -> SpoolSink:
            sinks[entry.path] = SpoolSink(self._bytes, self._limits.file_bytes)
            return sinks[entry.path]

        for entry in self._store.save_many(wanted, sink):
            yield entry, sinks[entry.path]

    def _fetch(self, entry: Entry) -> None:
        if self._bytes.length > _IN_VAIN * self._limits.total_bytes:
            self._over = self._too_much()
            raise self._over
        most = self._limits.file_bytes
        if entry.path in self._bounded:
            left = self._bound + _TELLING_BYTES - self._counted
            if entry.size > left or left <= 0:
                raise self._too_long(entry)
            most = min(most, left)
        sink = SpoolSink(self._bytes, most)
        try:
            known = self._store.save(entry, sink)
        except MemoryfieldError as error:
            if isinstance(error, LimitExceeded) and sink.taken > most < self._limits.file_bytes:
                raise self._too_long(entry) from error
            error.location = error.location or self.location
            error.entry = error.entry or entry.path
            raise
        self._take(known, sink)

    def _take(self, entry: Entry, sink: SpoolSink) -> None:
        """Count a file that is here whole, and remember where."""
        listed = self._sizes[entry.path]
        if listed and listed != sink.taken:
            raise SourceChanged(
                f"{sink.taken} bytes came, {listed} were listed",
                location=self.location,
                entry=entry.path,
            )
        with self._lock:
            if entry.path in self._fetched:  # two threads asked for it: the first one stays
                return
            self._total += sink.taken
            if self._total > self._limits.total_bytes:
                self._over = self._too_much()
                raise self._over
            if entry.path in self._bounded:
                self._counted += sink.taken
            self._fetched[entry.path] = (entry._replace(size=sink.taken), sink.segments)

    def _too_much(self) -> LimitExceeded:
        return LimitExceeded(
            f"more than {self._limits.total_bytes} bytes in all, which is the limit",
            location=self.location,
            hint=raise_limit("total-bytes"),
        )

    def _too_long(self, entry: Entry) -> PinMismatch:
        diagnosis = f"it is longer than all that was locked ({self._bound} bytes)"
        return PinMismatch(
            f"is not what was pinned: {diagnosis}",
            location=self.location,
            entry=entry.path,
            hint="review what it says now before you pin it anew",
            url=self.came_from(entry),
            diagnosis=diagnosis,
        )

    def _too_large(self, entry: Entry, most: int, limit: str) -> LimitExceeded:
        return LimitExceeded(
            f"{entry.size} bytes, over the limit of {most}",
            location=self.location,
            entry=entry.path,
            hint=raise_limit(limit),
        )


def _are_more(entries: Sequence[Entry], most: int) -> bool:
    """Whether entries are more than that, with the folders that they imply (MF607).

    What lies in debris does not count, as in a folder on disk, where nobody looks into that.
    """
    counted: set[str] = set()
    for entry in entries:
        path = (topmost_debris(entry.path) or entry.path).rstrip("/")
        while path and path not in counted:
            counted.add(path)
            if len(counted) > most:
                return True
            path = path.rpartition("/")[0]
    return False
