"""Where a finding stands, as a program that reads a report finds it again."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TypeAlias
from urllib.parse import quote, unquote

from ..checked import STDIN, Checked

Base: TypeAlias = "str | PurePath | None"

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # two letters at least: `C:\` is a drive
_FILE_URL = re.compile(r"file:(?://(?:localhost)?)?(?=/)", re.IGNORECASE)
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(?://|:.*://)")
_URL_CHARACTERS = ":/?#[]@!$&'()*+,;=%"
"""What a URL is written with and must not be encoded once more."""


def name_of(checked: Checked) -> str:
    """The location as reports name it.

    A location that could not be read may be a URL that holds a password, in any part: no more of
    it is told than its error does.
    """
    if checked.error is None:
        return checked.location
    if checked.error.location is not None:
        return checked.error.location
    scheme = _SCHEME.match(checked.location)
    return scheme[1] if scheme else checked.location


def base_of(given: Base) -> Base:
    """The folder from which paths are told: the one that was given, or the working directory."""
    if given is not None:
        return given
    try:
        return Path.cwd()
    except OSError:  # it was deleted: then there are absolute paths alone
        return None


def path_of(checked: Checked, file: str | None, base: Base) -> str:
    """The path, with forward slashes, of what holds a finding; for a remote location, its URL.

    Arguments:
        checked: what came of the location.
        file: the file in it; None for the location itself. An entry is no file that can be opened:
            the path is that of its archive.
        base: the folder, as an absolute path, from which paths in it are told; None for none.
    """
    return _joined(_location_path(name_of(checked), base), None if checked.is_archive else file)


def uri_of(checked: Checked, file: str | None, base: Base) -> str:
    """The URI of what holds a finding; relative to `base` if it stands in it.

    The arguments are those of `path_of`.
    """
    within = None if file is None or checked.is_archive else quote(_as_bytes(file))
    return _joined(_location_uri(name_of(checked), base), within)


def is_relative(uri: str) -> bool:
    """Whether a URI that `uri_of` gave is relative; a colon in a path is always encoded."""
    return ":" not in uri


@lru_cache(maxsize=64)
def _location_path(location: str, base: Base) -> str:
    if location == STDIN:
        return "stdin"
    url = _FILE_URL.match(location)
    if url:
        location = unquote(location[url.end() :], errors="surrogateescape")
        if os.name == "nt":
            location = location.lstrip("/")
    elif _is_remote(location):
        return location
    # Without a look at the disk: a report is made of values, and a link may have changed.
    path = PurePath(os.path.normpath(os.path.join(base or "", location)))
    if base is not None and path.is_relative_to(base):
        path = path.relative_to(base)
    return path.as_posix()


@lru_cache(maxsize=64)
def _location_uri(location: str, base: Base) -> str:
    path = _location_path(location, base)
    if _is_remote(path):
        return quote(_as_bytes(path), safe=_URL_CHARACTERS)
    if PurePath(path).is_absolute():
        return f"file:///{quote(_as_bytes(path.lstrip('/')))}"
    return quote(_as_bytes(path))


def _joined(location: str, file: str | None) -> str:
    if file is None:
        return location
    if location == ".":
        return file
    return f"{location}{file}" if location.endswith("/") else f"{location}/{file}"


def _is_remote(text: str) -> bool:
    return _REMOTE.match(text) is not None


def _as_bytes(text: str) -> bytes:
    """The bytes of a name, those too that are not UTF-8."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character, which no file system gave us
        return text.encode("utf-8", "replace")
