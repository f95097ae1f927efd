"""URLs: which may be asked for, whom they belong to, and what of them may be shown."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from ..display import shown
from ..errors import LocationError

_PORTS = {"http": 80, "https": 443}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def taken_apart(url: str) -> SplitResult:
    """The parts of a URL that may be asked for.

    Raises:
        LocationError: it is none: another scheme, no host, a user or password, control characters.
    """
    if _CONTROL.search(url):
        raise LocationError("a URL with control characters")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise LocationError(f"no valid URL: {shown(_cut(url))}") from None
    if parts.scheme not in _PORTS:
        raise LocationError(f"neither http nor https: {shown(_cut(url))}")
    if "@" in parts.netloc:
        raise LocationError(
            "a URL with a user or a password in it",
            hint="give them in a netrc file or in the environment",
        )
    if not host or port == 0:
        raise LocationError(f"no valid URL: {shown(_cut(url))}")
    return parts


def normal(url: str) -> str:
    """A URL in the spelling in which it is asked for: encoded, without dots in its path.

    What is decided about a URL is decided about this spelling, which no two readers of URLs take
    apart in different ways.

    Raises:
        LocationError: it is none that may be asked for.
    """
    from requests import PreparedRequest, RequestException

    taken_apart(url)
    prepared = PreparedRequest()
    try:
        prepared.prepare_url(url.partition("#")[0], None)
    except (RequestException, ValueError):  # UnicodeError is one of the latter
        raise LocationError(f"no valid URL: {shown(_cut(url))}") from None
    spelled = prepared.url or ""
    taken_apart(spelled)
    return spelled


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL in one spelling: what credentials belong to."""
    parts = taken_apart(url)
    host = parts.hostname or ""
    name = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{name}:{port_of(parts)}"


def port_of(parts: SplitResult) -> int:
    """The port that a URL names or implies."""
    return parts.port or _PORTS[parts.scheme]


def without_query(url: str) -> str:
    """A URL without what may be a signature in it: neither query nor fragment, nor user."""
    bare = _cut(url)
    scheme, mark, rest = bare.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}{mark}{authority.rpartition('@')[2]}{slash}{path}" if mark else bare


def _cut(url: str) -> str:
    """What comes before the query and the fragment, and no user."""
    bare = re.split(r"[?#]", url, maxsplit=1)[0]
    return re.sub(r"//[^/]*@", "//", bare, count=1)
