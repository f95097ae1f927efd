"""`memoryfield note export`, `restore`, `backup` and `convert`: stores of notes as files."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memoryfield_notes.notebook import notebook
from memoryfield_notes.places import place_of, refuse_nowhere, refuse_within
from memoryfield_readers import LimitExceeded, Limits, NotFound, visible

from .destinations import write_report
from .files import LocalPath
from .noting import no_notes, store_of
from .noting_options import store_option
from .options import limits_option, location_argument
from .output import no_command, print_bytes, say, warn
from .standard_input import STDIN
from .writing import content_from_stdin, told_if_unheard
from .writing_options import note_wait_option

if TYPE_CHECKING:
    from memoryfield_notes import Document, StoreKind


@click.command(
    epilog="""\b
Examples:
  memoryfield note export my-field/ notes.json
  memoryfield note export my-field/ notes.json --replace
  memoryfield note export my-field/ > notes.json
"""
)
@location_argument
@click.argument("file", type=LocalPath(dir_okay=False), required=False)
@click.option("--replace", is_flag=True, help="Write over a file that is there already.")
@store_option
@limits_option
def export(
    location: str, file: Path | None, replace: bool, store: Path | None, limits: Limits
) -> None:
    """Write all notes on a field as JSON, on stdout (also with -) or into a file.

    The same notes give the same bytes, in whatever kind of store they are. If the file is there
    already, nothing is changed, and the exit code is 5, unless --replace is given.
    """
    from memoryfield_notes import NotesAtRisk, render

    notes = store_of(location, store, limits)
    if notes is None:
        sys.exit(no_notes(location))
    file = None if file is None or str(file) == STDIN else file
    with notes:
        if file is not None:
            _refuse(location, file, notes.path, limits)
            if not replace and os.path.lexists(file) and (file.is_file() or file.is_symlink()):
                raise NotesAtRisk(
                    "there is a file already; nothing was changed",
                    location=str(file),
                    hint="--replace writes over it",
                )
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
    """Take over all notes from an export or a backup, in FILE or on stdin (-).

    If there are notes on the field already, nothing is changed, and the exit code is 5: --replace
    takes them away; revisions are then higher than before where the content is another one. `note
    rebuild` brings the notes up to what the field is now.
    """
    from memoryfield_notes import NotesAtRisk
    from memoryfield_notes.presence import is_there

    document = _document_in(file)
    if store is None and not is_there(place_of(location, limits=limits)):
        refuse_nowhere(location, limits=limits)
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
        refuse_nowhere(location, limits=limits)
        sys.exit(no_notes(location))
    converted(path, kind, wait=wait, waiting=warn)
    with told_if_unheard(f"{location}: the notes are converted"):
        say(no_command(visible(f"{path}: {kind}")))


def _document_in(file: Path) -> Document:
    """What an export or a backup holds; "-" is one on stdin.

    Raises:
        MemoryfieldError: it is none, or cannot be read.
    """
    from memoryfield_notes import StoreError
    from memoryfield_notes.errors import UPDATE
    from memoryfield_notes.opening import open_store
    from memoryfield_notes.placing import CutOff

    try:
        with ExitStack() as stack:
            place = file
            if str(file) == STDIN:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="memoryfield-"))
                place = Path(folder) / "notes"
                place.write_bytes(_from_stdin())
            return stack.enter_context(open_store(place)).export()
    except (StoreError, NotFound) as error:
        error.location = str(file)
        if isinstance(error, CutOff):
            error.hint = f"`memoryfield note convert LOCATION sqlite --store {file}` mends it"
        elif error.hint != UPDATE:
            error.hint = "name what `note export` or `note backup` has written"
        raise


def _from_stdin() -> bytes:
    from memoryfield_notes.placing import MOST_BYTES

    try:
        return content_from_stdin(MOST_BYTES, "")
    except LimitExceeded as error:
        error.hint = "save it as a file, and name that"
        raise


def _refuse(location: str, file: Path, store: Path, limits: Limits) -> None:
    """Refuse to write into the field, over the store itself, or over the lock file of a store."""
    from memoryfield_notes.placing import lock_path

    real = Path(os.path.realpath(file))
    if real == Path(os.path.realpath(store)):
        raise click.UsageError(f"{file} is the store itself")
    owner = real.with_name(real.name[1:].removesuffix(".lock") or "x")
    if real == lock_path(Path(os.path.realpath(store))) or (
        real == lock_path(owner) and os.path.lexists(owner)
    ):
        raise click.UsageError(f"{file} is the lock file of a store")
    if location != STDIN:
        refuse_within(location, Path(os.path.abspath(file)), limits=limits)
