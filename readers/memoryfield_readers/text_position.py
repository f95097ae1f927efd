"""Offsets as people count them: lines and columns from 1, columns in code points."""

from __future__ import annotations

from typing import NamedTuple


class Position(NamedTuple):
    """A place in a text; line and column count from 1, columns in code points."""

    line: int
    column: int


def position(text: str, offset: int) -> Position:
    """The line and column of a code point offset; only LF (also in CRLF) ends a line."""
    line_start = text.rfind("\n", 0, offset) + 1
    return Position(text.count("\n", 0, line_start) + 1, offset - line_start + 1)
