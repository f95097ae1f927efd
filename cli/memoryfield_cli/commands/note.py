"""`memoryfield note`: notes on the pages of a field, also of one that cannot be written."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import Limits, Pins, as_unicode

from ..noting import (
    NOTHING,
    answer,
    field_as_it_is,
    looked_up,
    no_notes,
    store_of,
)
from ..noting_changing import rebuild, set_note
from ..noting_files import backup, convert, export, restore
from ..noting_judging import Judged, all_judged
from ..noting_options import store_option
from ..noting_output import (
    fact_lines,
    family_facts,
    family_lines,
    judged_facts,
    line_with,
    note_lines,
    record_facts,
    record_line,
)
from ..options import (
    format_option,
    limits_option,
    location_argument,
    pin_options,
    source_options,
)
from ..output import print_json, say, warn, without_commands
from ..usage import Group

if TYPE_CHECKING:
    from memoryfield_notes import Record


@click.group(
    cls=Group,
    epilog="""\b
Examples:
  memoryfield note set my-field/ index.md "Checked on the stove: true."
  memoryfield note show my-field/ index.md
  memoryfield note ls my-field/
  memoryfield note rebuild my-field/

\b
Environment:
  MEMORYFIELD_NOTES_DIR   the folder for the notes of this user
""",
)
def command() -> None:
    """Keep notes on the pages of any field.

    Notes stand on this machine and not in the field, so that it need not be one that can be
    written, and they outlive its updates. A note has the revision of its page, which is one higher
    for each change of either, and says on what page it was made: if the page has changed since, the
    note is stale, until it is set again.
    """


@command.command(
    epilog="""\b
Examples:
  memoryfield note show my-field/ index.md
  memoryfield note show my-field/ index.md --family
  memoryfield note show my-field/ index.md --fresh --format json
"""
)
@location_argument
@click.argument("page", metavar="PAGE")
@click.option("--fresh", is_flag=True, help="Refuse a note that is stale, with exit code 3.")
@click.option("--family", is_flag=True, help="Name the parents and the children of the page, too.")
@click.option("--orphan", is_flag=True, help="Mean a page that is not in the field any more.")
@store_option
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def show(
    location: str,
    page: str,
    fresh: bool,
    family: bool,
    orphan: bool,
    store: Path | None,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Show the note on a page, given by its file name or its id (uuid).

    It is held against the page as it is now; of @NAME, as it is locked, and nobody is asked. If it
    cannot be had just now, the note is held against what was last seen of it, unless --fresh is
    given. Without a note, the exit code is 1.
    """
    facts: dict[str, Any] | None = None
    lines: list[str] = []
    note = None
    with ExitStack() as stack:
        notes = store_of(location, store, limits)
        if notes is not None:
            stack.enter_context(notes)
        needed = fresh or notes is None
        field = field_as_it_is(
            stack, location, limits, storage_options, pins, offline, needed=needed
        )
        found: Judged | None = None
        if notes is not None:
            found = looked_up(notes, field, page, orphan=orphan, needed=fresh)
        elif field is not None and page not in field.pages:
            field.page(page)  # an error, which says what is the matter
        if notes is not None and found is not None:
            record, note = found.record, found.record.note
            if fresh:
                notes.fresh(record.id, field)
            facts = judged_facts(found)
            lines += fact_lines(found)
            if family:
                lineage, children = notes.ancestors(record.id), notes.children(record.id)
                facts["family"] = family_facts(lineage, children)
                lines += family_lines(record, lineage, children)
    if note is not None:
        lines += ["", *note_lines(note.text)]
    if form == "json":
        print_json({**answer(location, notes), "page": facts})
    elif note is not None or family:
        with without_commands():
            for line in lines:
                say(line)
    if note is None:
        warn(f"{page}: there is no note on it")
        sys.exit(NOTHING)


@command.command(
    epilog="""\b
Examples:
  memoryfield note ls my-field/
  memoryfield note ls my-field/ --all
  memoryfield note ls my-field/ --format json
"""
)
@location_argument
@click.option("--stale", is_flag=True, help="Only notes whose page is not what it was, or gone.")
@click.option("--orphans", is_flag=True, help="Only notes whose page is not in the field any more.")
@click.option("--all", "everything", is_flag=True, help="Also pages without a note.")
@store_option
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def ls(
    location: str,
    stale: bool,
    orphans: bool,
    everything: bool,
    store: Path | None,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """List the notes on a field, each with its revision and whether it is stale.

    They are held against the pages as they are now; of @NAME, as they are locked, and nobody is
    asked. What cannot be had just now counts as it was last seen, which is told. If nothing is
    listed, the exit code is 1.
    """
    if everything and (stale or orphans):
        raise click.UsageError("--all goes with neither --stale nor --orphans")
    notes = store_of(location, store, limits)
    found: list[Judged] = []
    if notes is not None:
        with ExitStack() as stack:
            records = list(stack.enter_context(notes).records(noted=not everything))
            field = None
            if records:
                field = field_as_it_is(
                    stack, location, limits, storage_options, pins, offline, needed=False
                )
            found = all_judged(records, field, notes.origin().pin)
    if any(each.gone and not each.record.orphan for each in found):
        warn(f"{location}: pages with notes have gone: `memoryfield note rebuild` tells")
    known = len(found)
    found = [each for each in found if (each.stale or not stale) and (each.gone or not orphans)]
    if form == "json":
        pages = list(map(judged_facts, found))
        print_json({**answer(location, notes), "pages": pages})
    elif found:
        with without_commands():
            for each in sorted(found, key=lambda each: each.now or each.record.name):
                say(record_line(each.record, stale=each.stale, gone=each.gone, now=each.now))
    if not known:
        sys.exit(no_notes(location))
    if not found:
        warn(f"{location}: there is no such note")
        sys.exit(NOTHING)


@command.command(
    epilog="""\b
Examples:
  memoryfield note search my-field/ wok
  memoryfield note search my-field/ true --notes
"""
)
@location_argument
@click.argument("term", metavar="TERM")
@click.option("--notes", "in_notes", is_flag=True, help="Look into the notes, not into the pages.")
@store_option
@format_option("text", "json")
@limits_option
def search(
    location: str, term: str, in_notes: bool, store: Path | None, form: str, limits: Limits
) -> None:
    """Find the pages, or the notes, that hold a text as it stands, letter by letter.

    The pages are those that were last seen, by `note set` or `note rebuild`: the field itself is
    not read. If nothing is found, the exit code is 1.
    """
    notes = store_of(location, store, limits)
    found: tuple[Record, ...] = ()
    if notes is not None:
        with notes:
            found = notes.search(term, notes=in_notes)
    if form == "json":
        pages = [record_facts(each, stale=each.is_stale, gone=each.orphan) for each in found]
        print_json({**answer(location, notes), "term": as_unicode(term), "pages": pages})
    else:
        with without_commands():
            for each in found:
                text = each.note.text if in_notes and each.note is not None else each.text
                say(record_line(each, stale=each.is_stale, gone=each.orphan))
                say(f"        {line_with(text, term)}")
    if notes is None:
        sys.exit(no_notes(location))
    if not found:
        warn(f"{location}: nothing was found")
        sys.exit(NOTHING)


for each in (set_note, rebuild, export, restore, backup, convert):
    command.add_command(each)
