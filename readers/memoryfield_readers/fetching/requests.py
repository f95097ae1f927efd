"""What is asked to be fetched, compared with what is locked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..display import shown
from ..errors import LocationError, MemoryfieldError, PinMismatch
from ..lock import LockFile, check_name, stored_location
from ..lock.values import MARK


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """One field that is asked for.

    Attributes:
        name: its name.
        location: where it is to come from, as a person typed it; None for what the lock file says.
    """

    name: str
    location: str | None = None


def parse_request(text: str) -> FetchRequest:
    """The request that `NAME`, `@NAME` or `NAME=LOCATION` says.

    Raises:
        LocationError: the name can be none, or there is no location behind the sign.
    """
    name, equals, location = text.partition("=")
    name = name.removeprefix(MARK)
    check_name(name)
    if equals and not location:
        raise LocationError(f"{shown(text)} names no location", hint="write NAME=LOCATION")
    return FetchRequest(name, location or None)


def contradictions(
    lock: LockFile, requests: Iterable[FetchRequest], *, locked: bool
) -> list[MemoryfieldError]:
    """What is asked for that is not what is locked; nobody is asked for anything.

    Arguments:
        lock: the lock file.
        requests: what is asked for.
        locked: whether everything must be locked already.

    Returns:
        An error for each: `LocationError` for a name without a location that the lock file has not,
        `PinMismatch` for another location than it has, or for one that it has not; `LocationError`
        for a name that is asked for from two places, too.
    """
    found: list[MemoryfieldError] = []
    places: dict[str, str] = {}
    for request in requests:
        try:
            _compare(lock, request, locked=locked)
            if request.location is not None:
                location = stored_location(request.location, lock.path)
                if places.setdefault(request.name, location) != location:
                    raise LocationError(
                        f"the field {shown(request.name)} is asked for from two places",
                        location=location,
                    )
        except MemoryfieldError as error:
            found.append(error)
    return found


def _compare(lock: LockFile, request: FetchRequest, *, locked: bool) -> None:
    name, typed = request.name, request.location
    if typed is None:
        lock.field(name)
        return
    location = stored_location(typed, lock.path)
    known = lock.fields.get(name)
    if known is not None and known.location != location:
        raise PinMismatch(
            f"the field {shown(name)} is locked from {known.location}, and asked for from "
            f"{location}",
            location=str(lock.path),
            hint=f"`memoryfield lock update {name}` reviews what is there now; to take it from "
            f"another place, `memoryfield lock remove {name}` and add it again",
            expected=known.location,
            actual=location,
            diagnosis="the lock file has another location",
        )
    if known is None and locked:
        raise PinMismatch(
            f"the field {shown(name)} is not locked, and was asked for from {location}",
            location=str(lock.path),
            hint=f"`memoryfield lock add {name} LOCATION` locks it, or leave out --locked",
            actual=location,
            diagnosis="the lock file has no such field",
        )
