"""The location of a field at another branch, tag, commit or version."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote

from ..display import shown
from ..errors import LocationError
from ..git.ref_names import check_ref
from ..locations import GitHubLocation, GitLocation, ParsedLocation, S3Location, parse_location
from .origins import is_path
from .values import LockedField

_RELEASE = re.compile(r"(.*/releases/download/)[^/]+(/[^/]+)", re.DOTALL)


def moved(field: LockedField, to: str) -> str:
    """The location of a field with another ref or version in it, as a lock file has it.

    Arguments:
        field: the field.
        to: a branch, tag or commit of a repository, the tag of a release, or the version id of an
            object in S3.

    Raises:
        LocationError: its location has none of these, or the text can be none.
    """
    location = field.location
    found = None if is_path(location) else parse_location(location)
    if isinstance(found, GitHubLocation) and found.release is not None:
        check_ref(to, location)
        text = _RELEASE.sub(rf"\g<1>{_quoted(to)}\g<2>", location)
        return _checked(text, replace(found, shown=text, release=to), to)
    if isinstance(found, GitHubLocation):
        check_ref(to, location)
        return _moved_on_github(field, found, to)
    if isinstance(found, GitLocation):
        check_ref(to, location)
        before, mark, folder = location.partition("#")
        text = f"{before.partition('@')[0]}@{_quoted(to)}{mark}{folder}"
        return _checked(text, replace(found, shown=text, ref=to), to)
    if isinstance(found, S3Location) and found.is_archive:
        text = f"s3://{found.bucket}/{found.key}?versionId={quote(to, safe='')}"
        return _checked(text, replace(found, shown=text, version=to), to)
    raise LocationError(
        "there is no branch, tag, commit or version in such a location that could be another",
        location=location,
        hint=f"`memoryfield lock remove {field.name}`, then add the other location",
    )


def _moved_on_github(field: LockedField, found: GitHubLocation, to: str) -> str:
    path = found.path
    if found.ref_and_path:  # which of the two it ends in, only GitHub could tell, and has told
        known = None if field.resolved is None else parse_location(field.resolved)
        if not isinstance(known, GitHubLocation):
            raise LocationError(
                "it is not known where the ref ends in it",
                location=field.location,
                hint="remove it, and add it as github://owner/repo/folder@ref",
            )
        path = known.path
    place = "/".join(part for part in (found.host, found.owner, found.repo, _quoted(path)) if part)
    text = f"github://{place}@{_quoted(to)}"
    as_moved = replace(found, shown=text, ref=to, path=path, ref_and_path="")
    return _checked(text, as_moved, to)


def _checked(text: str, wanted: ParsedLocation, to: str) -> str:
    """A location that was put together, if it means what it should."""
    if parse_location(text) != wanted:
        raise LocationError(f"{shown(to)} cannot stand in it", location=wanted.shown)
    return text


def _quoted(text: str) -> str:
    return quote(text, safe="/", errors="surrogateescape")
