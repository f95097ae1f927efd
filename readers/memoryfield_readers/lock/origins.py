"""Where a field of a lock file comes from, and whether what it resolved to is the same place."""

from __future__ import annotations

import re
from dataclasses import replace

from ..errors import LocationError
from ..locations import (
    GitHubLocation,
    GitLocation,
    LocalLocation,
    ParsedLocation,
    S3Location,
    parse_location,
)

MOST_LOCATION = 4096
"""So many characters has a location at most."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def is_path(location: str) -> bool:
    """Whether a location of a lock file is a path: what begins as a URL does is none."""
    return _SCHEME.match(location) is None


def parsed(location: str) -> ParsedLocation:
    """A location of a lock file taken apart, whatever files there are where the program runs.

    Raises:
        LocationError: it is no location.
    """
    if len(location) > MOST_LOCATION:
        raise LocationError(f"has more than {MOST_LOCATION} characters")
    found = parse_location(location)
    if is_path(location):
        return found
    if isinstance(found, LocalLocation):
        raise LocationError("is a file:// URL", hint="give the path")
    if parse_location(found.shown) != found:
        raise LocationError("has a query or a user, which no lock file keeps")
    return found


def origin_problem(location: ParsedLocation, resolved: ParsedLocation) -> str:
    """Why what was resolved is not of its location, as the end of a sentence; "" if it is.

    A person trusts the location, and it is the resolved one that is opened: it may say which
    commit or version, and nothing else.
    """
    if isinstance(location, LocalLocation):  # by itself it is relative to any folder
        return "is of a path, of which there is no commit and no version"
    if resolved == location:
        return ""
    if isinstance(location, S3Location) and isinstance(resolved, S3Location):
        same = (resolved.bucket, resolved.key) == (location.bucket, location.key)
        if not same or location.version not in (None, resolved.version):
            return "is not a version of that object"
        return ""
    if isinstance(location, GitHubLocation) and isinstance(resolved, GitHubLocation):
        return _github_problem(location, resolved)
    if isinstance(location, GitLocation) and isinstance(resolved, GitLocation):
        as_resolved = replace(location, shown=resolved.shown, ref=resolved.ref)
        return _commit_problem(location.ref, resolved.ref, same=as_resolved == resolved)
    return "is another place, and there is no commit or version in such a location"


def _github_problem(location: GitHubLocation, resolved: GitHubLocation) -> str:
    same = (
        resolved.host == location.host
        and resolved.owner.lower() == location.owner.lower()
        and resolved.repo.lower() == location.repo.lower()
        and resolved.is_archive == location.is_archive
        and not (location.release or resolved.release or resolved.ref_and_path)
    )
    if location.ref_and_path:  # the path is what follows the ref
        same = same and f"/{location.ref_and_path}".endswith(
            f"/{resolved.path}" if resolved.path else ""
        )
    else:
        same = same and resolved.path == location.path
    return _commit_problem(location.ref, resolved.ref, same=same)


def _commit_problem(ref: str | None, commit: str | None, *, same: bool) -> str:
    if not same:
        return "is not in the same place of the same repository"
    if commit is None or _COMMIT.fullmatch(commit) is None:
        return "names no commit"
    if ref is not None and _COMMIT.fullmatch(ref) and ref != commit:
        return "names another commit"
    return ""
