"""`memoryfield unpack`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from memoryfield_readers import Limits, as_unicode, visible

from ..files import LocalPath
from ..options import format_option, limits_option, source_options
from ..output import no_command, print_json, say
from ..packing_options import archive_argument
from ..progress import transfer_bar
from ..writing import refuse_stdin, told_if_unheard


@click.command(
    epilog="""\b
Examples:
  memoryfield unpack notes.memoryfield.zip notes/
  memoryfield unpack notes.memoryfield.zip elsewhere/ --no-index --format json
"""
)
@archive_argument
@click.argument("folder", type=LocalPath(file_okay=False), metavar="DIR")
@click.option(
    "--index/--no-index", "indexes", default=True, help="Unpack the vector indexes, or leave them."
)
@format_option("text", "json")
@limits_option
@source_options
def command(
    location: str,
    folder: Path,
    indexes: bool,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
) -> None:
    """Unpack an archive into a folder that is not there, or empty.

    All of it is there in the end or nothing; no link is made or followed, and nothing is written
    outside of the folder. Prints the folder and the field pin.
    """
    from memoryfield_writer.unpacking import unpack

    refuse_stdin(location)
    with transfer_bar() as watch:
        unpacked = unpack(
            location,
            folder,
            indexes=indexes,
            limits=limits,
            storage_options=storage_options,
            watch=watch,
        )
    path = str(unpacked.path)
    with told_if_unheard(f"{path}: the field is unpacked"):
        if form == "json":
            answer = {"version": 1, "path": as_unicode(path), "digest": unpacked.digest}
            print_json({**answer, "files": unpacked.files})
        else:
            say(no_command(visible(path)))
            say(unpacked.digest)
