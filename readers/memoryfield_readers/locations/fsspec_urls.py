"""Locations that fsspec reaches: other stores, and chains of them."""

from __future__ import annotations

import re

from ..errors import LocationError
from .values import ZIP_SUFFIX, FsspecLocation

_USER = re.compile(r"://[^/]*@")  # up to the last @: a user's name may be an address of mail
_LINK = re.compile(r"([a-z][a-z0-9+.-]*)(?:://(.*))?", re.IGNORECASE | re.DOTALL)


def parse_fsspec(text: str) -> FsspecLocation:
    """Take a URL or a chain of them apart, as far as that is needed.

    Raises:
        LocationError: there is no such protocol, or a password stands in the text, which is then
            not repeated.
    """
    if re.search(r"[\x00-\x1f\x7f]", text):
        raise LocationError("is no URL: it holds a control character")
    if any(map(_has_password, _USER.findall(text))):
        raise LocationError(
            "is a URL with a password", hint="give it with --option, or as its own tools expect it"
        )
    protocols = []
    for link in text.split("::"):
        match = _LINK.fullmatch(link)
        if match is None:
            raise LocationError(
                "is no chain of URLs", hint="for example dir::zip://*::file:///a.zip"
            )
        protocols.append(match[1].lower())
    _check_known(protocols)
    path = _path(text.split("::")).rstrip("/")
    shown = _USER.sub("://", text).partition("?")[0] + ("?…" if "?" in text else "")
    name = path.rpartition("/")[2] or protocols[0]
    return FsspecLocation(shown, text, path.lower().endswith(ZIP_SUFFIX), name)


def _path(links: list[str]) -> str:
    """The path that a chain leads to: that of its first link, or of what a cache stands before."""
    for link in links:
        _, mark, path = link.partition("://")
        if mark or link.lower() == "dir":
            return path
    return ""


def _has_password(user: str) -> bool:
    return ":" in user.removeprefix("://").removesuffix("@")


def _check_known(protocols: list[str]) -> None:
    """Refuse protocols that fsspec has never heard of."""
    from fsspec import available_protocols  # type: ignore[import-untyped]

    known = set(available_protocols())
    for protocol in protocols:
        if protocol not in known:
            # The text is not repeated: there may be credentials in it, in any part.
            raise LocationError(
                f"this version cannot read {protocol}: locations",
                hint="give a folder, a ZIP archive, or a URL such as https://host/field/",
            )
