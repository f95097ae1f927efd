"""The fields that a server holds: those named at start, and no others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from threading import Lock
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from memoryfield_readers import (
    DEFAULT_LIMITS,
    InvalidPin,
    Limits,
    MemoryfieldError,
    NotFound,
    Pins,
    Watch,
    shown,
    unwatched,
)

from .held import HeldField, hold
from .requests import Request, named, requests_of

if TYPE_CHECKING:
    from memoryfield_index.searching import Embedders

_MOST_TOLD = 20
"""So many names of fields stand in a message."""


class UnknownField(NotFound):
    """No field of this name is held; nothing was looked for elsewhere."""


class Shelf:
    """Some held fields by their names; safe to use from several threads.

    Use it as a context manager, or close it.
    """

    def __init__(
        self,
        requests: Sequence[Request],
        embedders: Embedders,
        *,
        pins: Pins = Pins(),  # noqa: B008 - it is a frozen value
        limits: Limits = DEFAULT_LIMITS,
        storage_options: Mapping[str, Any] | None = None,
        offline: bool = False,
        watch: Watch = unwatched,
    ) -> None:
        """Open and read all fields; see `hold`.

        Arguments:
            requests: the fields; with a pin, one.
            embedders: what makes vectors of questions; it is closed with this.
            pins: what the one field must match.
            limits: how much to take of each.
            storage_options: how sources elsewhere are reached.
            offline: whether to ask nobody else.
            watch: is told how far a long transfer is.

        Raises:
            AmbiguousName: two fields would have one name.
            InvalidPin: there is a pin, and not one field.
            MemoryfieldError: one of them cannot be held.
        """
        self._embedders = embedders
        self._how: dict[str, Any] = {
            "pins": pins,
            "limits": limits,
            "storage_options": storage_options,
            "offline": offline,
            "watch": watch,
        }
        self._lock = Lock()
        self._reloading: dict[str, Lock] = {}
        self._closed = False
        self._held: dict[str, HeldField] = {}
        self._requests: dict[str, Request] = {}
        with ExitStack() as undo:
            undo.callback(embedders.close)
            if pins and len(requests) != 1:
                raise InvalidPin("a pin is of one field", hint="lock the fields: @NAME")
            found = []
            for request in requests:
                held = hold(request.location, request.name or "", embedders, **self._how)
                undo.callback(held.close)
                found.append(held)
            full = named(requests, [held.field.name for held in found])
            undo.pop_all()
        for request, held in zip(full, found, strict=True):
            assert request.name is not None  # noqa: S101 - `named` gives each one
            self._requests[request.name] = request
            self._reloading[request.name] = Lock()
            self._held[request.name] = replace(held, name=request.name)

    @classmethod
    def of(cls, locations: Iterable[str], **how: Any) -> Shelf:
        """The fields at some locations, or NAME=LOCATION; words and usual embedders search them.

        Arguments:
            locations: the fields.
            how: as the constructor takes it.

        Raises:
            LocationError, MemoryfieldError: as the constructor raises.
        """
        from memoryfield_index.searching import Embedders

        return cls(requests_of(locations), Embedders(), **how)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields, in the order in which they were asked for."""
        return tuple(self._requests)

    @property
    def requests(self) -> Mapping[str, Request]:
        """How each was asked for, by its name, in the same order."""
        return MappingProxyType(self._requests)

    @property
    def fields(self) -> tuple[HeldField, ...]:
        """All of them as they are now, in the same order."""
        with self._lock:
            return tuple(self._held[name] for name in self._requests)

    def get(self, name: str | None = None) -> HeldField:
        """The field of a name; without one, the only one there is.

        Raises:
            UnknownField: there is none of that name, or several without one.
        """
        with self._lock:
            if name is None and len(self._held) == 1:
                return next(iter(self._held.values()))
            found = self._held.get(name) if name is not None else None
        if found is None:
            told = ", ".join(self.names[:_MOST_TOLD])
            more = (
                f" and {len(self.names) - _MOST_TOLD} more" if len(self.names) > _MOST_TOLD else ""
            )
            what = "which field is meant?" if name is None else f"there is no field {shown(name)}"
            raise UnknownField(what, hint=f"there is {told}{more}")
        return found

    def reload(self, name: str) -> bool:
        """Open a field anew; whether it is another one now. It is let be where it cannot be had.

        Who has got hold of the old one keeps it, and a search of it ends as it began. A field that
        was pinned is the same or none. One that is the same stays, and its next search looks anew
        for an index in the cache, and for what makes vectors.

        Raises:
            UnknownField: there is none of that name.
            MemoryfieldError: it cannot be held as it is now; the old one is still there.
        """
        self.get(name)
        request = self._requests[name]
        with self._reloading[name]:  # so that of two the later one counts
            before = self.get(name)
            after = hold(request.location, name, self._embedders, **self._how)
            self._embedders.try_again()
            if after.is_as(before):
                after.close()
                before.look_again()
                return False
            with self._lock:
                closed = self._closed
                if not closed:
                    self._held[name] = after
            (after if closed else before).close()
            return not closed

    def close(self) -> None:
        """Let go of everything; a search that is under way ends first."""
        with self._lock:
            self._closed = True
            held = tuple(self._held.values())
            self._held.clear()
        for each in held:
            each.close()
        self._embedders.close()


def why(error: MemoryfieldError) -> str:
    """An error in one line, with what to do about it."""
    return f"{error} ({error.hint})" if error.hint else str(error)
