"""What the system says stands in the way of a batch, with the file it says it of."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from memoryfield_readers import AccessDenied, SourceUnavailable
from memoryfield_readers.system_errors import reason_of


class StepFailed(Exception):
    """One step of a batch cannot be done.

    Attributes:
        error: what the system said.
        entry: the file that the step is about; None for the folder.
    """

    def __init__(self, error: OSError, entry: str | None) -> None:
        super().__init__(str(error))
        self.error = error
        self.entry = entry


@contextmanager
def at_entry(entry: str | None) -> Iterator[None]:
    """Tell an error of the system with the file that it is about.

    Raises:
        StepFailed: the system raised an error within.
    """
    try:
        yield
    except OSError as error:
        raise StepFailed(error, entry) from error


def told(
    failed: StepFailed | OSError, location: str, ending: str, hint: str | None = None
) -> SourceUnavailable:
    """The error as one of ours.

    Arguments:
        failed: what happened.
        location: of the field.
        ending: what has become of the field.
        hint: what to do.
    """
    error, entry = (
        (failed.error, failed.entry) if isinstance(failed, StepFailed) else (failed, None)
    )
    denied = isinstance(error, PermissionError) or error.errno == errno.EROFS
    kind = AccessDenied if denied else SourceUnavailable
    return kind(
        f"cannot be written: {reason_of(error)}; {ending}",
        location=location,
        entry=entry,
        hint=hint,
    )
