"""How the commands that read a field open it: with a bar for people who wait, and what to know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from memoryfield_readers import Field, Limits, Pins, open_field

from .output import warn
from .progress import transfer_bar
from .standard_input import STDIN, archive_from_stdin

NO_PINS = Pins()


@contextmanager
def opened(
    location: str,
    limits: Limits,
    storage_options: Mapping[str, Any],
    pins: Pins = NO_PINS,
    offline: bool = False,
    trusted: bool = True,
) -> Iterator[Field]:
    """A field that is open meanwhile; what a person should know of it is told on stderr.

    The location "-" is an archive on stdin.
    """
    opened_at = archive_from_stdin(limits) if location == STDIN else location
    with (
        transfer_bar() as watch,
        open_field(
            opened_at,
            pin=pins,
            limits=limits,
            storage_options=storage_options,
            offline=offline,
            trusted=trusted,
            watch=watch,
        ) as field,
    ):
        if field.resolved not in (None, field.location):
            warn(f"{field.location}: read as {field.resolved}")
        yield field
        for note in field.notes:
            warn(f"{field.location}: {note}")
