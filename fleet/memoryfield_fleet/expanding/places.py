"""From one location to the field that is meant: its version, where that is seen, and its host."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from memoryfield_readers import Limits, LocationError, MemoryfieldError, local_path, visible
from memoryfield_readers.locations import (
    GitHubLocation,
    GitLocation,
    HttpLocation,
    LocalLocation,
    ParsedLocation,
    S3Location,
    parse_location,
)
from memoryfield_readers.system_errors import error_of

from ..values import Refused, Target
from .versions import is_of_this_disk, version_of_file, version_of_folder

MOST_LOCATION = 4096
"""So many characters has a location at most."""

_NO_PATTERNS = "a pattern stands for paths of this machine, or for what is in a bucket of S3"
_GITHUB = "github.com"
_OF_THIS_MACHINE = ("file", "local", "memory")


def target_of(
    text: str, limits: Limits, *, trusted: bool = True, is_here: bool = True
) -> Target | Refused:
    """The field that a location names.

    Arguments:
        text: the location, which is no name of a field in a lock file.
        limits: how many entries of a field to look at for its version.
        trusted: whether a person chose it.
        is_here: whether paths are read on this machine; if not, nothing here tells of them.
    """
    try:
        parsed = checked(text)
    except LocationError as error:
        return refused(text, error)
    if isinstance(parsed, LocalLocation):
        if not is_here:
            return elsewhere(Target(text, trusted=trusted))
        return local_target(text, limits, trusted=trusted)
    version = None
    if isinstance(parsed, S3Location) and parsed.version is not None:
        version = f"version:{parsed.version}"
    return Target(text, version, host_of(parsed), trusted=trusted)


def local_target(text: str, limits: Limits, *, trusted: bool = True) -> Target | Refused:
    """The field at a path; see `target_of`."""
    try:
        parsed = checked(text)
        path = parsed.path if isinstance(parsed, LocalLocation) else Path(text)
        try:
            status = os.stat(path)
        except OSError as error:
            raise error_of(error, location=text) from error
        if stat.S_ISDIR(status.st_mode):
            return Target(text, version_of_folder(str(path), limits), trusted=trusted)
        if not stat.S_ISREG(status.st_mode):
            raise LocationError("is neither a folder nor a file", location=text)
    except MemoryfieldError as error:
        return refused(text, error)
    return Target(text, version_of_file(status), trusted=trusted)


def elsewhere(target: Target) -> Target:
    """A field as another machine is asked for it, where a path may lead to something else.

    The path is absolute, as that machine works in another folder, and its version is not what is
    seen here; the pin of a lock file is the same everywhere.
    """
    path = local_path(target.location)
    if path is None:
        return target
    version = None if is_of_this_disk(target.version) else target.version
    return replace(target, location=os.path.abspath(path), version=version)


def checked(text: str) -> ParsedLocation:
    """A location taken apart, of which nothing is left out in what is told of it.

    Raises:
        LocationError: it is none, or it may let somebody in, or no result can hold it.
    """
    if len(text) > MOST_LOCATION:
        raise LocationError(f"has more than {MOST_LOCATION} characters", location="…")
    parsed = parse_location(text)
    if isinstance(parsed, LocalLocation):
        _check_text(text)
        return parsed
    if "*" in text and "::" not in text and not isinstance(parsed, S3Location):
        hint = "list the locations in a file"
        raise LocationError(_NO_PATTERNS, location=parsed.shown, hint=hint)
    if parse_location(parsed.shown) != parsed:
        raise LocationError(
            "has a query or a user, which may let somebody in, so that no result keeps it",
            location=parsed.shown,
            hint="give a URL without one, or download it first",
        )
    _check_text(text)
    return parsed


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise LocationError(
            "is not UTF-8, and cannot stand in a result",
            location=visible(text),
            hint="rename the folder or the archive",
        ) from None


def refused(text: str, error: MemoryfieldError) -> Refused:
    """A text that stands for no field, as far as it may be shown."""
    if error.location is None or "://" in text:
        error.location = shown(text)
    return Refused(visible(error.location), error, text)


def shown(text: str) -> str:
    """A text that should be a location, as far as it may be shown: no user, and no query."""
    if "://" in text and "::" not in text:
        return visible(_bare(text[:MOST_LOCATION]))
    try:
        return visible(parse_location(text).shown)
    except LocationError as error:
        # There may be credentials in it, in any part.
        return visible(error.location or text.partition("://")[0][:16] + "://…")


def _bare(url: str) -> str:
    scheme = url.partition("://")[0][:16]
    hidden = f"{scheme}://…"
    try:
        parts = urlsplit(url)
        is_odd = parts.port is not None and parts.hostname is None
    except ValueError:
        return hidden
    behind = parts.path + parts.query + parts.fragment
    # A password may hold what ends a host, so that it is taken for the rest of the URL.
    if not parts.netloc or is_odd or "@" in behind:
        return hidden
    mark = "?…" if parts.query else ""
    return f"{scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}{mark}"


def host_of(parsed: ParsedLocation) -> str:
    """Whom a field is asked of, as `Target` has it."""
    if isinstance(parsed, S3Location):
        return f"s3://{parsed.bucket}"
    if isinstance(parsed, HttpLocation):
        return _netloc(parsed.url)
    if isinstance(parsed, GitHubLocation):
        return parsed.host or _GITHUB
    if isinstance(parsed, LocalLocation) or (isinstance(parsed, GitLocation) and parsed.is_local):
        return ""
    if isinstance(parsed, GitLocation):
        return _netloc(parsed.repository)
    last = next((link for link in reversed(parsed.url.split("::")) if "://" in link), "")
    scheme = last.partition("://")[0].lower()
    return "" if not last or scheme in _OF_THIS_MACHINE else f"{scheme}://{_netloc(last)}"


def identity_of(location: str) -> str:
    """What two locations share that are the same."""
    parsed = parse_location(location)
    if isinstance(parsed, LocalLocation):
        return f"path {os.path.abspath(parsed.path)}"
    return repr(replace(parsed, shown=""))


def _netloc(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2].lower()
