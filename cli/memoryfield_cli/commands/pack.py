"""`memoryfield pack`."""

from __future__ import annotations

from typing import Any

import click

from memoryfield_readers import Limits

from ..options import format_option, limits_option, location_argument, source_options
from ..packing_options import checksum_option, output_option, replace_option
from ..packing_output import tell_packed
from ..progress import transfer_bar
from ..writing import refuse_stdin


@click.command(
    epilog="""\b
Examples:
  memoryfield pack my-field/
  memoryfield pack my-field/ -o out.memoryfield.zip --replace
  memoryfield pack notes.memoryfield.zip -o copy.memoryfield.zip --no-checksum

\b
The checksum can be checked with coreutils:
  sha256sum -c my-field.memoryfield.zip.sha256
"""
)
@location_argument
@output_option("The archive, also s3://...zip; else NAME.memoryfield.zip in this folder.")
@click.option("--index", "indexes", is_flag=True, help="Pack the vector indexes as well.")
@replace_option
@checksum_option
@format_option("text", "json")
@limits_option
@source_options
def command(
    location: str,
    output: str | None,
    indexes: bool,
    replace: bool,
    no_checksum: bool,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
) -> None:
    """Pack a field into an archive: the same pages are the same bytes, on every machine.

    Pages and attachments are packed; debris and folders within are left out. A file ARCHIVE.sha256
    is written beside. Prints the archive, its field pin and its archive pin. What is there already
    is left alone, unless it is that very archive, and the exit code is 5.
    """
    from memoryfield_writer.packing import pack

    refuse_stdin(location)
    with transfer_bar() as watch:
        packed = pack(
            location,
            output,
            indexes=indexes,
            replace=replace,
            checksum=not no_checksum,
            limits=limits,
            storage_options=storage_options,
            watch=watch,
        )
    tell_packed(packed, form)
