"""`memoryfield repack`."""

from __future__ import annotations

import click

from memoryfield_readers import Limits

from ..options import format_option, limits_option
from ..output import warn
from ..packing_options import archive_argument, checksum_option, output_option, replace_option
from ..packing_output import tell_packed
from ..writing import refuse_stdin
from ..writing_options import wait_option


@click.command(
    epilog="""\b
Examples:
  memoryfield repack notes.memoryfield.zip
  memoryfield repack notes.memoryfield.zip -o clean.memoryfield.zip --no-index
  memoryfield repack --root my-field wrapped.zip -o unwrapped.memoryfield.zip
"""
)
@archive_argument
@output_option("Where to write; else the archive itself gets the new form.")
@click.option("--root", metavar="DIR", help="The folder in the archive that is the field.")
@click.option(
    "--index/--no-index", "indexes", default=True, help="Keep the vector indexes, or drop them."
)
@replace_option
@checksum_option
@wait_option
@format_option("text", "json")
@limits_option
def command(
    location: str,
    output: str | None,
    root: str | None,
    indexes: bool,
    replace: bool,
    no_checksum: bool,
    wait: float,
    form: str,
    limits: Limits,
) -> None:
    """Bring an archive into the form that is the same everywhere.

    Debris, folders within, comments and times go; pages and attachments stay what they are, so that
    the field pin does. --root unwraps an archive whose field lies in a folder, as `zip -r` and file
    managers make them. An archive that is not safe to read is refused, with exit code 3.
    """
    from memoryfield_writer.repacking import repack

    refuse_stdin(location)
    packed = repack(
        location,
        output,
        root=root,
        indexes=indexes,
        replace=replace,
        checksum=not no_checksum,
        limits=limits,
        wait=wait,
        waiting=warn,
    )
    tell_packed(packed, form)
