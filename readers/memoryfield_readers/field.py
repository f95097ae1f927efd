"""A field: an immutable snapshot over one source."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import Self

from .archive_image import ArchiveImage
from .display import shown
from .entry import Entry, EntryKind
from .errors import (
    EmptyField,
    Fault,
    LimitExceeded,
    NotFound,
    PageError,
    SourceChanged,
    UnsafeArchive,
)
from .limits import Limits, raise_limit
from .manifest import Manifest
from .names import Role, is_debris, role
from .page import Page
from .source import Source


class Field:
    """A snapshot of a field: what it listed when it was opened stays what it is.

    What is read twice and is not the same the second time is an error (`SourceChanged`), so that a
    page and the digest it was checked under are of one piece. Use it as a context manager.

    Attributes:
        name: the name of the field: its folder's, or its archive's without the ending.
        location: where it came from, as messages show it.
        resolved: the location with the commit or version that was read, where there is one.
        archive_name: the file name of its archive, "" if it has none; None if it is no archive.
        pages: names of the pages, in the order of their UTF-8 bytes (MF901).
        attachments: names of the other files that are part of the field.
        indexes: names of vector indexes and what SQLite left beside them: derived, not in the pin.
        debris: names of what readers ignore; folders end in a slash.
        folders: names of the sub-directories, which are no part of the field (MF103).
        irregular: entries that are no regular files or cannot be examined (MF105).
        entries: what the source listed for each page, attachment and index, by name.
        links: the paths that the symbolic links at the root lead to, by the links' names; debris
            may be among these, and links that are irregular are not.
        faults: what is wrong with the container; only `inspect_field` lets one through that counts.
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        """Sort the entries of a source by their role in a field."""
        self._source = source
        self._limits = limits
        self._hashes: dict[str, str] = {}
        self.name = source.name
        self.location = source.location
        self.resolved = source.resolved
        self.archive_name = source.archive_name
        by_role: dict[Role, list[str]] = {each: [] for each in Role}
        entries: dict[str, Entry] = {}
        links: dict[str, str] = {}
        file, debris = EntryKind.FILE, Role.DEBRIS  # members are slow to look up, for thousands
        folders: list[str] = []
        irregular: list[Entry] = []
        for entry in source.root():
            name, kind, _, _, _, leads_to = entry
            if leads_to:
                links[name] = leads_to
            if kind is file:
                entry_role = role(name)
                by_role[entry_role].append(name)
                if entry_role is not debris:
                    entries[name] = entry
            elif is_debris(name):
                slash = "/" if kind is EntryKind.DIRECTORY else ""
                by_role[debris].append(name + slash)
            elif kind is EntryKind.DIRECTORY:
                folders.append(name)
            else:
                irregular.append(entry)
        self.pages: tuple[str, ...] = tuple(by_role[Role.PAGE])
        self.attachments: tuple[str, ...] = tuple(by_role[Role.ATTACHMENT])
        self.indexes: tuple[str, ...] = tuple(by_role[Role.INDEX])
        self.debris: tuple[str, ...] = tuple(by_role[debris])
        self.folders: tuple[str, ...] = tuple(folders)
        self.irregular: tuple[Entry, ...] = tuple(irregular)
        self.entries: Mapping[str, Entry] = MappingProxyType(entries)
        self.links: Mapping[str, str] = MappingProxyType(links)
        self.faults: tuple[Fault, ...] = (*source.faults, *self._limit_faults())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Field {self.name!r} at {self.location!r}: {len(self.pages)} pages>"

    def close(self) -> None:
        """Let go of the source."""
        self._source.close()

    def page(self, name: str) -> Page:
        """One page.

        Arguments:
            name: its file name; nothing but the name of a page that was listed reaches the source.

        Raises:
            NotFound: the field has no such page.
            PageError: there is such an entry, but it is no page that can be read.
            LimitExceeded: it is larger than `Limits.page_bytes`.
            SourceUnavailable: the source cannot give it now; `SourceChanged`: it is another one.
            UnsafeArchive: its data are not what the archive announced.
        """
        entry = self._page_entry(name)
        most = min(self._limits.page_bytes, self._limits.file_bytes)
        if entry.size > most:
            raise LimitExceeded(
                f"{entry.size} bytes, over the limit of {most}",
                location=self.location,
                entry=name,
                hint=raise_limit("page-bytes" if most == self._limits.page_bytes else "file-bytes"),
            )
        raw = self._source.read(entry, self._limits.page_bytes)
        page = Page(name, raw, self._source.known(entry))
        self._remember(name, page.sha256)
        return page

    def read(self, names: Iterable[str]) -> list[Page]:
        """Several pages, in the order asked for, fetched side by side where they are elsewhere.

        Raises:
            MemoryfieldError: as `page` does; where the source gives nothing any more, `got` and
                `missing` of the `SourceUnavailable` say how far the read came.
        """
        wanted = list(names)
        self.prepare(wanted)
        return [self.page(name) for name in wanted]

    def prepare(self, names: Iterable[str]) -> None:
        """Bring pages, attachments and indexes near that are going to be read, all together.

        What stands in the way of a single one is told when that one is read.

        Raises:
            NotFound: the field has none of such a name.
            SourceUnavailable: the source gives nothing any more.
            LimitExceeded: they have more bytes together than the limits allow.
        """
        entries = []
        for name in dict.fromkeys(names):
            if name not in self.entries:
                raise self._no_page(name)
            entries.append(self.entries[name])
        self._source.prepare(entries)

    def prepare_all(self) -> None:
        """Bring all pages, attachments and indexes near; raises as `prepare` does."""
        self.prepare((*self.pages, *self.attachments, *self.indexes))

    def entry(self, name: str, *, dated: bool = False) -> Entry:
        """What is known by now of a page, attachment or index.

        Arguments:
            name: its name.
            dated: whether to ask for the time of its last change if that is not known; it may take
                a request for each.

        Raises:
            NotFound: the field has none of such a name.
            SourceUnavailable: the time cannot be had.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise self._no_page(name)
        return self._source.dated(entry) if dated else self._source.known(entry)

    @property
    def in_memory(self) -> bool:
        """Whether all bytes are at hand in memory, so that reading them takes nothing."""
        return self._source.in_memory

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how the field was found and read, one line each."""
        return self._source.notes

    def sha256(self, name: str) -> str:
        """The SHA-256 of a page, attachment or index, in hexadecimal; raises as `page` does."""
        if name not in self._hashes:
            entry = self.entries.get(name)
            if entry is None:
                raise self._no_page(name)
            self._remember(name, self._source.sha256(entry))
        return self._hashes[name]

    def content(self, name: str) -> bytes:
        """All bytes of a page, attachment or index, bounded by `Limits.file_bytes`.

        Raises:
            NotFound: the field has none of such a name.
            MemoryfieldError: as `page` raises.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise self._no_page(name)
        most = self._limits.file_bytes
        if entry.size > most:
            raise LimitExceeded(
                f"{entry.size} bytes, over the limit of {most}",
                location=self.location,
                entry=name,
                hint=raise_limit("file-bytes"),
            )
        raw = self._source.read(entry, most)
        self._remember(name, hashlib.sha256(raw).hexdigest())
        return raw

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a page, attachment or index in pieces; raises as `page` does."""
        entry = self.entries.get(name)
        if entry is None:
            raise self._no_page(name)
        return self._source.chunks(entry)

    def nested(self) -> Iterable[Entry]:
        """What lies in sub-directories: no part of the field, of interest to a validator alone."""
        return self._source.nested()

    def damaged(self) -> Iterator[Fault]:
        """Faults in the content of what else an archive holds: debris, sub-directories (MF601)."""
        if self.archive_name is None:
            return
        for entry in (*self._source.root(), *self._source.nested()):
            if entry.kind is EntryKind.FILE and entry.path not in self.entries:
                try:
                    for _ in self._source.chunks(entry):
                        pass
                except UnsafeArchive as error:
                    yield from error.faults

    def manifest(self) -> Manifest:
        """The hashes of all pages and attachments.

        Raises:
            EmptyField: there is neither page nor attachment.
            PageError: an entry at the root is no regular file.
            MemoryfieldError: a file cannot be read; as `page` raises.
        """
        for entry in self.irregular:
            raise self.error_for(entry)
        names: Sequence[str] = (*self.pages, *self.attachments)
        if not names:
            raise EmptyField("there is no page and no attachment", location=self.location)
        missing = [name for name in names if name not in self._hashes]
        self.prepare(missing)
        self._hashes.update(self._source.sha256s([self.entries[name] for name in missing]))
        return Manifest.of({name: self._hashes.get(name) or self.sha256(name) for name in names})

    def digest(self) -> str:
        """The field pin: `field-sha256:` and 64 hexadecimal digits; raises as `manifest` does."""
        return self.manifest().digest

    @property
    def known_digest(self) -> str | None:
        """The field pin, if nothing has to be read for it: it is locked, or all was read before.

        None where it would have to be; `digest` does so.
        """
        known = self._source.known_digest
        names = (*self.pages, *self.attachments)
        if known is not None or self.irregular or not names or not self._hashes.keys() >= {*names}:
            return known
        return self.digest()

    def archive_digest(self) -> str | None:
        """The archive pin: `sha256:` and 64 hexadecimal digits; None for what is no archive."""
        return self._source.archive_digest()

    @property
    def archive_size(self) -> int | None:
        """Bytes of the archive; None for what is no archive."""
        return self._source.archive_size

    def archive_chunks(self) -> Iterator[bytes]:
        """The bytes of the archive in pieces; none of what is no archive, or is not here whole."""
        return self._source.archive_chunks()

    def archive_image(self) -> ArchiveImage | None:
        """The raw make-up of an archive: all entries, folders and debris included, as they stand.

        None for what is no archive, and for one that is not here whole or was not checked whole.
        It can be read for as long as the field is open.

        Raises:
            UnsafeArchive: it has faults, which only `inspect_field` lets through.
            SourceUnavailable: it cannot be read.
        """
        return self._source.archive_image()

    def within(self, folder: str) -> Field:
        """The field that a sub-directory would be: its pages at the root (MF608).

        It reads from the source of this one, so it is of use for as long as this one is open;
        closing it closes nothing.

        Arguments:
            folder: the path of the sub-directory, with `/` between components.

        Raises:
            NotFound: there is no such sub-directory, or it is debris.
            LocationError: the field is neither an archive nor a folder on this machine.
            LimitExceeded: it goes beyond the limits (MF607).
        """
        return Field(self._source.within(folder), self._limits)

    def error_for(self, entry: Entry) -> PageError:
        """The error of an irregular entry: why it cannot be read."""
        verb = "cannot be read:" if entry.kind is EntryKind.UNREADABLE else "is"
        return PageError(f"{verb} {entry.problem}", location=self.location, entry=entry.path)

    def _page_entry(self, name: str) -> Entry:
        entry = self.entries.get(name)
        if entry is None or not name.endswith(".md"):
            raise self._no_page(name)
        return entry

    def _remember(self, name: str, digest: str) -> None:
        known = self._hashes.setdefault(name, digest)
        if known != digest:
            raise SourceChanged(
                "changed while the field was being read", location=self.location, entry=name
            )

    def _no_page(self, name: str) -> PageError | NotFound | LimitExceeded:
        if name in self.entries:
            what = "a vector index" if name in self.indexes else "an attachment"
            return PageError(f"is {what}, not a page", location=self.location, entry=name)
        for entry in self.irregular:
            if entry.path == name:
                return self.error_for(entry)
        stems = [page.removesuffix(".md") for page in self.pages]
        near = difflib.get_close_matches(name.removesuffix(".md"), stems, n=3)
        near = [f"{name}.md"] if f"{name}.md" in self.entries else [f"{stem}.md" for stem in near]
        hint = "did you mean " + " or ".join(map(shown, near)) + "?" if near else None
        return NotFound(f"there is no page {shown(name)}", location=self.location, hint=hint)

    def _limit_faults(self) -> Iterator[Fault]:
        most = self._limits.file_bytes
        total = sum([e.size for e in self.entries.values() if e.size <= most])
        if total <= self._limits.total_bytes:
            return
        yield Fault(
            "MF607",
            f"{total} bytes in all, over the limit of {self._limits.total_bytes}",
            hint=raise_limit("total-bytes"),
        )
        for name in (
            *self.pages,
            *self.attachments,
            *self.indexes,
        ):  # they are not read now, which would have shown it
            if self.entries[name].size > most:
                message = f"{self.entries[name].size} bytes, over the limit of {most}"
                yield Fault("MF607", message, name, raise_limit("file-bytes"))
