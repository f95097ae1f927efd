"""Errors of the operating system as ours."""

from __future__ import annotations

from .errors import AccessDenied, MemoryfieldError, NotFound, SourceUnavailable


def reason_of(error: OSError) -> str:
    """The system's own words for an error, in lower case."""
    return (error.strerror or type(error).__name__).lower()


def error_of(error: OSError, *, location: str, entry: str | None = None) -> MemoryfieldError:
    """A system error as one of ours; only "no such file" becomes `NotFound`."""
    kind: type[SourceUnavailable]
    if isinstance(error, FileNotFoundError):
        kind = NotFound
    elif isinstance(error, PermissionError):
        kind = AccessDenied
    else:
        kind = SourceUnavailable
    return kind(f"cannot be read: {reason_of(error)}", location=location, entry=entry)
