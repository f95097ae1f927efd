"""`memoryfield diff`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import Limits

from ..comparison_notes import Notes, notes_on
from ..noting_options import Wanted, shown_notes_options
from ..noting_reading import notes_shown
from ..opening import opened
from ..options import LOCATION, format_option, limits_option, source_options
from ..output import no_command, say, without_commands
from ..progress import comparison_bar, transfer_bar
from ..standard_input import STDIN

if TYPE_CHECKING:
    from memoryfield_validator.comparing import Comparison


@click.command(
    epilog="""\b
Examples:
  memoryfield diff other.memoryfield.zip my-field/
  memoryfield diff --words other.memoryfield.zip my-field/
  memoryfield diff --format markdown other.memoryfield.zip my-field/ > comment.md
  memoryfield diff @notes
"""
)
@click.argument("before", type=LOCATION)
@click.argument("after", type=LOCATION, required=False)
@format_option("text", "json", "markdown")
@click.option("--words", is_flag=True, help="Show which words differ: [-old-]{+new+}.")
@click.option("--stat", is_flag=True, help="Name what differs, and show no lines.")
@click.option("--no-audit", is_flag=True, help="Do not review what is new in the pages (MF8).")
@shown_notes_options
@limits_option
@source_options
def command(
    before: str,
    after: str | None,
    form: str,
    words: bool,
    stat: bool,
    no_audit: bool,
    noting: Wanted,
    limits: Limits,
    storage_options: dict[str, Any],
) -> None:
    """Show what differs between two fields, before a pin moves.

    Of a field of the lock file alone, given as @NAME or NAME, what was locked is compared with what
    stands at its location now.

    Pages are shown line by line, attachments and vector indexes by their hashes. A page that has
    another name and the same uuid was renamed. What a review of the content (see `memoryfield
    audit`) finds in a page, and did not find in it before, is marked with an exclamation mark at
    its line, and so is a line that looks as it did and is another one. A page with characters that
    cannot be shown is marked as well: they are shown escaped. Where no line of the text begins with
    an exclamation mark, `patch` makes of the pages before those after, byte by byte.

    If you keep a note on a page that differs (see `memoryfield note`), it stands below its head,
    behind exclamation marks, and says on which of the two it was made; so does the one that is kept
    with the second field, if it says something else.

    Exits with 0 if both are the same, and with 1 if they differ. An archive that was packed anew is
    another one, though its files are the same: that is told, and the exit code is 1 as well.
    """
    if before == after == STDIN:
        raise click.UsageError("only one of the two can be on stdin")
    if stat and words:
        raise click.UsageError("--stat and --words exclude each other")
    audit = not no_audit
    if after is None:
        comparison, names = _with_locked(before, limits, storage_options, audit=audit)
    else:
        comparison, names = _between(before, after, limits, storage_options, audit=audit)
    with ExitStack() as stack:
        locations = (before,) if after is None or noting.store is not None else (before, after)
        stores = [
            stack.enter_context(notes_shown(each, noting, limits))
            for each in (locations if comparison.changes else ())
        ]
        notes = notes_on(comparison, stores, names)
    _print(comparison, form, words=words, stat=stat, notes=notes)
    sys.exit(0 if comparison.keeps_pins else 1)


def _between(
    before: str, after: str, limits: Limits, storage_options: dict[str, Any], *, audit: bool
) -> tuple[Comparison, frozenset[str]]:
    """What differs, and the names of the pages of the field before."""
    from memoryfield_validator.comparing import compare

    with ExitStack() as stack:
        old, new = (
            stack.enter_context(opened(each, limits, storage_options)) for each in (before, after)
        )
        watch = stack.enter_context(comparison_bar())
        return compare(old, new, audit=audit, watch=watch), frozenset(old.pages)


def _with_locked(
    name: str, limits: Limits, storage_options: dict[str, Any], *, audit: bool
) -> tuple[Comparison, frozenset[str]]:
    """What was locked, compared with what stands there now; and the names of its pages."""
    from dataclasses import replace

    from memoryfield_readers import Field
    from memoryfield_readers.lock import is_trusted, location_of, locked_field
    from memoryfield_readers.locked import locked_version
    from memoryfield_validator.comparing import compare

    found = locked_field(name, limits=limits)
    if found is None:
        raise click.UsageError(f"{name} is no field of a lock file: name what to compare it with")
    lock, locked = found
    mark = f"@{locked.name}"
    now = location_of(lock, locked, resolved=False)
    trusted = is_trusted(lock, locked)
    with (
        transfer_bar() as watch,
        Field(
            locked_version(
                lock, locked, limits=limits, storage_options=storage_options, watch=watch
            ),
            limits,
        ) as old,
        opened(now, limits, storage_options, trusted=trusted) as new,
        comparison_bar() as comparing,
    ):
        known = {**locked.manifest.hashes, **locked.indexes}
        pin = None if locked.archive_pin is None else str(locked.archive_pin)
        comparison = compare(old, new, audit=audit, known=known, archive_pin=pin, watch=comparing)
        names = frozenset(old.pages)
    return replace(comparison, before=replace(comparison.before, location=mark)), names


def _print(comparison: Comparison, form: str, *, words: bool, stat: bool, notes: Notes) -> None:
    from ..comparison_output import comparison_json, comparison_markdown, comparison_text
    from ..rendering import for_stdout

    if form == "json":
        say(for_stdout(form, comparison_json(comparison, words=words, stat=stat, notes=notes)))
    elif form == "markdown":
        text = comparison_markdown(
            comparison, words=words, stat=stat, encoding=sys.stdout.encoding, notes=notes
        )
        say(no_command(text), end="")
    else:
        text = comparison_text(
            comparison,
            words=words,
            stat=stat,
            colour=sys.stdout.isatty(),
            encoding=sys.stdout.encoding,
            notes=notes,
        )
        with without_commands():
            say(no_command(text), end="")
