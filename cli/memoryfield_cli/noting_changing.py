"""`memoryfield note set` and `memoryfield note rebuild`: what changes a store of notes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from memoryfield_readers import Field, Limits, Pins, WriteConflict, visible

from .files import LocalPath
from .noting import NOTHING, answer, record_named, typed_note, warn_unread
from .noting_options import store_option
from .noting_output import rebuilt_facts, rebuilt_lines, record_facts
from .opening import opened
from .options import format_option, limits_option, location_argument, pin_options, source_options
from .output import no_command, print_json, say, warn, without_commands
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
    help="The file that the note is in; without it and TEXT, the note is read from stdin.",
)
@click.option(
    "--rev",
    type=click.IntRange(min=0),
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
    the page has changed, nothing is changed, the exit code is 5, and the revision is told.
    """
    from memoryfield_notes import Outcome

    if remove and (text is not None or file is not None):
        raise click.UsageError("--remove takes no text")
    note = "" if remove else None
    if note is None and (text is not None or file is not None):
        note = typed_note(text, file, location)
    source = _Source(location, limits, storage_options, pins, offline)
    with _rebuilt_store(source, store, wait, page) as (notes, changed):
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
            facts = record_facts(after, stale=after.is_stale)
            print_json({**begun, "status": outcome.status, "page": facts})
        elif outcome.applied:
            say(no_command(visible(done)))


@contextmanager
def _rebuilt_store(
    source: _Source, store: Path | None, wait: float, page: str
) -> Iterator[tuple[Store, tuple[str, ...]]]:
    """The store of notes on a field, which knows its pages as they are now.

    With it come the ids of pages that have changed since it last knew them.
    """
    from memoryfield_notes.notebook import notebook
    from memoryfield_notes.places import place_of

    place = place_of(source.location, store, limits=source.limits)
    with opened(*source) as field:
        if not os.path.lexists(place):
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
            if notes.origin().pin != (field.known_digest or field.digest()):
                told = notes.rebuild(field)
                warn_unread(told, field)
                changed = told.changed
            yield notes, changed


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
    "--force", is_flag=True, help="Go on although all notes would be left without a page."
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
    gone is kept, and listed. If pages could not be read, they stay as they were, and the exit code
    is 1.
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
