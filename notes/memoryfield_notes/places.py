"""Where the notes on a field are kept: by where the field is, whatever version of it is pinned.

    <folder>/<name>-<16 hexadecimal digits>.notes

The folder is that of `MEMORYFIELD_NOTES_DIR`, else `notes` in the folder for what this program
remembers. The digits are of the field's key: its location without commit, version and query, so
that notes outlive a pin that moves. A key holds no credential.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from memoryfield_readers import DEFAULT_LIMITS, Limits, LocationError, NotFound
from memoryfield_readers.homes import place_at_home
from memoryfield_readers.locations import (
    FsspecLocation,
    GitHubLocation,
    GitLocation,
    HttpLocation,
    LocalLocation,
    ParsedLocation,
    S3Location,
    parse_location,
)
from memoryfield_readers.lock import location_of, locked_field
from memoryfield_readers.lock.typed import make_in_state, state_folder

from .errors import StoreError

FOLDER_VARIABLE = "MEMORYFIELD_NOTES_DIR"
"""Names the folder for the notes of this user."""

ENDING = ".notes"
STDIN = "-"

_FOLDER = "notes"
_DIGITS = 16
_MOST_NAME = 40
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_-]+")


def key_of(location: str, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """What a field is known by: the same for each version of it, and for its name in a lock file.

    Arguments:
        location: as a person typed it; "@NAME" or "NAME" of a lock file is a field of that.
        limits: how many files a field of a lock file may have.

    Raises:
        LocationError: it is no location, or an archive on stdin, which is nowhere.
        LockFileError, PinMismatch, LimitExceeded: the lock file that it is in is broken.
    """
    return _key(_parsed(location, limits))


def place_of(location: str, store: Path | None = None, *, limits: Limits = DEFAULT_LIMITS) -> Path:
    """Where the notes on a field are, or would be.

    Arguments:
        location: as a person typed it.
        store: where they are instead, if a person says so.
        limits: how many files a field of a lock file may have.

    Raises:
        LocationError: it would be a part of the field; or as `key_of` raises.
    """
    if store is not None:
        path = Path(os.path.abspath(store))
        if location != STDIN:
            refuse_within(location, path, limits=limits)
        return path
    key = key_of(location, limits=limits)
    digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
    name = _NOT_IN_NAME.sub("-", _last_part(key)).strip("-")[:_MOST_NAME] or "field"
    path = notes_folder() / f"{name}-{digest[:_DIGITS]}{ENDING}"
    # A home may be a field, and what is in its folders is none of it: no person chose this place.
    refuse_within(location, path, at_root=True, limits=limits)
    return path


def refuse_within(
    location: str, path: Path, *, at_root: bool = False, limits: Limits = DEFAULT_LIMITS
) -> None:
    """Refuse a file that would be a part of the field that it is about.

    Arguments:
        location: the field.
        path: the file, which need not exist.
        at_root: whether it may lie in a folder of the field's folder, which is no part of it.
        limits: how many files a field of a lock file may have.

    Raises:
        LocationError: it lies in the field's folder, or is its archive; or as `key_of` raises.
    """
    parsed = _parsed(location, limits)
    if not isinstance(parsed, LocalLocation):
        return
    field = Path(os.path.realpath(parsed.path))
    target = Path(os.path.realpath(path))  # through a link, and where a link stands: both count
    beside = Path(os.path.realpath(path.parent)) / path.name
    for each in (target, beside):
        if each != field and field not in (each.parents[:1] if at_root else each.parents):
            continue
        raise LocationError(
            "lies in the field that the notes are on, and would be a part of it",
            location=str(path),
            hint="name a file outside of the field",
        )


def refuse_nowhere(location: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
    """Refuse a location on this machine where nothing is: it was hardly meant.

    Arguments:
        location: as a person typed it.
        limits: how many files a field of a lock file may have.

    Raises:
        NotFound: nothing is there.
        LocationError, LockFileError, PinMismatch, LimitExceeded: as `key_of` raises.
    """
    if location == STDIN:
        return
    parsed = _parsed(location, limits)
    if isinstance(parsed, LocalLocation) and not os.path.lexists(parsed.path):
        raise NotFound(
            "there is neither a field nor a note on one",
            location=location,
            hint="see how its path is written",
        )


def notes_folder() -> Path:
    """The folder for the notes of this user; it need not exist."""
    if os.environ.get(FOLDER_VARIABLE):
        return Path(os.path.abspath(place_at_home(FOLDER_VARIABLE, Path)[0]))
    return state_folder() / _FOLDER


def make_folder(path: Path) -> None:
    """Make the folder for a store that is going to be made, if it is the one of this user.

    Arguments:
        path: the store.

    Raises:
        NotFound: it is another one, and is not there.
        StoreError: it cannot be made.
    """
    folder = path.parent
    if os.path.isdir(folder):
        return
    if folder != notes_folder():
        raise NotFound("there is no such folder", location=str(folder))
    try:
        if not os.environ.get(FOLDER_VARIABLE):
            make_in_state(_FOLDER)
            return
        problem = place_at_home(FOLDER_VARIABLE, Path)[1]
        if problem is not None:
            raise StoreError(f"cannot be made: {problem}", location=str(path))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__  # it may name a variable, in capitals
        raise StoreError(
            f"cannot be made: {reason[0].lower()}{reason[1:]}",
            location=str(path),
            hint=f"name a folder that can be written with {FOLDER_VARIABLE}, or a file with "
            "--store",
        ) from error


def _parsed(location: str, limits: Limits) -> ParsedLocation:
    if location == STDIN:
        raise LocationError(
            "an archive on stdin is nowhere, so that no notes on it can be found again",
            location=STDIN,
            hint="name a file for them with --store",
        )
    found = locked_field(location, limits=limits)
    if found is not None:
        location = location_of(*found, resolved=False)
    return parse_location(location)


def _key(location: ParsedLocation) -> str:
    if isinstance(location, LocalLocation):
        return f"local:{os.path.realpath(location.path)}"
    if isinstance(location, HttpLocation):
        url = urlsplit(location.url)
        return f"http:{url.scheme}://{url.netloc.lower()}{url.path}"
    if isinstance(location, S3Location):
        return f"s3:{location.bucket}/{location.key}"
    if isinstance(location, GitHubLocation):
        return _github_key(location)
    if isinstance(location, GitLocation):
        return _git_key(location)
    return _fsspec_key(location)


def _github_key(location: GitHubLocation) -> str:
    from memoryfield_readers.github.api_root import api_root

    host = api_root(location.host, None, os.environ).host
    path = location.path
    if location.ref_and_path:  # nobody is asked how far the ref goes: hardly one has a slash
        path = location.ref_and_path.partition("/")[2]
    if location.release is not None:
        path = f"releases/{path}"
    owner, repo = location.owner.lower(), location.repo.lower()  # GitHub sees no difference
    return f"github:{host}/{owner}/{repo}/{path}".rstrip("/")


def _git_key(location: GitLocation) -> str:
    if location.is_local:
        repository = os.path.realpath(location.repository)
    else:
        url = urlsplit(location.repository)
        path = url.path.rstrip("/").removesuffix(".git")
        repository = f"{url.scheme}://{url.netloc.lower()}{path}"
    return f"git:{repository}#{location.path}".removesuffix("#")


def _fsspec_key(location: FsspecLocation) -> str:
    return f"fsspec:{location.shown.removesuffix('?…').rstrip('/')}"


def _last_part(key: str) -> str:
    """What a person knows the field by: the last component of where it is."""
    return (
        re.split(r"[/\\#:]", key.rstrip("/\\"))[-1]
        .removesuffix(".zip")
        .removesuffix(".memoryfield")
    )
