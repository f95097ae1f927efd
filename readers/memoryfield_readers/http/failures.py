"""Ways in which a request fails, before it is known what that means for who asked."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import MemoryfieldError
from .answer import Answer


class Broken(Exception):
    """The connection did not bring an answer, or not all of it.

    It is no `OSError`, so that what lies between a socket and the client lets it pass as it is.

    Attributes:
        what: what went wrong, in a few words without any credential.
        passing: whether it may go better the next time.
        silent: whether nobody seems to be there: no connection, or no answer in time.
        hint: what to do about it, or None.
        answer: the answer whose body broke off; None where there was none that was wanted.
    """

    answer: Answer | None = None

    def __init__(
        self, what: str, *, passing: bool = True, silent: bool = False, hint: str | None = None
    ) -> None:
        super().__init__(what)
        self.what = what
        self.passing = passing
        self.silent = silent
        self.hint = hint


class Dropped(Exception):
    """A connection was closed by the other side before there was any answer."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(frozen=True, slots=True)
class Failure:
    """One try of a request failed.

    Attributes:
        error: what is raised if no try follows.
        passing: whether another try makes sense.
        silent: whether nobody seems to be there.
        wait: seconds that the server asks to wait before the next try, or None.
        origin: whom was asked.
        answer: the answer whose body broke off, all that came of which is in the sink; None where
            nothing came.
    """

    error: MemoryfieldError
    origin: str
    passing: bool = False
    silent: bool = False
    wait: float | None = None
    answer: Answer | None = None
