"""A field as it will be: changes in memory over the field's own source, which is only read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from dataclasses import field as dataclass_field

from memoryfield_readers import (
    Entry,
    EntryKind,
    Fault,
    Field,
    Limits,
    Page,
    Source,
    name_key,
)

from .proposal import Change, Rename, Rewrite


@dataclass
class Draft:
    """Pages with other bytes and other names, over a field that stays as it is.

    Attributes:
        base: the field.
        limits: how much a reader of the draft takes; what goes beyond is not written.
        before: the bytes that the changed pages have, by their files as `file_of` has them.
        after: the bytes that they get, by their files.
        new_names: the new names of the renamed pages, by their name now.
        old_names: their names now, by their new names.
        linked_from: the files of the pages that link to a renamed page, by its name now.
    """

    base: Field
    limits: Limits
    before: dict[str, bytes] = dataclass_field(default_factory=dict)
    after: dict[str, bytes] = dataclass_field(default_factory=dict)
    new_names: dict[str, str] = dataclass_field(default_factory=dict)
    old_names: dict[str, str] = dataclass_field(default_factory=dict)
    linked_from: dict[str, tuple[str, ...]] = dataclass_field(default_factory=dict)

    def field(self) -> Field:
        """The field as it will be, for judging its pages: its other files are shown as empty."""
        return Field(_DraftSource(self), self.limits)

    def file_of(self, name: str) -> str:
        """The file of a page of the draft: its name now, or the path that it leads to as a link."""
        now = self.old_names.get(name, name)
        return self.base.links.get(now, now)

    def write(self, page: Page, raw: bytes) -> bool:
        """Give a page of the draft other bytes; False if it has them or they are too many.

        Pages that are links to one file get them together.
        """
        if raw == page.raw or len(raw) > min(self.limits.page_bytes, self.limits.file_bytes):
            return False
        file = self.file_of(page.name)
        self.before.setdefault(file, page.raw)
        self.after[file] = raw
        return True

    def rename(self, name: str, to: str, linked_from: Iterable[str]) -> None:
        """Give a page another name, to which links of other pages, by their files, lead."""
        now = self.old_names.pop(name, name)
        self.linked_from[now] = tuple(linked_from)
        self.new_names[now] = to
        self.old_names[to] = now

    def changes(self) -> tuple[Change, ...]:
        """What is to be done to the base: pages are written first, then renamed."""
        links: dict[str, list[str]] = defaultdict(list)
        for name in filter(self.base.links.__contains__, self.base.pages):
            links[self.base.links[name]].append(name)
        rewrites = [
            Rewrite(name, self.before[name], self.after[name], tuple(links[name]))
            for name in sorted(self.after, key=name_key)
            if self.before[name] != self.after[name]
        ]
        renames = [
            Rename(name, self.new_names[name], self.linked_from[name])
            for name in sorted(self.new_names, key=name_key)
        ]
        return (*rewrites, *renames)


class _DraftSource(Source):
    """A draft as a source; see `memoryfield_readers.Source`."""

    def __init__(self, draft: Draft) -> None:
        base = draft.base
        self.location = base.location
        self.name = base.name
        self.archive_name = base.archive_name
        self.faults: tuple[Fault, ...] = base.faults
        self._base = base
        files = ((name, base.links.get(name, name)) for name in base.pages)
        self._changed = {
            draft.new_names.get(name, name): draft.after[file]
            for name, file in files
            if file in draft.after
        }
        self._old_names = {draft.new_names.get(name, name): name for name in base.pages}

    def root(self) -> tuple[Entry, ...]:
        """The entries of the base, under their new names."""
        base = self._base
        others = (*base.attachments, *base.indexes)
        listed = (
            *(self._entry(name) for name in self._old_names),
            *(base.entries[name]._replace(size=0) for name in others),
            *(Entry(name, EntryKind.DIRECTORY) for name in base.folders),
            *(_debris(name, base.links.get(name, "")) for name in base.debris),
            *base.irregular,
        )
        return tuple(sorted(listed, key=lambda entry: name_key(entry.path)))

    def nested(self) -> Iterable[Entry]:
        """What lies in the sub-directories of the base."""
        return self._base.nested()

    def read(self, entry: Entry, most: int) -> bytes:
        """The bytes of a page; nothing of any other file."""
        return b"".join(self.chunks(entry))

    def chunks(self, entry: Entry) -> Iterator[bytes]:
        """The bytes of a page in pieces; nothing of any other file."""
        if entry.path in self._changed:
            yield self._changed[entry.path]
        elif entry.path in self._old_names:
            yield from self._base.chunks(self._old_names[entry.path])

    def archive_digest(self) -> str | None:
        """None: there is no archive of it."""
        return None

    def close(self) -> None:
        """Nothing: the base stays open."""

    def _entry(self, name: str) -> Entry:
        entry = self._base.entries[self._old_names[name]]
        if name in self._changed:
            return entry._replace(path=name, size=len(self._changed[name]))
        return entry._replace(path=name)


def _debris(name: str, leads_to: str) -> Entry:
    kind = EntryKind.DIRECTORY if name.endswith("/") else EntryKind.FILE
    return Entry(name.removesuffix("/"), kind, leads_to=leads_to)
