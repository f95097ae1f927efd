"""What came of one location: the value that every report is made from."""

from __future__ import annotations

from dataclasses import dataclass

from memoryfield_readers import Field, MemoryfieldError

from .excerpts import Excerpt, excerpts_of
from .finding import Report
from .settings import Ignore

STDIN = "-"
"""The location that stands for an archive on standard input."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One location that was checked, or that could not be.

    Attributes:
        location: the location as it was given.
        is_archive: whether it is an archive, whose entries are no files that an editor can open.
        report: what was found; None where the location could not be read.
        excerpts: for each finding of the report, in its order, the line it stands in, or None.
        error: why the location could not be read; None where there is a report.
        used: which ignores of the settings left something out, as far as that was asked for.
        notes: what a person should know of how the field was found and read, one line each.
    """

    location: str
    is_archive: bool = False
    report: Report | None = None
    excerpts: tuple[Excerpt | None, ...] = ()
    error: MemoryfieldError | None = None
    used: frozenset[Ignore] = frozenset()
    notes: tuple[str, ...] = ()


def checked(report: Report, field: Field, *, used: frozenset[Ignore] = frozenset()) -> Checked:
    """A report and the lines it speaks of, which can be shown when the field is closed."""
    return Checked(
        report.location,
        field.archive_name is not None,
        report,
        excerpts_of(report, field),
        used=used,
        notes=_notes(field),
    )


def _notes(field: Field) -> tuple[str, ...]:
    if field.resolved in (None, field.location):
        return field.notes
    return (f"read as {field.resolved}", *field.notes)
