"""A field of a lock file as a source: its manifest names the files, and their hashes prove them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from threading import Lock

from ..cache import Cache, DamagedObject
from ..display import shown
from ..entry import Entry, EntryKind, name_key
from ..errors import Fault, LimitExceeded, NotFound, PinMismatch, UnsafeArchive
from ..limits import Limits, raise_limit
from ..lock import LockedField
from ..lock.differing import contradiction
from ..pins.diagnosis import mismatch, mismatch_of_error
from ..pins.proved import ProvedSource
from ..pins.whole_archive import nothing_here
from ..source import Arrived, Source, ignored

_PIECE_BYTES = 256 * 1024


def hint_of_contradiction(locked: LockedField) -> str:
    """What to do about a lock file of which two lines cannot both be true."""
    return (
        "what came is what was pinned: the lock file contradicts itself, and "
        f"`memoryfield lock update {locked.name}` writes it anew"
    )


def contradicted(
    locked: LockedField, key: str, said: int | None, actual: int | None
) -> PinMismatch:
    """The error of a lock file that has another number of bytes than what it pins."""
    return PinMismatch(
        contradiction(key, said, actual),
        location=locked.location,
        hint=f"`memoryfield lock update {locked.name}` writes it anew",
        expected=f"{said} bytes",
        actual=f"{actual} bytes",
        diagnosis="the lock file was edited by hand, or merged line by line",
    )


class LockedSource(Source):
    """The files that a lock file names, each from the cache or else from the field's own source.

    Nobody is asked for anything before a file is wanted that the cache does not have.
    """

    def __init__(
        self,
        locked: LockedField,
        *,
        location: str,
        name: str,
        archive_name: str | None,
        limits: Limits,
        cache: Cache | None,
        open_source: Callable[[], Source] | None,
        keep: bool,
    ) -> None:
        """List what the manifest names.

        Arguments:
            locked: the field as the lock file has it.
            location: as messages show it.
            name: the name of the field.
            archive_name: the file name of its archive; None if it is none.
            limits: how much to take.
            cache: where fetched files may stand; None for nowhere.
            open_source: opens the source that has the files; None to ask nobody.
            keep: whether to put what is fetched into the cache.
        """
        self.location = location
        self.name = name
        self.archive_name = archive_name
        self.faults: tuple[Fault, ...] = ()
        self.resolved = locked.resolved
        self._locked = locked
        self._limits = limits
        self._cache = cache
        self._open_source = open_source
        self._keep = keep
        self._opened: ProvedSource | None = None
        self._lock = Lock()
        self._damaged: set[str] = set()
        self._notes: list[str] = []
        self._hashes = {**locked.manifest.hashes, **locked.indexes}
        self._sizes: dict[str, int] = {}
        self._covered, self._uncounted = 0, len(locked.manifest.hashes)
        names = list(self._hashes)  # in order, as a manifest is
        if locked.indexes:
            names.sort(key=name_key)
        if len(names) > limits.entries:
            message = f"more than {limits.entries} entries"
            self.faults = (Fault("MF607", message, hint=raise_limit("entries")),)
            names = []
        sizes = self._sizes_in_cache(names)
        self._root = tuple(Entry(name, EntryKind.FILE, sizes.get(name, 0)) for name in names)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how the files were found and read."""
        opened = self._opened
        return (*self._notes, *(() if opened is None else opened.notes))

    @property
    def known_digest(self) -> str:
        """The field pin, which the lock file has; each file is proved when it is read."""
        return self._locked.manifest.digest

    @property
    def damaged(self) -> frozenset[str]:
        """The files that the cache had, but not as they should be, and that were asked for."""
        return frozenset(self._damaged)

    def root(self) -> Sequence[Entry]:
        """The files that the manifest names, and the vector indexes whose hashes are known."""
        return self._root

    def nested(self) -> Iterable[Entry]:
        """None: sub-directories are no part of a field, and nothing covers them."""
        return ()

    def read(self, entry: Entry, most: int) -> bytes:
        """All bytes of a file, proved; see `Source.read`.

        Raises:
            PinMismatch: they are not those that were pinned.
        """
        expected = self._hashes.get(entry.path)
        if expected is None:
            raise NotFound("no such file", location=self.location, entry=entry.path)
        data = self._from_cache(entry, expected, most)
        if data is None:
            data = self._source(entry).read(self._listed(entry), most)
            if self._keeps(entry):
                self._put(data)
        self._count(entry, len(data))
        return data

    def _count(self, entry: Entry, size: int) -> None:
        """Note the size of a file that was proved; no more are proved than the lock file has.

        Raises:
            PinMismatch: the lock file has another number of bytes.
        """
        covered = self._locked.manifest.hashes
        with self._lock:
            if entry.path in covered and entry.path not in self._sizes:
                self._covered += size
                self._uncounted -= 1
            self._sizes[entry.path] = size
            total, wanted = self._covered, self._locked.size
        if total > wanted or (total != wanted and not self._uncounted):
            raise contradicted(self._locked, "bytes", wanted, total)

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        """The bytes of a file in pieces, the first of which comes when all are proved."""
        data = self.read(entry, self._limits.file_bytes)
        for at in range(0, len(data), _PIECE_BYTES):
            yield data[at : at + _PIECE_BYTES]

    def prepare(self, entries: Sequence[Entry], arrived: Arrived = ignored) -> None:
        """Fetch the files that the cache does not have, together; see `Source.prepare`."""
        wanted = {e.path: e for e in entries if not self._is_cached(e.path)}
        if not wanted or (self._open_source is None and self._opened is None):
            return  # without a source, each tells when it is read
        source = self._source(next(iter(wanted.values())))

        def kept(listed: Entry) -> None:
            if self._keep:
                self._put(source.read(listed, self._limits.file_bytes))
            arrived(wanted[listed.path])

        source.prepare([self._listed(entry) for entry in wanted.values()], kept)

    def known(self, entry: Entry) -> Entry:
        """The entry with the size that reading the file has told."""
        size = self._sizes.get(entry.path)
        known = entry if size is None else entry._replace(size=size)
        if self._opened is None:
            return known
        return known._replace(modified_ns=self._opened.known(self._listed(entry)).modified_ns)

    def dated(self, entry: Entry) -> Entry:
        """The entry with the time of its last change, if there is a source to ask for it."""
        if self._open_source is None:
            return self.known(entry)
        dated = self._source(entry).dated(self._listed(entry))
        return self.known(entry)._replace(modified_ns=dated.modified_ns)

    def came_from(self, entry: Entry) -> str | None:
        """The URL that gave a file in the end."""
        return None if self._opened is None else self._opened.came_from(entry)

    def archive_digest(self) -> str | None:
        """The archive pin, of the whole archive as its source has it.

        Raises:
            PinMismatch: it is not the one that was pinned.
        """
        pin = self._locked.archive_pin
        if pin is None:
            return None
        try:
            digest = self._source(None).archive_digest()
        except UnsafeArchive as error:  # it was safe when it was locked
            raise mismatch_of_error(
                error, str(pin), location=self.location, entry=None, actual="another archive"
            ) from error
        if digest != str(pin):
            raise mismatch(
                "the archive is another one",
                expected=str(pin),
                actual=digest or "no archive",
                location=self.location,
            )
        return digest

    @property
    def archive_size(self) -> int | None:
        """Bytes of the archive, as the lock file has it; None for what is no archive."""
        return self._locked.archive_size

    def close(self) -> None:
        """Let go of the source, if it was opened."""
        with self._lock:
            self._open_source = None
            if self._opened is not None:
                self._opened.close()

    def _source(self, entry: Entry | None) -> ProvedSource:
        """The source that has the files, opened now if it was not."""
        with self._lock:
            if self._opened is None:
                if self._open_source is None:
                    raise nothing_here(self.location, None if entry is None else entry.path)
                with ExitStack() as undo:
                    source = self._open_source()
                    undo.callback(source.close)
                    self._opened = ProvedSource(
                        source,
                        self._locked.manifest,
                        self._limits,
                        indexes=self._locked.indexes,
                    )
                    undo.pop_all()
            return self._opened

    def _listed(self, entry: Entry) -> Entry:
        """An entry as the opened source has listed it."""
        return entry if self._opened is None else self._opened.listed(entry.path)

    def _sizes_in_cache(self, names: Sequence[str]) -> dict[str, int]:
        """The sizes that the cache's files have; none where these cannot be the right ones.

        A size that nobody has proved is no reason to refuse a file that would be fetched again.
        """
        if self._cache is None:
            return {}
        found = self._cache.sizes(self._hashes[name] for name in names)
        if not found:
            return {}
        sizes = {name: found.get(self._hashes[name], 0) for name in names}
        covered = sum(sizes[name] for name in names if name in self._locked.manifest.hashes)
        too_large = any(size > self._limits.file_bytes for size in sizes.values())
        return {} if too_large or covered > self._locked.size else sizes

    def _is_cached(self, name: str) -> bool:
        return (
            self._cache is not None
            and name not in self._damaged
            and self._cache.has(self._hashes[name])
        )

    def _from_cache(self, entry: Entry, expected: str, most: int) -> bytes | None:
        if self._cache is None or entry.path in self._damaged:
            return None
        try:
            return self._cache.read(expected, most)
        except DamagedObject as error:
            error.location, error.entry = self.location, entry.path
            if self._open_source is None and self._opened is None:
                raise
            self._damaged.add(entry.path)
            self._notes.append(
                f"the cache file of {shown(entry.path)} is damaged: it is fetched again"
            )
            return None
        except LimitExceeded as error:
            if self._open_source is not None:  # it was never locked with so many bytes, perhaps
                self._damaged.add(entry.path)
                return None
            error.location, error.entry = self.location, entry.path
            raise

    def _keeps(self, entry: Entry) -> bool:
        return self._keep or entry.path in self._damaged

    def _put(self, data: bytes) -> None:
        if self._cache is not None:
            self._cache.put((data,))
