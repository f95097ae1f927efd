"""What a person may say about how a source is reached: time, retries, and a transport's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ..errors import LocationError

LONGER = "--timeout SECONDS gives it longer"
"""The hint where time is over, whatever the transport."""

DEFAULT_TIMEOUT = 30.0
DEFAULT_RETRIES = 4
_MOST_RETRIES = 100
_MOST_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class TransferOptions:
    """How a source elsewhere is reached.

    Attributes:
        timeout: seconds in which an answer must begin; a transfer may take as long again, and
            longer only while it goes on at a rate that is worth waiting for.
        retries: how often a request is sent again that failed for a reason that may pass.
        anon: whether to give no credentials, even if there are some.
        public_only: whether to talk to public addresses alone, as for a location that comes from
            someone else.
        rest: options that a transport has for itself, by name.
    """

    timeout: float = DEFAULT_TIMEOUT
    retries: int = DEFAULT_RETRIES
    anon: bool = False
    public_only: bool = False
    rest: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of(
        cls, storage_options: Mapping[str, Any] | None, *, public_only: bool = False
    ) -> TransferOptions:
        """The options that a mapping from names to values says.

        Raises:
            LocationError: it is no such mapping, or a value is of the wrong type or beyond what
                makes sense.
        """
        if storage_options is not None and not isinstance(storage_options, Mapping):
            kind = type(storage_options).__name__
            raise LocationError(f"the options must be a mapping from names to values, not {kind}")
        rest = dict(storage_options or {})
        for name in rest:
            if not isinstance(name, str):
                kind = type(name).__name__
                raise LocationError(f"the name of an option must be text, not {kind}")
        timeout = rest.pop("timeout", DEFAULT_TIMEOUT)
        retries = rest.pop("retries", DEFAULT_RETRIES)
        anon = rest.pop("anon", False)
        if not _is_number(timeout) or not 0 < timeout <= _MOST_SECONDS:
            raise LocationError(
                f"the option timeout must be a number of seconds above 0, up to {_MOST_SECONDS:.0f}"
            )
        if (
            isinstance(retries, bool)
            or not isinstance(retries, int)
            or not (0 <= retries <= _MOST_RETRIES)
        ):
            raise LocationError(f"the option retries must be a number from 0 to {_MOST_RETRIES}")
        if not isinstance(anon, bool):
            raise LocationError("the option anon must be true or false")
        return cls(float(timeout), retries, anon, public_only, MappingProxyType(rest))

    def of_transport(self, transport: str, *known: str) -> Mapping[str, Any]:
        """The options of a transport, all of which it must know.

        Arguments:
            transport: what it is called, for the message.
            known: the names that it knows.

        Raises:
            LocationError: there is another one among them.
        """
        for name in self.rest:
            if name not in known:
                what = ", ".join(known) if known else "none of its own"
                raise LocationError(f"{transport} has no option {name!r}", hint=f"it knows {what}")
        return self.rest


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
