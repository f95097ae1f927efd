"""What a server's answer to a request for embeddings means."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import TypeVar

from .machine import Refused

_WAITS = (0.5, 2.0, 5.0)
"""How long is waited before each further try, in seconds, where the server does not say."""

_LONGEST_WAIT = 30.0
"""No server is waited for longer than that between two tries, in seconds."""

_SAYS_TOO_LONG = re.compile(
    r"context|too (?:long|large|many)|exceed|must have less than"
    r"|max(?:imum)?\b.*\b(?:length|tokens)",
    re.IGNORECASE | re.DOTALL,
)

_MOST_SHOWN = 200
"""So many characters of what a server says are repeated."""

Result = TypeVar("Result")


class BusyError(Exception):
    """The server may take the same request later.

    Attributes:
        reason: what it said.
        wait: after how many seconds, where it says so.
    """

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait


def is_busy(status: int) -> bool:
    """Whether a status means that the same request may be answered later."""
    return status in (408, 425, 429, 502, 503, 504)


def refusal(status: int, said: str) -> Refused | None:
    """What a status says of the texts that were sent; None where it says nothing of them.

    Arguments:
        status: the status of the answer, 400 or more.
        said: what the answer says, in the server's words.
    """
    if status == 413:
        return Refused(one_line(said) or "too large", too_long=True)
    if status in (400, 422, 500):
        too_long = _SAYS_TOO_LONG.search(said) is not None
        return Refused(f"the server says {status}: {one_line(said)}", too_long=too_long)
    return None


def one_line(said: str) -> str:
    """What a server says, printable and in one short line."""
    line = " ".join("".join(c if c.isprintable() else " " for c in said).split())
    return line if len(line) <= _MOST_SHOWN else line[:_MOST_SHOWN] + "…"


def patiently(ask: Callable[[], Result]) -> Result:
    """Ask until the server is not busy, a few times at most.

    Raises:
        BusyError: it still is.
    """
    for wait in _WAITS:
        try:
            return ask()
        except BusyError as busy:
            time.sleep(min(busy.wait if busy.wait is not None else wait, _LONGEST_WAIT))
    return ask()
