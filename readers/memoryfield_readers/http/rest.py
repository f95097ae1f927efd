"""What is left of a part of a file when the connection breaks off in the middle of it."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from .answer import Answer
from .parts import Cut
from .version import Version, part_of

AS_IT_IS: Mapping[str, str] = {"Accept-Encoding": "identity"}
"""Ranges count the bytes of the file as it is sent: it must be sent as it is."""

_LESS_BYTES = 64 * 1024
_LESS_SHARE = 4


class Rest:
    """A part that is asked for until all of it has come, each time from where it broke off.

    What came is kept if the answer said that it is of this very part, and of this version.

    Attributes:
        at: the first byte that is asked for now.
    """

    def __init__(self, start: int, end: int, size: int, version: Version, sink: Cut) -> None:
        """Want the bytes from `start` up to `end`.

        Arguments:
            start: the first.
            end: the one behind the last.
            size: bytes of the whole file.
            version: of the file.
            sink: where they go.
        """
        self.at = start
        self._start = start
        self._end = end
        self._size = size
        self._version = version
        self._sink = sink
        self._counted = start

    @property
    def headers(self) -> dict[str, str]:
        """What to ask with for what is missing."""
        wanted = f"bytes={self.at}-{self._end - 1}"
        return {"Range": wanted, **self._version.condition, **AS_IT_IS}

    def __call__(self, answer: Answer | None) -> tuple[Mapping[str, str], bool]:
        """What to ask with next; see `GoOn`.

        So much has to come before it counts as less than before that the tries come to an end.
        """
        if answer is not None and not self._is_of_it(answer):
            self._sink.restart()
            self.at = self._counted = self._start
            return self.headers, False
        self.at = self._start + self._sink.taken
        missing = self._end - self._counted
        is_less = self.at - self._counted >= min(_LESS_BYTES, -(-missing // _LESS_SHARE))
        if is_less:
            self._counted = self.at
        return self.headers, is_less

    def _is_of_it(self, answer: Answer) -> bool:
        return (
            answer.status == HTTPStatus.PARTIAL_CONTENT
            and part_of(answer.headers) == (self.at, self._end, self._size)
            and not self._version.differs(Version.of(answer.headers))
            and self._sink.taken < self._end - self._start
        )
