"""How the commands that read a field open it: with a bar for people who wait, and what to know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from memoryfield_readers import Field, Limits, MemoryfieldError, PinMismatch, Pins, open_field

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
        _hint_of_lock(location, limits),
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


@contextmanager
def _hint_of_lock(location: str, limits: Limits) -> Iterator[None]:
    """Say of a field of a lock file that is another one now how it could be locked anew."""
    try:
        yield
    except PinMismatch as error:
        from memoryfield_readers.lock import locked_field
        from memoryfield_readers.pins.diagnosis import hint_for_locked

        with suppress(MemoryfieldError):  # what is wrong with a lock file is in the error itself
            found = locked_field(location, limits=limits)
            if found is not None:
                hint_for_locked(error, found[1].name)
        raise
