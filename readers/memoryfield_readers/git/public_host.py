"""Settings that keep git to one host of the public internet, for a URL that someone else gave."""

from __future__ import annotations

import re
import socket
from urllib.parse import urlsplit

from ..display import shown
from ..errors import AccessDenied
from ..http.addresses import is_public, may_be_public
from .command import GitDirectory, GitFailed

_VERSION = re.compile(rb"git version ([0-9]{1,4})\.([0-9]{1,4})")
_PINS_SINCE = (2, 37)
"""The first version of git that can be told which address a host has."""


def public_settings(url: str, place: GitDirectory) -> list[tuple[str, str]]:
    """Settings with which git connects to a public address of the URL's host, and nowhere else.

    The addresses that were judged are those that git uses: it looks none up, and follows no
    redirect.

    Raises:
        AccessDenied: the URL is none of the public internet.
        SourceUnavailable: its host is not known, or git is too old.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "https" or not may_be_public(host):
        raise _denied(host, place)
    try:
        said = place.run("version")
        found = socket.getaddrinfo(host, parts.port or 443, type=socket.SOCK_STREAM)
    except GitFailed as error:
        raise place.unavailable(f"git cannot be used: {error.words}") from None
    except OSError:
        raise place.unavailable(f"the host {shown(host)} is not known") from None
    version = _VERSION.match(said)
    if version is None or (int(version[1]), int(version[2])) < _PINS_SINCE:
        raise place.unavailable(
            "this git cannot be kept to public hosts", hint="install git 2.37 or a newer one"
        )
    addresses = list(dict.fromkeys(str(address[4][0]) for address in found))
    if not addresses or not all(map(is_public, addresses)):
        raise _denied(host, place)
    pinned = ",".join(f"[{each}]" if ":" in each else each for each in addresses)
    return [
        # What is said of one URL wins over what is said of all, as in the user's own settings.
        (f"http.{url}.followRedirects", "false"),
        ("http.curloptResolve", f"{host}:{parts.port or 443}:{pinned}"),
    ]


def _denied(host: str, place: GitDirectory) -> AccessDenied:
    return AccessDenied(
        f"{shown(host)} is no public host that is reached by https://",
        location=place.location,
        hint="give this location yourself, if you trust it",
    )
