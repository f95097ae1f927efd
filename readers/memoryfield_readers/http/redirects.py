"""Where a redirect leads, and which ones are not followed."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import urljoin

from ..display import shown
from ..errors import LocationError
from .failures import Broken
from .urls import normal, taken_apart, without_query

STATUSES = (301, 302, 303, 307, 308)
MOST = 5

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def target_of(url: str, location: str | None, seen: Collection[str]) -> str:
    """The URL that a redirect leads to.

    Arguments:
        url: the URL that answered.
        location: what the answer names.
        seen: the URLs that were asked so far.

    Raises:
        Broken: it names none, or one that is not to be followed.
    """
    if not location:
        raise _refused("it does not say where to")
    if _CONTROL.search(location):
        raise _refused("it leads to a URL with control characters")
    try:
        named = location.encode("latin-1").decode("utf-8")
    except UnicodeError:
        named = location
    try:
        target = normal(urljoin(url, named.strip(" ")))
    except (LocationError, ValueError) as error:
        why = error.message if isinstance(error, LocationError) else "no valid URL"
        raise _refused(f"it leads to {why}") from None
    where = shown(without_query(target))
    if taken_apart(target).scheme == "http" and taken_apart(url).scheme == "https":
        raise _refused(f"it leads from https to http, {where}")
    if target in seen:
        raise _refused(f"it leads in a circle, to {where}")
    if len(seen) > MOST:
        raise _refused(f"it is the sixth, to {where}")
    return target


def _refused(why: str) -> Broken:
    return Broken(f"a redirect that is not followed: {why}", passing=False)
