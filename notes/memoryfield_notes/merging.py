"""What a field that is another one now does to the records of a store; pure, and equal for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .identity import Seen, Sight


@dataclass(frozen=True, slots=True)
class Known:
    """What the merge has to know of a record.

    Attributes:
        id, name, parent, rev, sha256, orphan: as in `Record`.
        current: whether it was seen in the version of the field that was last read.
        noted: whether there is a note on it.
    """

    id: str
    name: str
    parent: str | None
    rev: int
    sha256: str
    orphan: bool
    current: bool
    noted: bool


@dataclass(frozen=True, slots=True)
class Put:
    """A record that is to be as a page is now; its note, if it has one, stays.

    Attributes:
        before: the id that the record has so far; None for a new record.
        page: the page.
        rev: its revision from now on.
    """

    before: str | None
    page: Seen
    rev: int


@dataclass(frozen=True, slots=True)
class Merge:
    """What is to be done to a store, all of it or nothing.

    Records that are not named stay as they are, and are taken for seen in this version.

    Attributes:
        puts: records to put. Ids may be handed on: what has an id in `before` lets go of it first.
        outdated: ids of records of pages that are there and could not be read: they stay, with the
            pin of the version that they were last seen in.
        orphaned: ids of records that are kept without a page, for their notes: their text goes,
            their pin stays.
        dropped: ids of records of pages that are gone and have no note.
        floor: from now on no new record begins at this revision or below.
    """

    puts: tuple[Put, ...]
    outdated: tuple[str, ...]
    orphaned: tuple[str, ...]
    dropped: tuple[str, ...]
    floor: int


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild came to; ids are in order.

    Attributes:
        pin: the field pin of the field that was read.
        added: ids of pages that are new to the store, or back.
        changed: ids of pages whose content is another one: their revision is one higher.
        unchanged: how many pages are what they were.
        orphans: ids of all notes whose page is gone, be it for long.
        stale: ids of all notes whose page is no longer what they were made on, orphans aside.
        unread: names of pages that are there and could not be read.
    """

    pin: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: int
    orphans: tuple[str, ...]
    stale: tuple[str, ...]
    unread: tuple[str, ...]


def merged(known: Mapping[str, Known], sight: Sight, floor: int) -> tuple[Merge, Rebuilt]:
    """What is to be done to a store so that it shows a field as it is now.

    A revision is raised where the content of a page changed, and nowhere else. A page that has come
    to have a uuid, or lost it, is the same page if its name is the same. A record that is dropped,
    or lets go of its id or its name, leaves its revision behind as a floor, so that what was read
    of it can never be taken for something of a page that gets the id or the name later.

    Arguments:
        known: the records, by id.
        sight: the field.
        floor: no new record begins at this revision or below.

    Returns:
        What to do, and what to tell; `stale` is for the store to fill in, which knows the notes.
    """
    ids = {page.id for page in sight.pages}
    by_name = {each.name: each for each in known.values() if not each.orphan}
    puts: list[Put] = []
    added: list[str] = []
    changed: list[str] = []
    found: set[str] = set()
    fresh: list[Seen] = []
    left: list[int] = []
    for page in sight.pages:
        record = known.get(page.id) or _of_name(by_name, page, ids)
        if record is None:
            fresh.append(page)
            added.append(page.id)
            continue
        found.add(record.id)
        same = record.sha256 == page.sha256
        rev = record.rev + (not same)
        if record.id != page.id:  # the new id may have been another's: none of its revisions again
            rev = max(rev, floor + 1)
        if (record.id, record.name) != (page.id, page.name):
            left.append(record.rev)
        if record.orphan:
            added.append(page.id)
        elif not same:
            changed.append(page.id)
        if not (same and record.current and not record.orphan and _is_as(record, page)):
            puts.append(Put(record.id, page, rev))
    gone = [each for each in known.values() if each.id not in found]
    outdated = [each.id for each in gone if not each.orphan and each.name in sight.unread]
    lost = [each for each in gone if each.orphan or each.name not in sight.unread]
    dropped = [each for each in lost if not each.noted]
    floor = max([floor, *left, *(each.rev for each in lost)])
    puts += [Put(None, page, floor + 1) for page in fresh]
    merge = Merge(
        puts=tuple(puts),
        outdated=tuple(sorted(outdated)),
        orphaned=tuple(sorted(each.id for each in lost if each.noted and not each.orphan)),
        dropped=tuple(sorted(each.id for each in dropped)),
        floor=floor,
    )
    told = Rebuilt(
        pin=sight.pin,
        added=tuple(sorted(added)),
        changed=tuple(sorted(changed)),
        unchanged=len(sight.pages) - len(added) - len(changed),
        orphans=tuple(sorted(each.id for each in lost if each.noted)),
        stale=(),
        unread=tuple(sorted(sight.unread)),
    )
    return merge, told


def loses_all(known: Iterable[Known], merge: Merge) -> bool:
    """Whether there were notes with pages, and not one page that was known is in the field."""
    live = [each for each in known if not each.orphan]
    gone = {*merge.orphaned, *merge.dropped}
    return any(each.noted for each in live) and gone.issuperset(each.id for each in live)


def _of_name(by_name: Mapping[str, Known], page: Seen, ids: set[str]) -> Known | None:
    """The record of a page that has come to have a uuid, or has lost it."""
    record = by_name.get(page.name)
    if record is None or record.id in ids:
        return None
    return record if page.name in (record.id, page.id) else None


def _is_as(record: Known, page: Seen) -> bool:
    return (record.id, record.name, record.parent) == (page.id, page.name, page.parent)
