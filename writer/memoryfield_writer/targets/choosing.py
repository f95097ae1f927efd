"""From a location to the target that can write it."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memoryfield_readers import Limits, LocationError, NotFound, Watch, unwatched
from memoryfield_readers.locations import LocalLocation, S3Location, parse_location
from memoryfield_readers.lock.names import locked_field
from memoryfield_readers.system_errors import error_of
from memoryfield_readers.transfer.options import TransferOptions

from .target import Target

NO_FIELD_HINT = "`memoryfield init` makes a field"

_HOW_ELSEWHERE = (
    "a folder or an archive on this machine can be written, and an archive in S3 (s3://…zip): "
    "fetch it, edit the copy, and put it back by the means of that place"
)


def target_of(
    location: str | os.PathLike[str],
    limits: Limits,
    storage_options: Mapping[str, Any] | None = None,
    watch: Watch = unwatched,
) -> Target:
    """What can write the field at a location; nothing is read of it yet.

    Arguments:
        location: a folder or an archive on this machine, or an archive in S3.
        limits: how much of it to take.
        storage_options: how it is reached, if it is elsewhere; as `open_field` takes it.
        watch: is told how far a long transfer is.

    Raises:
        NotFound: there is nothing on this machine.
        LocationError: it is no location, or one that can be read alone.
        AccessDenied, SourceUnavailable: it cannot be looked at.
    """
    options = TransferOptions.of(storage_options)
    text = os.fspath(location) if isinstance(location, str | os.PathLike) else None
    if not isinstance(text, str):
        raise LocationError(
            f"a {type(location).__name__} is no location that can be written",
            hint="give a path, or an archive in S3 as s3://bucket/name.zip",
        )
    if not isinstance(location, str):
        return _local(Path(text), text, limits)
    _refuse_locked(text, limits)
    parsed = parse_location(text)
    if isinstance(parsed, LocalLocation):
        return _local(parsed.path, text, limits)
    if isinstance(parsed, S3Location):
        from .s3_archive import S3Target

        return S3Target(parsed, options, limits, watch)
    raise LocationError("can be read, not written", location=parsed.shown, hint=_HOW_ELSEWHERE)


def _refuse_locked(text: str, limits: Limits) -> None:
    """Refuse a name of a lock file: what it leads to is pinned, and must stay as it is.

    Raises:
        LocationError: it is one.
    """
    found = locked_field(text, limits=limits)
    if found is not None:
        raise LocationError(
            "is a field of a lock file, which is pinned: it can be read, not written",
            location=text,
            hint=f"give its location, {found[1].location}, and lock it anew afterwards",
        )


def _local(path: Path, text: str, limits: Limits) -> Target:
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound("there is no such field", location=text, hint=NO_FIELD_HINT) from error
    except (OSError, ValueError) as error:
        raise _unreadable(error, text) from error
    if stat.S_ISDIR(mode):
        from .folder import FolderTarget

        return FolderTarget(path, text, limits)
    if stat.S_ISREG(mode):
        from .archive_file import ArchiveTarget

        return ArchiveTarget(path, text, limits)
    raise LocationError("is neither a folder nor a file", location=text)


def _unreadable(error: OSError | ValueError, text: str) -> Exception:
    if isinstance(error, OSError):
        return error_of(error, location=text)
    return LocationError("is no path", location=text, hint="name a folder or an archive")
