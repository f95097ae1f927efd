"""All that a store holds, in memory, and what each change makes of it; no file is touched."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property

from memoryfield_readers import as_unicode

from .document import Document
from .errors import NotesAtRisk, StoreError
from .identity import Sight
from .lineage import Lineage, lineage_of
from .merging import Known, Merge, Put, Rebuilt, loses_all, merged
from .record import MOST_REVISION, Origin, Record
from .store import Outcome, noted


class Contents:
    """What a store holds; it is never changed.

    Attributes:
        document: the same as one value.
        by_id: the records by id, in the order of their ids.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.by_id: Mapping[str, Record] = {each.id: each for each in document.records}

    @cached_property
    def by_parent(self) -> Mapping[str, tuple[Record, ...]]:
        """The records by what they name as their parent."""
        return _grouped((each.parent, each) for each in self.document.records)

    @cached_property
    def by_name(self) -> Mapping[str, tuple[Record, ...]]:
        """The records by file name, that of the page first and orphans behind it."""
        found = _grouped((each.name, each) for each in self.document.records)
        return {name: sorted_by_name(records) for name, records in found.items()}

    def search(self, term: str, *, notes: bool) -> tuple[Record, ...]:
        """The records whose text, or whose note, holds a term."""
        if notes:
            return tuple(
                each
                for each in self.document.records
                if each.note is not None and term in each.note.text
            )
        return tuple([each for each in self.document.records if term in each.text])

    def ancestors(self, id: str) -> Lineage | None:
        """The parent of a page, its parent, and so on; None if there is no record of this id."""
        record = self.by_id.get(id)
        return None if record is None else lineage_of(record, self.by_id.get)

    def with_note(self, id: str, rev: int, text: str) -> tuple[Outcome, Contents] | None:
        """What comes of setting a note; None if there is no record of this id."""
        record = self.by_id.get(id)
        if record is None:
            return None
        if record.rev != rev:
            return Outcome(False, record), self
        after = set_note(record, text)
        floor, records = self.document.floor, dict(self.by_id)
        if is_kept(after):
            records[id] = after
        else:
            del records[id]
            floor = max(floor, after.rev)
        document = Document(self.document.origin, floor, tuple(records.values()))
        return Outcome(True, after), Contents(document)

    def with_sight(self, sight: Sight, location: str, *, force: bool) -> tuple[Rebuilt, Contents]:
        """What comes of bringing it up to what a field is now; raises as `checked_merge` does."""
        known = {each.id: self._known(each) for each in self.document.records}
        merge, told = checked_merge(known, sight, self.document.floor, location, force=force)
        records = self._merged(merge, sight)
        stale = tuple(each.id for each in records if each.is_stale and not each.orphan)
        document = Document(origin_of(sight), merge.floor, records)
        after = self if document == self.document else Contents(document)
        return replace(told, stale=stale), after

    def _known(self, record: Record) -> Known:
        return Known(
            record.id,
            record.name,
            record.parent,
            record.rev,
            record.sha256,
            record.orphan,
            current=record.pin == self.document.origin.pin,
            noted=record.note is not None,
        )

    def _merged(self, merge: Merge, sight: Sight) -> tuple[Record, ...]:
        taken = {put.before for put in merge.puts} | {*merge.dropped}
        orphaned, outdated = frozenset(merge.orphaned), frozenset(merge.outdated)
        records = {
            id: _unnamed(record, sight.pin, orphaned, outdated)
            for id, record in self.by_id.items()
            if id not in taken
        }
        for put in merge.puts:
            before = None if put.before is None else self.by_id[put.before]
            records[put.page.id] = _put(put, before, sight.pin)
        return tuple(records[id] for id in sorted(records))


def _unnamed(
    record: Record, pin: str, orphaned: Collection[str], outdated: Collection[str]
) -> Record:
    if record.id in orphaned:
        return replace(record, orphan=True, text="")
    if record.orphan or record.id in outdated or record.pin == pin:
        return record
    return replace(record, pin=pin)


def _put(put: Put, before: Record | None, pin: str) -> Record:
    page = put.page
    note = None if before is None else before.note
    return Record(page.id, page.name, page.text, page.parent, put.rev, page.sha256, pin, note=note)


def _grouped(pairs: Iterable[tuple[str | None, Record]]) -> dict[str, tuple[Record, ...]]:
    found: dict[str, list[Record]] = {}
    for key, record in pairs:
        if key is not None:
            found.setdefault(key, []).append(record)
    return {key: tuple(records) for key, records in found.items()}


def sorted_by_name(records: Iterable[Record]) -> tuple[Record, ...]:
    """Records of one file name: that of the page first, orphans behind it."""
    return tuple(sorted(records, key=lambda record: (record.orphan, record.id)))


def origin_of(sight: Sight) -> Origin:
    """Which field it was; a name of a folder may hold bytes that no text can."""
    return Origin(as_unicode(sight.name), as_unicode(sight.location), sight.pin)


def set_note(record: Record, text: str) -> Record:
    """A record after its note was set or, with "", taken away.

    Raises:
        StoreError: there is no higher revision.
    """
    if record.rev >= MOST_REVISION:
        raise StoreError(f"the revision of {record.id!a} cannot be any higher; nothing was changed")
    return replace(record, rev=record.rev + 1, note=noted(record, text))


def is_kept(record: Record) -> bool:
    """Whether a store keeps a record: what is not in the field is kept for its note alone."""
    return record.note is not None or not record.orphan


def checked_merge(
    known: Mapping[str, Known], sight: Sight, floor: int, location: str, *, force: bool
) -> tuple[Merge, Rebuilt]:
    """What `merged` says, if that can and may be done.

    Raises:
        NotesAtRisk: no page that was known is in the field, there are notes, and nobody has asked.
        StoreError: a revision would be too high.
    """
    merge, told = merged(known, sight, floor)
    if not force and loses_all(known.values(), merge):
        raise NotesAtRisk(
            "the field has none of the pages that the store knows: it is another field, or they "
            "were all removed; nothing was changed",
            location=location,
            hint="if they were removed: `memoryfield note rebuild LOCATION --force`; the notes on "
            "another field belong into a store of their own (--store FILE)",
        )
    if max([merge.floor, *(put.rev for put in merge.puts)]) > MOST_REVISION:
        raise StoreError("a revision cannot be any higher; nothing was changed", location=location)
    return merge, told
