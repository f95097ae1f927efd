"""What notes are worth by now: held against the pages as they are, or as they were last seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from memoryfield_readers import (
    Field,
    LimitExceeded,
    MemoryfieldError,
    PageError,
    SourceUnavailable,
    visible,
)

from .output import complain, warn

if TYPE_CHECKING:
    from memoryfield_notes import Record

UNREADABLE = (SourceUnavailable, PageError, LimitExceeded)
"""What goes wrong with a field, or with a page, that is there and cannot be read."""


class Judged(NamedTuple):
    """A record, and what its note is worth by now.

    Attributes:
        record: the record.
        stale: whether there is a note, and the page is no longer what it was made on.
        gone: whether the page is not in the field any more.
        checked: whether that was seen in the field as it is, not only when it was last seen.
        now: the name that the page has by now, if it is another one.
    """

    record: Record
    stale: bool
    gone: bool
    checked: bool = True
    now: str | None = None


class _Live(NamedTuple):
    """A page of the field as it is: its name, its hash, and the uuid that it states."""

    name: str
    sha256: str
    uuid: str | None


def as_last_seen(record: Record, *, checked: bool = False) -> Judged:
    """What a note is worth by what its store knows alone."""
    return Judged(record, record.is_stale, record.orphan, checked)


def tell_last_seen(error: MemoryfieldError, location: str) -> None:
    """Say that a field, or a page of it, cannot be had, and what is answered all the same."""
    complain(error)
    what = "its notes are" if error.entry is None else f"{visible(error.entry)}: its note is"
    warn(f"{location}: {what} judged by what was last seen of it")


def all_judged(records: Iterable[Record], field: Field | None, pin: str) -> list[Judged]:
    """What notes are worth: by the pages as they are, or by what was last seen of them.

    Who a page is, is told as in a rebuild: by its uuid, also under another name, else by its name.
    Pages that cannot be read are told, and judged by what was last seen of them.

    Arguments:
        records: the records.
        field: the field as it is, or None if it cannot be had.
        pin: the pin of the field that the store has seen.

    Raises:
        PinMismatch: it is not what was pinned.
    """
    records = list(records)
    if field is None:
        return list(map(as_last_seen, records))
    if field.known_digest is not None and field.known_digest == pin:
        return [as_last_seen(each, checked=_was_read(each, pin, field)) for each in records]
    there, ids = {*field.pages, *_irregular(field)}, {each.id for each in records}
    try:
        wanted = [each.name for each in records if each.note is not None or each.orphan]
        live = {each.name: each for each in _read(field, wanted)}
        if any(_may_be_elsewhere(each, live, there) for each in records):
            live |= {each.name: each for each in _read(field, there.difference(live, wanted))}
    except SourceUnavailable as error:
        tell_last_seen(error, field.location)
        return list(map(as_last_seen, records))
    count = Counter(each.uuid for each in live.values())  # what several state is nobody's
    by_uuid = {each.uuid: each for each in live.values() if count[each.uuid] == 1}
    found: list[Judged] = []
    for record in records:
        page = by_uuid.get(record.id) or _of_name(record, live, ids)
        if page is not None:
            found.append(_judged(record, page))
        elif record.name in there and record.name not in live:
            # There was nothing to be read for what has no note; and what has one is told of.
            unread = record.note is not None or record.orphan
            found.append(as_last_seen(record, checked=not unread))
        else:
            found.append(Judged(record, stale=record.note is not None, gone=True))
    return found


def _was_read(record: Record, pin: str, field: Field) -> bool:
    """Whether a page of the version that the store has seen could be read then, which is told."""
    if record.orphan or record.pin == pin:
        return True
    tell_last_seen(
        PageError("could not be read", location=field.location, entry=record.name), field.location
    )
    return False


def _read(field: Field, names: Iterable[str]) -> list[_Live]:
    """What pages are; those that are not there, or cannot be read, which is told, are left out.

    Raises:
        SourceUnavailable: nothing can be read just now.
    """
    from memoryfield_notes.identity import uuid_of

    irregular = _irregular(field)
    wanted = sorted({*names} & {*field.pages, *irregular})
    field.prepare([name for name in wanted if name not in irregular])
    found: list[_Live] = []
    for name in wanted:
        try:
            page = field.page(name)
        except UNREADABLE as error:
            tell_last_seen(error, field.location)
        else:
            found.append(_Live(name, page.sha256, uuid_of(page)))
    return found


def _irregular(field: Field) -> set[str]:
    """The names of entries that are there, and are no files: a link that leads nowhere."""
    return {each.path for each in field.irregular}


def _may_be_elsewhere(record: Record, live: Mapping[str, _Live], there: Collection[str]) -> bool:
    """Whether a page may have another name by now: it has a uuid, and is not where it was."""
    if record.id == record.name:
        return False
    page = live.get(record.name)
    return record.name not in there if page is None else page.uuid != record.id


def _of_name(record: Record, live: Mapping[str, _Live], ids: Collection[str]) -> _Live | None:
    """The page of the name of a record, if it is the same one: it may have got a uuid, or lost it.

    Arguments:
        record: the record.
        live: the pages, by their names.
        ids: the ids of all records.
    """
    page = live.get(record.name)
    if page is None or page.uuid == record.id or page.sha256 == record.sha256:
        return page
    is_named = record.id == record.name
    if page.uuid is None:
        return page if is_named or not record.orphan else None
    return page if is_named and not record.orphan and page.uuid not in ids else None


def _judged(record: Record, page: _Live) -> Judged:
    stale = record.note is not None and record.note.sha256 != page.sha256
    return Judged(record, stale, gone=False, now=None if page.name == record.name else page.name)
