"""`memoryfield init`."""

from __future__ import annotations

from typing import Any

import click

from memoryfield_readers import Limits, as_unicode

from ..options import format_option, limits_option, location_argument, source_options
from ..output import print_json, say
from ..writing import now, refuse_stdin, told_if_unheard


@click.command(
    epilog="""\b
Examples:
  memoryfield init recipes/
  memoryfield init recipes.memoryfield.zip --title "Recipes of the house"
"""
)
@location_argument
@click.option("--title", help="The title of the field; else its name in words.")
@format_option("text", "json")
@limits_option
@source_options
def command(
    location: str, title: str | None, form: str, limits: Limits, storage_options: dict[str, Any]
) -> None:
    """Make a new field, with a page index.md to begin with, and print its field pin.

    LOCATION is a folder that is not there, or empty, or an archive that is not there: what ends in
    .zip is one. What is there already is left alone, and the exit code is 5.
    """
    from memoryfield_writer.founding import found

    refuse_stdin(location)
    made = found(location, now(), title=title, limits=limits, storage_options=storage_options)
    with told_if_unheard(f"{made.location}: the field is made"):
        if form == "json":
            answer = {"version": 1, "location": as_unicode(made.location), "page": made.page}
            print_json({**answer, "digest": made.digest, "archive_pin": made.archive_pin})
        else:
            say(made.digest)
