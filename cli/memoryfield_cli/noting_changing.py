"""`memoryfield note set` and `memoryfield note rebuild`: what changes a store of notes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from memoryfield_notes.record import MOST_REVISION
from memoryfield_readers import (
    EmptyField,
    Field,
    Limits,
    MemoryfieldError,
    NotFound,
    Pins,
    WriteConflict,
    visible,
)

from .files import LocalPath
from .noting import NOTHING, answer, record_named, typed_note, warn_unread
from .noting_judging import UNREADABLE
from .noting_options import store_option
from .noting_output import rebuilt_facts, rebuilt_lines, record_facts
from .opening import opened
from .options import format_option, limits_option, location_argument, pin_options, source_options
from .output import complain, no_command, print_json, say, warn, without_commands
from .writing import told_if_unheard
from .writing_options import note_wait_option

if TYPE_CHECKING:
    from memoryfield_notes import Outcome, Record, Store


_MAYBE_ID = re.compile(r"[0-9A-Fa-f-]{36}")


class _Source(NamedTuple):
    """How a field is opened."""

    location: str
    limits: Limits
    storage_options: dict[str, Any]
    pins: Pins
    offline: bool


@click.command(
    "set",
    epilog="""\b
Examples:
  memoryfield note set my-field/ index.md "Checked on the stove: true."
  memoryfield note set my-field/ index.md --rev 2 < note.txt
  memoryfield note set my-field/ index.md --rev 3 --remove
""",
)
@location_argument
@click.argument("page", metavar="PAGE")
@click.argument("text", metavar="[TEXT]", required=False)
@click.option(
    "--file",
    type=LocalPath(dir_okay=False),
    metavar="FILE",
    help="The file that the note is in; with - or without it and TEXT, it is read from stdin.",
)
@click.option(
    "--rev",
    type=click.IntRange(0, MOST_REVISION),
    metavar="N",
    help="The revision that the page must have; without it, only a first note is made.",
)
@click.option("--remove", is_flag=True, help="Take the note away.")
@click.option("--orphan", is_flag=True, help="Mean a page that is not in the field any more.")
@store_option
@note_wait_option
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def set_note(
    location: str,
    page: str,
    text: str | None,
    file: Path | None,
    rev: int | None,
    remove: bool,
    orphan: bool,
    store: Path | None,
    wait: float,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Set the note on a page, given by its file name or its id (uuid), or take it away.

    It is set only if the page still has the revision that you saw: if somebody else was faster, or
    the page has changed, nothing is changed, the exit code is 5, and the revision is told. Of
    @NAME, the page counts as it is locked, and nobody is asked.
    """
    from memoryfield_notes import Outcome

    if remove and (text is not None or file is not None):
        raise click.UsageError("--remove takes no text")
    note = "" if remove else None
    if note is None and (text is not None or file is not None):
        note = typed_note(text, file, location)
    source = _Source(location, limits, storage_options, pins, offline)
    with _rebuilt_store(source, store, wait, page, orphan=orphan) as (notes, changed):
        if note is None:  # a person types it when it is known that the page is there
            note = typed_note(None, None, location)
        record = record_named(notes, page, orphan=orphan)
        if remove and record.note is None:
            warn(f"{page}: there is no note on it")
            sys.exit(NOTHING)
        if rev is None and record.note is not None:
            outcome = Outcome(applied=False, record=record)
        else:
            outcome = notes.cas(record.id, record.rev if rev is None else rev, note)
    _tell(outcome, answer(location, notes), form)
    if not outcome.applied:
        raise _refusal(page, outcome.record, rev, page_changed=record.id in changed)


def _refusal(page: str, record: Record, rev: int | None, *, page_changed: bool) -> WriteConflict:
    """Why nothing was changed, and what the revision is."""
    if rev is None:
        message = f"there is a note on it already, at revision {record.rev}"
        hint = f"look at it with `memoryfield note show`; --rev {record.rev} sets it anew"
    else:
        why = "the page has changed: it " if page_changed else ""
        message = f"{why}has revision {record.rev} now, not {rev}"
        look = "read it" if page_changed else "look at it with `memoryfield note show`"
        hint = f"{look}, then give --rev {record.rev}"
    return WriteConflict(f"{message}; nothing was changed", location=page, hint=hint)


def _tell(outcome: Outcome, begun: dict[str, Any], form: str) -> None:
    after = outcome.record
    what = "the note is taken away" if after.note is None else "the note is set"
    done = f"{after.name}: {what}, revision {after.rev}"
    with told_if_unheard(done if outcome.applied else None):
        if form == "json":
            facts = record_facts(after, stale=after.is_stale, gone=after.orphan)
            print_json({**begun, "status": outcome.status, "page": facts})
        elif outcome.applied:
            say(no_command(visible(done)))


