"""`memoryfield verify`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import Field, Limits, PinMismatch, Pins, as_unicode

from ..opening import opened
from ..options import (
    format_option,
    limits_option,
    location_argument,
    pin_options,
    source_options,
)
from ..output import complain, print_json, say

if TYPE_CHECKING:
    from memoryfield_readers.lock import LockedField


@click.command(
    epilog="""\b
Examples:
  memoryfield verify my-field/ --pin "$(memoryfield digest my-field/)"
  memoryfield verify notes.memoryfield.zip --pin "$(memoryfield digest notes.memoryfield.zip)"
  memoryfield verify @notes
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
    """Say whether a field is the one that was pinned: all of it is read and hashed.

    The pin is given with --pin, or stands in the lock file if LOCATION is a name of it. Exits with
    0 if it is, and prints each pin that was proved; with 3 if it is not: then stderr says what was
    expected, what came, and what seems to have happened.
    """
    locked = _locked(location, limits)
    if not pins and locked is None:
        raise click.UsageError(
            "give --pin, or a name from the lock file: there is nothing to match"
        )
    try:
        with opened(location, limits, storage_options, pins, offline) as field:
            _read_all(field)
            answer = {
                "version": 1,
                "location": as_unicode(field.location),
                "verified": True,
                "digest": field.digest(),
                "archive_pin": field.archive_digest(),
            }
    except PinMismatch as error:
        if form == "json":
            print_json(_mismatch(error))
        complain(error)
        sys.exit(error.exit_code)
    if form == "json":
        print_json(answer)
    else:
        say(f"verified {answer['digest']}")
        if pins.archive is not None or (locked is not None and locked.archive_pin is not None):
            say(f"verified {answer['archive_pin']}")


def _locked(location: str, limits: Limits) -> LockedField | None:
    from memoryfield_readers.lock import locked_field

    found = locked_field(location, limits=limits)
    return None if found is None else found[1]


def _read_all(field: Field) -> None:
    """Read the vector indexes, too: `Field.digest` leaves them out."""
    field.prepare_all()
    for name in field.indexes:
        field.sha256(name)


def _mismatch(error: PinMismatch) -> dict[str, Any]:
    return {
        "version": 1,
        "location": as_unicode(error.location or ""),
        "verified": False,
        "entry": None if error.entry is None else as_unicode(error.entry),
        "expected": error.expected,
        "actual": error.actual,
        "bytes": error.size,
        "url": error.url,
        "diagnosis": as_unicode(error.diagnosis),
    }
