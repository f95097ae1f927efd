"""What the commands on notes have in common: which page is meant, and whether a note is stale."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import (
    Field,
    LimitExceeded,
    Limits,
    LocationError,
    NotFound,
    Page,
    Pins,
    SourceUnavailable,
    as_unicode,
    shown,
)

from .noting_judging import UNREADABLE, Judged, all_judged, tell_last_seen
from .opening import opened
from .output import warn
from .standard_input import STDIN
from .writing import content_from_stdin, read_bounded

if TYPE_CHECKING:
    from memoryfield_notes import Rebuilt, Record, Store

NOTHING = 1
"""The exit code where nothing was found."""

_REMOVE = "--remove takes a note away"
_MOST_LEFT_OFF = 5
"""Bytes of a mark of byte order, and of a line end."""


def store_of(location: str, store: Path | None, limits: Limits) -> Store | None:
    """The store of notes on a field, to be read; None if there is none.

    Raises:
        StoreError: it cannot be read.
        NotFound: the one that was named is not there; or neither a store nor a field is.
    """
    from memoryfield_notes.notebook import find_store
    from memoryfield_notes.opening import open_store
    from memoryfield_notes.places import refuse_nowhere

    if location == STDIN and store is None:
        from memoryfield_notes.places import place_of

        place_of(location)  # which says that there is none
    path = find_store(location, store, limits=limits)
    if path is None:
        refuse_nowhere(location, limits=limits)
        return None
    return open_store(path)


def no_notes(location: str) -> int:
    """Say that nobody has made a note on a field; the exit code."""
    warn(f"{location}: there are no notes on it (`memoryfield note set` makes one)")
    return NOTHING


def field_as_it_is(
    stack: ExitStack,
    location: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
    *,
    needed: bool,
) -> Field | None:
    """The field, open as long as the stack is; None if it cannot be had just now, which is told.

    Arguments:
        stack: closes the field.
        location: the field.
        limits: how much to take.
        storage_options: how its source is reached.
        pins: what it must be.
        offline: whether to ask nobody else.
        needed: whether there is no answer without it.

    Raises:
        PinMismatch: it is another one than was pinned.
        MemoryfieldError: it is needed, and cannot be had.
    """
    try:
        return stack.enter_context(opened(location, limits, storage_options, pins, offline))
    except SourceUnavailable as error:
        if needed:
            raise
        tell_last_seen(error, location)
        return None


def record_named(store: Store, page: str, *, orphan: bool = False) -> Record:
    """The record of a page, by its file name or its id.

    Arguments:
        store: the store.
        page: what was typed.
        orphan: whether a page is meant that is not in the field any more.

    Raises:
        NotFound: the store knows no such page.
    """
    from memoryfield_notes.identity import is_text

    known = is_text(page)
    candidates = [*store.named(page), *store.find((page, page.lower())).values()] if known else []
    for record in candidates:
        if record.orphan or not orphan:
            return record
    hint = "`memoryfield note ls --all` lists what there is"
    if known and any(not each.orphan for each in store.named(f"{page}.md")):
        hint = f"did you mean {shown(f'{page}.md')}?"
    gone = " that is not in the field any more" if orphan else ""
    raise NotFound(f"there is no page {shown(page)}{gone}", location=str(store.path), hint=hint)


def looked_up(
    store: Store, field: Field | None, page: str, *, orphan: bool, needed: bool
) -> Judged | None:
    """What is known of a page, by its file name or its id; None if that is nothing so far.

    Arguments:
        store: the store.
        field: the field as it is, or None if it cannot be had.
        page: what was typed.
        orphan: whether a page is meant that is not in the field any more.
        needed: whether there is no answer without the page itself.

    Raises:
        NotFound: there is no such page.
        MemoryfieldError: it cannot be read; as `Field.page` raises.
    """
    from memoryfield_notes.identity import uuid_of
    from memoryfield_notes.showing import record_of

    if field is not None and not orphan and page in field.pages and not _knows(store, field):
        try:
            live = field.page(page)
        except UNREADABLE as error:
            if needed or not any(not each.orphan for each in store.named(page)):
                raise
            tell_last_seen(error, field.location)
            field = None
        else:
            record = record_of(store, (page,), uuid_of(live), field.pages)
            if record is None or _is_elsewhere(record, live, field, store.origin().pin):
                return None
            stale = record.note is not None and record.note.sha256 != live.sha256
            return Judged(record, stale, False, now=None if record.name == page else page)
    record = record_named(store, page, orphan=orphan)
    return all_judged([record], field, store.origin().pin)[0]


def _is_elsewhere(record: Record, live: Page, field: Field, pin: str) -> bool:
    """Whether a page that seems to have lost its uuid has it still, under another name."""
    from memoryfield_notes.identity import uuid_of

    if record.name == record.id or uuid_of(live) is not None:
        return False
    return all_judged([record], field, pin)[0].now is not None


def _knows(store: Store, field: Field) -> bool:
    """Whether a store has seen the field as it is, and nothing need be read to know so."""
    return field.known_digest is not None and field.known_digest == store.origin().pin


def answer(location: str, notes: Store | None) -> dict[str, Any]:
    """How each answer as JSON begins."""
    path = None if notes is None else as_unicode(str(notes.path))
    return {"version": 1, "location": as_unicode(location), "store": path}


def warn_unread(told: Rebuilt, field: Field) -> None:
    """Say which pages could not be read, so that their records stay as they were."""
    for name in told.unread:
        warn(f"{field.location}: {name}: could not be read, and stays as it was last seen")


def typed_note(text: str | None, file: Path | None, location: str) -> str:
    """The text of a note: as it was typed, from a file, or from stdin.

    What comes from a file, or from stdin, which "-" names as well, may have a mark of byte order,
    which is left off; so are line ends at its end, wherever it comes from.

    Raises:
        click.UsageError: there are two texts.
        InvalidNote: it is empty, too long, or not UTF-8.
        NotFound, SourceUnavailable: the file cannot be read.
    """
    from memoryfield_notes import MOST_NOTE_BYTES, InvalidNote

    if text is not None and file is not None:
        raise click.UsageError("TEXT and --file exclude each other")
    if text is None:
        most = MOST_NOTE_BYTES + _MOST_LEFT_OFF
        if file is not None and str(file) != STDIN:
            content = _content_of(file, most)
        elif location == STDIN:
            raise LocationError("only one of field and note can be on stdin", location=STDIN)
        else:
            content = _from_stdin(most)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InvalidNote("the note is no text", hint="write it in UTF-8") from None
    if not text.strip():
        raise InvalidNote("the note is empty", hint=_REMOVE)
    return text


def _from_stdin(most: int) -> bytes:
    from memoryfield_notes import InvalidNote

    try:
        return content_from_stdin(most, "", typed="the note")
    except LimitExceeded:
        raise InvalidNote("is too long for a note", location=STDIN) from None
    except LocationError as error:
        error.hint = _REMOVE
        raise


def _content_of(file: Path, most: int) -> bytes:
    from memoryfield_notes import InvalidNote
    from memoryfield_readers.system_errors import error_of

    try:
        with open(file, "rb") as opened_file:
            content = read_bounded(opened_file, most)
    except OSError as error:
        raise error_of(error, location=str(file)) from error
    if content is None:
        raise InvalidNote("is too long for a note", location=str(file))
    return content