@contextmanager
def _rebuilt_store(
    source: _Source, store: Path | None, wait: float, page: str, *, orphan: bool
) -> Iterator[tuple[Store, tuple[str, ...]]]:
    """The store of notes on a field, which knows its pages as they are now.

    With it come the ids of pages that have changed since it last knew them.
    """
    from memoryfield_notes.notebook import notebook
    from memoryfield_notes.places import place_of
    from memoryfield_notes.presence import is_there

    place = place_of(source.location, store, limits=source.limits)
    with opened(*source) as field:
        if not is_there(place):
            _require(field, page)
        with notebook(
            source.location,
            store,
            pages=len(field.pages),
            wait=wait,
            waiting=warn,
            limits=source.limits,
        ) as notes:
            changed: tuple[str, ...] = ()
            try:
                is_old = notes.origin().pin != (field.known_digest or field.digest())
                if is_old or (not orphan and _unread(notes, field, page)):
                    told = notes.rebuild(field)
                    warn_unread(told, field)
                    changed = told.changed
            except EmptyField:
                raise
            except UNREADABLE as error:
                _go_on_without(error, notes, field, page, orphan=orphan)
            else:
                for name in () if orphan else _unread(notes, field, page):
                    field.page(name)  # an error, which says what is the matter
            yield notes, changed


def _go_on_without(
    error: MemoryfieldError, notes: Store, field: Field, page: str, *, orphan: bool
) -> None:
    """Go on although another page cannot be read, if this one is what the store knows.

    Raises:
        MemoryfieldError: it is another one, or cannot be read either.
    """
    try:
        record = record_named(notes, page, orphan=orphan)
    except NotFound:
        raise error from None
    if record.orphan or field.page(record.name).sha256 != record.sha256:
        raise error
    complain(error)
    warn(
        f"{field.location}: the notes could not be brought up to the field; "
        f"{visible(record.name)} is as it was last seen, and is noted so"
    )


def _unread(notes: Store, field: Field, page: str) -> set[str]:
    """The names of pages of a name or an id that a store has not seen as the field has them."""
    from memoryfield_notes.identity import is_text

    if not is_text(page):
        return set()
    known = [*notes.named(page), *notes.find((page, page.lower())).values()]
    pin = notes.origin().pin
    found = {each.name for each in known if not each.orphan and each.pin != pin}
    return found if known or page not in field.pages else {page}


def _require(field: Field, page: str) -> None:
    """Refuse to make a store for a page that is not there; an id can only be looked up in a store.

    Raises:
        MemoryfieldError: it is not there, or the field has no pin.
    """
    field.digest()
    if page not in field.pages and not _MAYBE_ID.fullmatch(page):
        field.page(page)  # an error, which says what is the matter


@click.command(
    epilog="""\b
Examples:
  memoryfield note rebuild my-field/
  memoryfield note rebuild my-field/ --format json
"""
)
@location_argument
@click.option(
    "--force", is_flag=True, help="Go on although no page that is known is in the field any more."
)
@store_option
@note_wait_option
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def rebuild(
    location: str,
    force: bool,
    store: Path | None,
    wait: float,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Bring what is known of the pages up to what the field is now; no note is lost.

    The revision of a page is raised if its content changed, and stays else. A note whose page is
    gone is kept, and listed. Pages over a limit, or with a name that is not UTF-8, stay as they
    were, and the exit code is 1; if a page cannot be read at all, nothing is changed.
    """
    from memoryfield_notes.notebook import notebook
    from memoryfield_notes.places import place_of

    place_of(location, store, limits=limits)
    with opened(location, limits, storage_options, pins, offline) as field:
        field.digest()  # for what has no pin no store is made
        with notebook(
            location, store, pages=len(field.pages), wait=wait, waiting=warn, limits=limits
        ) as notes:
            told = notes.rebuild(field, force=force)
            found = notes.find((*told.stale, *told.orphans))
        warn_unread(told, field)
    with told_if_unheard(f"{location}: the notes are brought up to {told.pin}"):
        if form == "json":
            print_json({**answer(location, notes), **rebuilt_facts(told)})
        else:
            with without_commands():
                names = {id: each.name for id, each in found.items()}
                for line in rebuilt_lines(told, names):
                    say(line)
    if told.unread:
        sys.exit(NOTHING)
