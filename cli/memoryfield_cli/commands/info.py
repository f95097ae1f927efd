"""`memoryfield info`."""

from __future__ import annotations

import sys
from typing import Any

import click

from memoryfield_readers import (
    Field,
    Limits,
    MemoryfieldError,
    PinMismatch,
    Pins,
    as_unicode,
    visible,
)

from ..opening import opened
from ..options import format_option, limits_option, location_argument, pin_options, source_options
from ..output import complain, print_json, say

_INDEX = "index.md"


@click.command(
    epilog="""\b
Examples:
  memoryfield info my-field/
  memoryfield info --format json notes.memoryfield.zip
"""
)
@location_argument
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def command(
    location: str,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Show what a field is: its name, how much it holds, and its pins.

    Where something stands in the way of the pin, it is reported, and the rest is shown; of what is
    not what was pinned, nothing is.
    """
    exit_code = 0
    with opened(location, limits, storage_options, pins, offline) as field:
        names = (*field.pages, *field.attachments)
        facts = _facts(field)
        if field.pages or field.attachments or field.irregular:
            try:
                facts["digest"] = field.digest()
                # reading may have told sizes that the listing had not
                facts["bytes"] = sum(field.entry(name).size for name in names)
            except PinMismatch:
                raise  # what is shown would not be of what was pinned
            except MemoryfieldError as error:
                complain(error)
                exit_code = error.exit_code
    if form == "json":
        print_json({"version": 1, **facts})
    else:
        for name, value in facts.items():
            if value not in (None, ""):
                shown = f"{value:,}" if isinstance(value, int) else visible(str(value))
                say(f"{name.replace('_', ' '):<12} {shown}")
    sys.exit(exit_code)


def _facts(field: Field) -> dict[str, str | int | None]:
    names = (*field.pages, *field.attachments)
    return {
        "name": as_unicode(field.name),
        "location": as_unicode(field.location),
        "resolved": None if field.resolved is None else as_unicode(field.resolved),
        "kind": "directory" if field.archive_name is None else "archive",
        "title": _title(field),
        "pages": len(field.pages),
        "attachments": len(field.attachments),
        "indexes": len(field.indexes),
        "debris": len(field.debris),
        "bytes": sum(field.entries[name].size for name in names),
        "digest": None,
        "archive_pin": field.archive_digest(),
    }


def _title(field: Field) -> str | None:
    """The title of the introduction, if there is one that can be read."""
    if _INDEX not in field.pages:
        return None
    try:
        return field.page(_INDEX).title
    except PinMismatch:
        raise
    except MemoryfieldError:
        return None  # what stands in the way is told where the pin is made
