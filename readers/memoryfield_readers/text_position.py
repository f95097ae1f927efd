"""Offsets as people count them: lines and columns from 1, columns in code points."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple


class Position(NamedTuple):
    """A place in a text; line and column count from 1, columns in code points."""

    line: int
    column: int


def position(text: str, offset: int) -> Position:
    """The line and column of a code point offset; only LF (also in CRLF) ends a line."""
    line_start = text.rfind("\n", 0, offset) + 1
    return Position(text.count("\n", 0, line_start) + 1, offset - line_start + 1)


class LineIndex:
    """The lines of a text, for many positions in it."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    def position(self, offset: int) -> Position:
        """The line and column of a code point offset."""
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)
