"""Which fields are to be held, and under which names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from memoryfield_readers import LocationError, shown
from memoryfield_readers.locations import parse_location

NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
"""The name of a held field; always used with `fullmatch`. It is fit for a path of a URL."""

_NAMED = re.compile(r"(?P<name>[^=/:@\\]+)=(?P<location>.*)", re.DOTALL)
_UNFIT = re.compile(r"[^a-z0-9]+")


class AmbiguousName(LocationError):
    """Two fields would have the same name."""


@dataclass(frozen=True, slots=True)
class Request:
    """A field that is wanted.

    Attributes:
        location: as `open_field` takes it.
        name: the name that it is to have; None for its own.
    """

    location: str
    name: str | None = None

    @classmethod
    def parse(cls, text: str) -> Request:
        """A location, or NAME=LOCATION; a `=` behind a colon, a slash or an `@` is of a location.

        Raises:
            LocationError: the name is none, or there is no location.
        """
        named = _NAMED.fullmatch(text)
        if named is None:
            return cls(text)
        if NAME.fullmatch(named["name"]) is None:
            raise LocationError(
                f"{shown(named['name'])} is no name for a field",
                hint="lower-case letters, digits and hyphens; for a path with a `=`, write ./PATH",
            )
        if not named["location"]:
            raise LocationError(
                "there is no location behind the name",
                location=named["name"],
                hint="write NAME=LOCATION; for a path with a `=`, ./PATH",
            )
        return cls(named["location"], named["name"])


def requests_of(texts: Iterable[str]) -> tuple[Request, ...]:
    """The fields that texts ask for; a text that stands twice asks once.

    Raises:
        LocationError: a name is none.
        AmbiguousName: two of them give the same name.
    """
    found = tuple(dict.fromkeys(map(Request.parse, texts)))
    given: dict[str, Request] = {}
    for request in found:
        if request.name is None:
            continue
        other = given.setdefault(request.name, request)
        if other is not request:
            raise AmbiguousName(
                f"the name is given to {_told(other)} and {_told(request)}",
                location=request.name,
            )
    return found


def fitting_name(name: str) -> str:
    """A name for a field as near to its own as the rule allows; "field" where nothing is left."""
    fit = _UNFIT.sub("-", name.lower()).strip("-")[:64].strip("-")
    return fit or "field"


def named(requests: Iterable[Request], own_names: Iterable[str]) -> tuple[Request, ...]:
    """The requests with a name each: the one that was given, that of the lock file, or its own.

    Arguments:
        requests: the requests.
        own_names: the name that each field has by itself, in the same order.

    Raises:
        AmbiguousName: two fields would have one name; who starts the server gives them others.
    """
    taken: dict[str, Request] = {}
    result = []
    for request, own in zip(requests, own_names, strict=True):
        locked = request.location[1:] if request.location.startswith("@") else ""
        name = request.name or fitting_name(locked or own)
        if name in taken:
            raise AmbiguousName(
                f"two fields would have this name: {_told(taken[name])} and {_told(request)}",
                location=name,
                hint="give one of them another name, as in NAME=LOCATION",
            )
        taken[name] = request
        result.append(replace(request, name=name))
    return tuple(result)


def _told(request: Request) -> str:
    """A location as it may be told: without a credential that it holds."""
    try:
        return shown(parse_location(request.location).shown)
    except LocationError:
        return "a location that cannot be read"
