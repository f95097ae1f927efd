"""What the packages behind fsspec raise, as errors of ours: by its kind, never in its words."""

from __future__ import annotations

import re

from ..errors import AccessDenied, LocationError, MemoryfieldError, SourceUnavailable
from ..transfer.options import LONGER

_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
_PACKAGE = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def may_pass(error: BaseException) -> bool:
    """Whether the same call may succeed in a moment."""
    return isinstance(error, ConnectionError | TimeoutError) or _status(error) in _BUSY


def said(
    error: BaseException, protocols: tuple[str, ...], opening: bool
) -> tuple[type[MemoryfieldError], str, str | None]:
    """The kind of our error for one of theirs, its message, and a hint.

    Arguments:
        error: what a file system raised.
        protocols: those of its location, outermost first.
        opening: whether it was being made: then what makes no sense is the location, or an option.
    """
    protocol, what = protocols[0], type(error).__name__
    if isinstance(error, ImportError):
        package = str(getattr(error.__cause__, "name", None) or error.name or "")
        named = package if _PACKAGE.fullmatch(package) else "a package"
        hint = f"pip install {package}" if named == package else None
        text = f"{protocol} needs {named}, which is not installed"
        return SourceUnavailable, text, hint
    status = _status(error)
    if isinstance(error, PermissionError) or status in (401, 403):
        return AccessDenied, f"{protocol} does not let it be read", "see its own credentials"
    if isinstance(error, FileNotFoundError):
        text = f"{protocol} says that it is not there, which may also mean that it cannot be had"
        return SourceUnavailable, text, None
    if isinstance(error, NotADirectoryError):
        return SourceUnavailable, "is a file, not a folder", None
    if isinstance(error, TimeoutError):
        return SourceUnavailable, f"{protocol} waited too long for an answer ({what})", LONGER
    senseless = isinstance(error, TypeError | ValueError | KeyError | NotImplementedError)
    if opening and senseless and not _came_of_reading(error):
        text = f"{protocol} cannot use this location, or an option ({what})"
        return LocationError, text, "options are given as --option NAME=VALUE"
    number = f" {status}" if status else ""
    unable = isinstance(error, ValueError | NotImplementedError)
    hint = _without_ranges(protocols) if unable else None
    return SourceUnavailable, f"{protocol} cannot give it ({what}{number})", hint


def _status(error: BaseException) -> int:
    """The status of HTTP that an error carries, if it does."""
    for name in ("status", "status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int) and 100 <= value <= 599:
            return value
    return 0


def _came_of_reading(error: BaseException) -> bool:
    """Whether an error was raised while a file was open: to make a file system may read one."""
    from fsspec.spec import AbstractBufferedFile  # type: ignore[import-untyped]

    trace = error.__traceback__
    while trace is not None:
        if isinstance(trace.tb_frame.f_locals.get("self"), AbstractBufferedFile):
            return True
        trace = trace.tb_next
    return False


def _without_ranges(protocols: tuple[str, ...]) -> str | None:
    """What to do where a server in a chain gives no part of a file, which most need."""
    for protocol in protocols[1:]:
        if protocol in ("http", "https"):
            return (
                "perhaps the server has no ranges: "
                f"give the {protocol}:// location itself, without what stands before it"
            )
    return None
