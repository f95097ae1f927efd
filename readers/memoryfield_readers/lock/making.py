"""From a location that a person typed to an entry of a lock file, and back to what is opened."""

from __future__ import annotations

import os
from pathlib import Path

from ..display import shown
from ..errors import LocationError, LockFileError
from ..field import Field
from ..locations import (
    GitHubLocation,
    GitLocation,
    LocalLocation,
    S3Location,
    parse_location,
)
from ..manifest import Manifest
from ..names import Role, is_side_file
from ..pins.pin import parse_pin
from ..system_errors import error_of
from .lines import IN_MANIFEST, INDEXES, name_problem
from .origins import MOST_LOCATION, is_path, parsed
from .values import LOCK_NAME, MARK, LockedField, LockFile, is_field_name


def check_name(name: str) -> None:
    """Refuse what cannot be the name of a field.

    Raises:
        LocationError: it cannot.
    """
    if not is_field_name(name):
        raise LocationError(
            f"{shown(name)} can be no name of a field",
            hint="take letters, digits, `.`, `_` and `-`: 64 at most, the first a letter or digit",
        )


def stored_location(typed: str, lock: Path) -> str:
    """A location as a lock file has it.

    A path within the folder of the lock file becomes relative to it, any other one absolute. A URL
    stays as it was typed, if messages may show all of it.

    Arguments:
        typed: the location, as a person typed it in the folder that the program runs in.
        lock: the lock file, which need not exist.

    Raises:
        LocationError: it is no location, or none that can be found again by what may be kept of it.
        NotFound: the folder that the program runs in is gone.
    """
    if typed.startswith(MARK) or typed == "-":
        what = "an archive on stdin" if typed == "-" else "a field of a lock file, or no location"
        raise LocationError(
            f"is {what}, and cannot be found again by that",
            location=typed,
            hint="give a path or a URL",
        )
    found = parse_location(typed)
    text = found.shown
    if isinstance(found, LocalLocation):
        try:
            text = _stored_path(found.path, lock)
        except OSError as error:  # the folder that the program runs in is gone
            raise error_of(error, location=typed) from error
    elif parse_location(text) != found:
        raise LocationError(
            "has a query or a user, which may let somebody in, so that no lock file keeps it",
            location=text,
            hint="give a URL without one, or download it first",
        )
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        is_local = isinstance(found, LocalLocation)
        what = "a path" if is_local else "a URL"
        raise LocationError(
            f"is {what} that is not UTF-8, and cannot stand in a lock file",
            location=text,
            hint="rename the folder or the archive" if is_local else "write its bytes as %XX",
        ) from None
    if len(text) > MOST_LOCATION:
        raise LocationError(f"has more than {MOST_LOCATION} characters: no lock file keeps it")
    return text


def _stored_path(path: Path, lock: Path) -> str:
    # Links within the last component are kept, as a person who made them means them to be.
    target = os.path.realpath(path)
    folder = os.path.realpath(lock.parent)
    if target == folder:
        raise LocationError(
            f"is the folder of {lock.name} itself, which would be a file of the field then",
            location=str(path),
            hint=f"keep the lock file elsewhere, for example with --lock-file ../{LOCK_NAME}",
        )
    absolute = os.path.abspath(path)
    here = os.path.abspath(lock.parent)
    inside = target.startswith(folder.rstrip(os.sep) + os.sep)
    base, kept = (here, absolute) if _is_below(absolute, here) else (folder, target)
    text = Path(os.path.relpath(kept, base)).as_posix() if inside else absolute
    if not is_path(text):  # `a:b` would begin as a URL does
        text = f"./{text}"
    return text


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def location_of(lock: LockFile, field: LockedField, *, resolved: bool = True) -> str:
    """What to open to read a field: a URL, or an absolute path.

    Arguments:
        lock: the lock file.
        field: a field of it.
        resolved: whether to name the commit or version that was locked, where one is known.
    """
    if resolved and field.resolved is not None:
        return field.resolved
    return place_of(field.location, lock.path)


def place_of(location: str, lock: Path) -> str:
    """What to open of a location in a lock file: a URL, or an absolute path."""
    return os.path.abspath(lock.parent / location) if is_path(location) else location


def lock_field(name: str, location: str, field: Field) -> LockedField:
    """The entry of a field that is open; all of it is read.

    Arguments:
        name: what it is to be called.
        location: where it comes from, as the lock file is to have it; see `stored_location`.
        field: the field.

    Raises:
        LocationError: the name can be none.
        LockFileError: a file of it has a name that can stand in no lock file.
        MemoryfieldError: it cannot be read; as `Field.manifest` raises.
    """
    check_name(name)
    files = (*field.pages, *field.attachments)
    indexes = [each for each in field.indexes if not is_side_file(each)]
    _check_names(files, IN_MANIFEST, field.location)
    _check_names(indexes, INDEXES, field.location)
    archive_pin = field.archive_digest()
    manifest = field.manifest()
    field.prepare(indexes)
    return LockedField(
        name,
        location,
        parse_pin(manifest.digest),
        Manifest(dict(manifest.hashes)),
        _resolved(location, field),
        None if archive_pin is None else parse_pin(archive_pin),
        size=sum(field.entry(each).size for each in files),
        archive_size=None if archive_pin is None else field.archive_size,
        indexes={each: field.sha256(each) for each in indexes},
    )


def _resolved(location: str, field: Field) -> str | None:
    """The location with the commit or version, for those kinds that have one."""
    if field.resolved in (None, location) or is_path(location):
        return None
    kinds = (GitHubLocation, GitLocation, S3Location)
    return field.resolved if isinstance(parsed(location), kinds) else None


def _check_names(names: list[str] | tuple[str, ...], roles: frozenset[Role], at: str) -> None:
    for name in names:
        problem = name_problem(name, roles)
        if problem:
            raise LockFileError(
                f"its name {problem}, and cannot stand in a line of a lock file",
                location=at,
                entry=name,
                hint="rename the file",
            )
