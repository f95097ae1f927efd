"""What a store is, in the plainest words: a dict of records, searched from end to end."""

from __future__ import annotations

from dataclasses import replace

from memoryfield_notes import (
    Document,
    InvalidNote,
    Note,
    NotesAtRisk,
    Origin,
    Outcome,
    Rebuilt,
    Record,
    StaleSource,
)
from memoryfield_notes.identity import Seen, sight_of
from memoryfield_readers import Field, NotFound

NOW = "2026-01-02T03:04:05Z"


class Model:
    """A store without a file."""

    def __init__(self) -> None:
        self.origin = Origin("", "", "")
        self.floor = 0
        self.records: dict[str, Record] = {}

    def get(self, id: str) -> Record:
        if id not in self.records:
            raise NotFound("there is none")
        return self.records[id]

    def named(self, name: str) -> tuple[Record, ...]:
        found = [each for each in self._sorted() if each.name == name]
        return tuple(sorted(found, key=lambda each: each.orphan))

    def children(self, id: str) -> tuple[Record, ...]:
        self.get(id)
        return tuple(each for each in self._sorted() if each.parent == id)

    def ancestors(self, id: str) -> tuple[Record, ...]:
        found = [self.get(id)]
        while (parent := found[-1].parent) in self.records:
            assert parent is not None
            if self.records[parent] in found:
                break
            found.append(self.records[parent])
        return tuple(found[1:])

    def fresh(self, id: str) -> str:
        record = self.get(id)
        if record.note is not None and (record.orphan or record.note.sha256 != record.sha256):
            raise StaleSource("it is")
        return id

    def search(self, term: str, *, notes: bool) -> tuple[Record, ...]:
        if term in ("", "\ud800"):
            raise InvalidNote("it is")
        return tuple(
            each
            for each in self._sorted()
            if term in (each.text if not notes else each.note.text if each.note else "")
        )

    def cas(self, id: str, rev: int, note: str) -> Outcome:
        if "\0" in note or "\ud800" in note:
            raise InvalidNote("it is")
        record = self.get(id)
        if record.rev != rev:
            return Outcome(False, record)
        made = Note(note, record.sha256, record.pin, NOW) if note else None
        after = replace(record, rev=rev + 1, note=made)
        self.records[id] = after
        if after.orphan and made is None:
            self._drop(id)
        return Outcome(True, after)

    def rebuild(self, field: Field, *, force: bool) -> Rebuilt:
        sight = sight_of(field)
        before = Model()
        before.records, before.floor = dict(self.records), self.floor
        live = {each.id for each in self._sorted() if not each.orphan}
        noted = {id for id in live if self.records[id].note}
        whose = {
            page.id: self._whose(page, {each.id for each in sight.pages}) for page in sight.pages
        }
        gone = {*self.records} - {*whose.values()}
        unread = {id for id in gone if self.records[id].name in sight.unread}
        unread = {id for id in unread if not self.records[id].orphan}
        lost = gone - unread
        if noted and live <= lost and not force:
            raise NotesAtRisk("all would go")
        old_floor = self.floor
        for id in lost:
            record = self.records[id]
            self.records[id] = replace(record, orphan=True, text="")
            self.floor = max(self.floor, record.rev)
            if record.note is None:
                self._drop(id)
        added, changed = set(), set()
        for page in sight.pages:
            was = whose[page.id]
            if was is not None and (was, before.records[was].name) != (page.id, page.name):
                self.floor = max(self.floor, before.records[was].rev)
        for page in sight.pages:
            was = whose[page.id]
            if was is None:
                rev, note = self.floor + 1, None
                added.add(page.id)
            else:
                record = before.records[was]
                note, rev = record.note, record.rev
                if record.sha256 != page.sha256:
                    rev += 1
                if page.id != was:
                    del self.records[was]
                    rev = max(rev, old_floor + 1)
                if record.orphan:
                    added.add(page.id)
                elif record.sha256 != page.sha256:
                    changed.add(page.id)
            self.records[page.id] = Record(
                page.id, page.name, page.text, page.parent, rev, page.sha256, sight.pin, False, note
            )
        self.origin = Origin(sight.name, sight.location, sight.pin)
        return Rebuilt(
            sight.pin,
            tuple(sorted(added)),
            tuple(sorted(changed)),
            len(sight.pages) - len(added) - len(changed),
            tuple(each.id for each in self._sorted() if each.orphan),
            tuple(each.id for each in self._sorted() if each.is_stale and not each.orphan),
            tuple(sorted(sight.unread)),
        )

    def export(self) -> Document:
        return Document(self.origin, self.floor, tuple(self._sorted()))

    def restore(self, document: Document) -> None:
        before, self.records = self.records, {}
        wanted = {each.id: each for each in document.records}
        left = max([self.floor, *(before[id].rev for id in before if id not in wanted)])
        for id, record in wanted.items():
            rev = record.rev
            if id not in before:
                rev = max(rev, left + 1)
            elif (before[id].sha256, before[id].note) == (record.sha256, record.note):
                rev = max(rev, before[id].rev)
            else:
                rev = max(rev, before[id].rev + 1)
            self.records[id] = replace(record, rev=rev)
        self.origin, self.floor = document.origin, max(left, document.floor)

    def _whose(self, page: Seen, ids: set[str]) -> str | None:
        """The id of the record that a page has so far."""
        if page.id in self.records:
            return page.id
        for record in self.records.values():
            if record.name == page.name and not record.orphan and record.id not in ids:
                one_is_its_name = page.name in (record.id, page.id)
                return record.id if one_is_its_name else None
        return None

    def _drop(self, id: str) -> None:
        self.floor = max(self.floor, self.records.pop(id).rev)

    def _sorted(self) -> list[Record]:
        return [self.records[id] for id in sorted(self.records)]
