"""From an entry of a lock file to a source of the field."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from ..cache import Cache, DamagedObject
from ..elsewhere import is_archive, name_of, remote_source
from ..errors import AccessDenied, PinMismatch
from ..here import local_source
from ..limits import Limits
from ..locations import HttpLocation, LocalLocation, ParsedLocation, S3Location, parse_location
from ..lock import LockedField, LockFile, location_of
from ..lock.typed import require_trust
from ..manifest import Manifest
from ..names import archive_stem
from ..pins.diagnosis import NO_ARCHIVE_ANY_MORE, mismatch
from ..pins.pin import Pin
from ..pins.proved import ProvedSource
from ..pins.whole_archive import cached_archive, nothing_here
from ..source import Source
from ..sources.archive import ArchiveSource
from ..sources.random_access import RandomAccess
from ..sources.remote import RemoteSource
from ..transfer.options import TransferOptions
from ..transfer.progress import Watch
from .source import LockedSource, contradicted, hint_of_contradiction


def locked_source(
    lock: LockFile,
    locked: LockedField,
    *,
    limits: Limits,
    storage_options: Mapping[str, Any] | None,
    cache: Cache | None,
    offline: bool,
    watch: Watch,
    whole: bool,
    keep: bool = False,
    archive_alone: bool = False,
) -> Source:
    """The source of a field of a lock file; nothing that it hands out is another than was locked.

    Arguments:
        lock: the lock file.
        locked: the field.
        limits: how much to take.
        storage_options: how its source is reached.
        cache: where fetched fields stand; None to use none.
        offline: whether to ask nobody, and take the cache alone.
        watch: is told how far a long transfer is.
        whole: whether to bring an archive here whole, and check all of it at once.
        keep: whether to put what is fetched into the cache.
        archive_alone: whether to take nothing but an archive that was hashed whole, as for a pin of
            it that was given beside the lock file: what that says of the archive proves nothing.

    Raises:
        LocationError: the location may not come from a lock file of someone else.
        PinMismatch: what came, or stands in the cache, is not what was locked.
        MemoryfieldError: it cannot be had; as `open_field` raises.
    """
    place = location_of(lock, locked)
    trusted = require_trust(lock, locked, place)
    parsed = parse_location(place)
    options = TransferOptions.of(storage_options, public_only=not trusted)
    typed = parse_location(location_of(lock, locked, resolved=False))
    opening = _Opening(locked, parsed, typed, options, limits, cache, offline, watch, keep)
    pin = locked.archive_pin
    if pin is not None:
        source = opening.cached_archive(pin)
        if source is None and whole and opening.can_ask:
            source = opening.whole_archive(pin)
        if source is not None:
            return source
        if archive_alone:
            raise nothing_here(locked.location, what="the archive itself")
    return opening.by_manifest()


@dataclass(frozen=True, slots=True)
class _Opening:
    """What was asked for, and the ways to answer it."""

    locked: LockedField
    parsed: ParsedLocation
    typed: ParsedLocation
    options: TransferOptions
    limits: Limits
    cache: Cache | None
    offline: bool
    watch: Watch
    keep: bool

    @property
    def can_ask(self) -> bool:
        """Whether the field's own place may be looked into: offline, if that is this machine."""
        return not self.offline or isinstance(self.parsed, LocalLocation)

    def cached_archive(self, pin: Pin) -> Source | None:
        """The archive from the cache, hashed whole; None if it is not there."""
        if self.cache is None:
            return None
        try:
            copy = cached_archive(
                self.cache,
                pin,
                self.limits,
                location=self.locked.location,
                manifest=self.locked.manifest,
            )
        except DamagedObject as error:
            if not self.can_ask:
                raise
            source = self.whole_archive(pin)  # which puts a good one in its place
            if isinstance(self.parsed, LocalLocation):  # from there nothing goes into the cache
                self.cache.discard(error)
            return source
        return None if copy is None else self._proved(self._archive(copy))

    def whole_archive(self, pin: Pin) -> Source:
        """The archive from where it is, hashed whole; it goes into the cache, if there is one."""
        return self._proved(self._from_its_place(pin, whole=True))

    def by_manifest(self) -> Source:
        """What the manifest names: each file from the cache, or from where it is."""
        file_name = self._file_name
        return LockedSource(
            self.locked,
            location=self.locked.location,
            name=name_of(self.typed) if file_name is None else archive_stem(file_name),
            archive_name=file_name,
            limits=self.limits,
            cache=self.cache,
            open_source=self._opened if self.can_ask else None,
            keep=self.keep,
        )

    def _opened(self) -> Source:
        return self._from_its_place(self.locked.archive_pin, whole=False)

    def _from_its_place(self, pin: Pin | None, *, whole: bool) -> Source:
        manifest = self.locked.manifest
        if pin is not None and not self._may_be_archive:
            raise mismatch(
                NO_ARCHIVE_ANY_MORE,
                expected=str(pin),
                actual="a folder",
                location=self.locked.location,
            )
        if isinstance(self.parsed, LocalLocation):
            text = self.locked.location
            return local_source(self.parsed.path, text, self.limits, pin=pin, manifest=manifest)
        try:
            return self._elsewhere(pin, whole=whole)
        except AccessDenied:
            if not isinstance(self.parsed, S3Location) or self.parsed.is_archive:
                raise
            return self._elsewhere(pin, whole=whole, by_names=True)

    @property
    def _may_be_archive(self) -> bool:
        """Whether there can be an archive where the field comes from, as far as that shows now."""
        if isinstance(self.parsed, LocalLocation):
            return not self.parsed.path.is_dir()
        return is_archive(self.parsed)

    def _elsewhere(self, pin: Pin | None, *, whole: bool, by_names: bool = False) -> Source:
        is_served = isinstance(self.parsed, HttpLocation) and not self.parsed.is_archive
        nobody_lists = by_names or is_served
        source = remote_source(
            self.parsed,
            self.options,
            self.limits,
            self.watch,
            whole=whole,
            pin=pin if whole else None,
            size=self.locked.archive_size,
            cache=self.cache,
            manifest=self.locked.manifest,
            listing=self._all_files if nobody_lists else None,
        )
        if isinstance(source, RemoteSource):
            source.bound(self.locked.manifest.hashes.keys(), self.locked.size)
        return source

    def _archive(self, copy: RandomAccess) -> Source:
        name = self._file_name
        return ArchiveSource(
            copy,
            location=self.locked.location,
            archive_name=name,
            name=name_of(self.typed) if name is None else archive_stem(name),
            limits=self.limits,
            resolved=self.locked.resolved,
        )

    def _proved(self, source: Source) -> Source:
        """The same, of which nothing is handed out that the manifest does not cover."""
        with ExitStack() as undo:
            undo.callback(source.close)
            proved = ProvedSource(
                source,
                self.locked.manifest,
                self.limits,
                indexes=self.locked.indexes,
                whole=True,
            )
            self._check_sizes(proved)
            undo.pop_all()
        proved.location = self.locked.location
        proved.resolved = proved.resolved or self.locked.resolved  # the cache knows of none
        return proved

    def _check_sizes(self, archive: ProvedSource) -> None:
        """See that an archive which was hashed whole has so many bytes as the lock file says."""
        locked, size = self.locked, archive.archive_size
        if size not in (None, locked.archive_size):
            raise contradicted(locked, "archive_bytes", locked.archive_size, size)
        entries = [archive.listed(name) for name in locked.manifest.hashes]
        covered = sum(entry.size for entry in entries)
        if covered == locked.size or archive.faults:  # an archive that is refused has no sizes
            return
        try:
            for entry in entries:  # which of them is another one says more
                archive.read(entry, self.limits.file_bytes)
        except PinMismatch as error:
            error.hint = hint_of_contradiction(locked)
            raise
        raise contradicted(locked, "bytes", locked.size, covered)

    @property
    def _all_files(self) -> Manifest:
        """The manifest, and the vector indexes whose hashes are known."""
        return Manifest.of({**self.locked.manifest.hashes, **self.locked.indexes})

    @property
    def _file_name(self) -> str | None:
        """The file name of the archive; None if what was locked is none to a person."""
        if isinstance(self.typed, LocalLocation):
            return self.typed.path.name if self.locked.archive_pin is not None else None
        return name_of(self.typed) if is_archive(self.typed) else None
