"""What a location may name that comes from someone else: a lock file, a page, a configuration.

A location is a capability: whoever opens it does so with their own rights, in their own network. So
what a person types may be anything, and what a person was sent may name public places alone.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from ..errors import LocationError
from .values import (
    FsspecLocation,
    GitHubLocation,
    GitLocation,
    HttpLocation,
    LocalLocation,
    ParsedLocation,
)

_PUBLIC_STORES = frozenset({"gs", "gcs", "abfs", "abfss", "az"})
"""Stores of fsspec that are reached by their own public names alone."""

_LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".localdomain", ".home.arpa", ".lan")


def require_shareable(location: ParsedLocation) -> None:
    """Refuse a location that may not come from someone else.

    The address that a host's name leads to is looked at when it is connected to.

    Raises:
        LocationError: it names something on this machine or in its own network, or a chain.
    """
    if isinstance(location, LocalLocation) or (
        isinstance(location, GitLocation) and location.is_local
    ):
        raise _refused(location, "names a path on this machine")
    if isinstance(location, FsspecLocation):
        if "::" in location.url:
            raise _refused(location, "is a chain of URLs")
        if location.url.partition("://")[0].lower() not in _PUBLIC_STORES:
            raise _refused(location, "names a store that is no public one")
    if isinstance(location, HttpLocation):
        _check_host(location, urlsplit(location.url).hostname or "")
    if isinstance(location, GitLocation):
        _check_host(location, urlsplit(location.repository).hostname or "")
    if isinstance(location, GitHubLocation) and location.host:
        _check_host(location, urlsplit(f"//{location.host}").hostname or "")


def _check_host(location: ParsedLocation, host: str) -> None:
    from ..http.addresses import is_public

    name = host.rstrip(".").lower()
    is_number = name.replace(".", "").replace("x", "").isalnum() and name[-1:].isdigit()
    if ":" in name or is_number:  # an address, in whatever spelling
        if not is_public(name):
            raise _refused(location, "names an address that is not public")
    elif "." not in name or name.endswith(_LOCAL_ENDINGS) or name == "localhost":
        raise _refused(location, "names a host of a local network")


def _refused(location: ParsedLocation, what: str) -> LocationError:
    return LocationError(
        f"{what}, and comes from someone else",
        location=location.shown,
        hint="type it yourself if you trust it",
    )
