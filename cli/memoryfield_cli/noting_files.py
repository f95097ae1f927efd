"""`memoryfield note export`, `restore`, `backup` and `convert`: stores of notes as files."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memoryfield_notes.notebook import notebook
from memoryfield_notes.places import place_of, refuse_within
from memoryfield_readers import Limits, visible

from .destinations import write_report
from .files import LocalPath
from .noting import no_notes, store_of
from .noting_options import store_option
from .options import limits_option, location_argument
from .output import no_command, print_bytes, say, warn
from .standard_input import STDIN
from .writing import told_if_unheard
from .writing_options import note_wait_option

if TYPE_CHECKING:
    from memoryfield_notes import StoreKind


@click.command(
    epilog="""\b
Examples:
  memoryfield note export my-field/ > notes.json
  memoryfield note export my-field/ notes.json
"""
)
@location_argument
@click.argument("file", type=LocalPath(dir_okay=False), required=False)
@store_option
@limits_option
def export(location: str, file: Path | None, store: Path | None, limits: Limits) -> None:
    """Write all notes on a field as JSON, on stdout or into a file, which is replaced.

    The same notes give the same bytes, in whatever kind of store they are.
    """
    from memoryfield_notes import render

    notes = store_of(location, store, limits)
    if notes is None:
        sys.exit(no_notes(location))
    with notes:
        if file is not None:
            _refuse(location, file, notes.path, limits)
        data = render(notes.export())
    if file is None:
        print_bytes(data)
    else:
        write_report(file, data.decode())


@click.command(
    epilog="""\b
Examples:
  memoryfield note restore my-field/ notes.json
  memoryfield note restore my-field/ notes.json --replace
"""
)
@location_argument
@click.argument("file", type=LocalPath(dir_okay=False))
@click.option("--replace", is_flag=True, help="Lose the notes that there are now.")
@store_option
@note_wait_option
@limits_option
def restore(
    location: str, file: Path, replace: bool, store: Path | None, wait: float, limits: Limits
) -> None:
    """Take over all notes from an export or a backup.

    If there are notes on the field already, nothing is changed, and the exit code is 5: --replace
    takes them away. `note rebuild` brings them up to what the field is now.
    """
    from memoryfield_notes import NotesAtRisk
    from memoryfield_notes.opening import open_store

    with open_store(file) as source:
        document = source.export()
    noted = sum(each.note is not None for each in document.records)
    with notebook(
        location, store, pages=len(document.records), wait=wait, waiting=warn, limits=limits
    ) as notes:
        try:
            notes.restore(document, replace=replace)
        except NotesAtRisk as error:
            error.hint = "--replace takes them away"
            raise
        where = notes.path
    with told_if_unheard(f"{location}: the notes are restored"):
        count = "1 note" if noted == 1 else f"{noted:,} notes"
        say(no_command(visible(f"{where}: {count} on {len(document.records):,} pages")))


@click.command(
    epilog="""\b
Examples:
  memoryfield note backup my-field/ notes-of-today
"""
)
@location_argument
@click.argument("file", type=LocalPath(dir_okay=False))
@store_option
@limits_option
def backup(location: str, file: Path, store: Path | None, limits: Limits) -> None:
    """Copy the notes on a field into a new file, as one moment has them, while others write.

    It is a store of the same kind: --store can name it, and `note restore` takes it. What is there
    already is never replaced: then the exit code is 5.
    """
    notes = store_of(location, store, limits)
    if notes is None:
        sys.exit(no_notes(location))
    with notes:
        _refuse(location, file, notes.path, limits)
        notes.backup(file)
    with told_if_unheard(f"{location}: the notes are copied"):
        say(no_command(visible(str(file))))


@click.command(
    epilog="""\b
Examples:
  memoryfield note convert my-field/ sqlite
  memoryfield note convert my-field/ json
"""
)
@location_argument
@click.argument("kind", type=click.Choice(["json", "sqlite"]))
@store_option
@note_wait_option
@limits_option
def convert(
    location: str, kind: StoreKind, store: Path | None, wait: float, limits: Limits
) -> None:
    """Keep the notes on a field in a store of another kind, in the same place; nothing is lost."""
    from memoryfield_notes.converting import convert as converted
    from memoryfield_notes.notebook import find_store

    if location == STDIN and store is None:
        place_of(location)
    path = find_store(location, store, limits=limits)
    if path is None:
        sys.exit(no_notes(location))
    converted(path, kind, wait=wait, waiting=warn)
    with told_if_unheard(f"{location}: the notes are converted"):
        say(no_command(visible(f"{path}: {kind}")))


def _refuse(location: str, file: Path, store: Path, limits: Limits) -> None:
    """Refuse to write into the field, or over the store itself."""
    if os.path.realpath(file) == os.path.realpath(store):
        raise click.UsageError(f"{file} is the store itself")
    if location != STDIN:
        refuse_within(location, Path(os.path.abspath(file)), limits=limits)
