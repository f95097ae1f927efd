"""Lines of pages as they are printed: as they are, or escaped so that nothing typed is like it.

A page that has a line which cannot be printed as it is gets a mark, and all its backslashes are
doubled then: without the mark no line is escaped, and with it each one can be told.
"""

from __future__ import annotations

import codecs
import re

from memoryfield_readers import visible_lines

from .output import no_command

_CONTROL_BEYOND_ASCII = re.compile("[\x80-\x9f\xad]")
_BEYOND_ASCII = re.compile("[^\x00-\x7f]")
_COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[)")


class Escaping:
    """Which lines cannot be printed as they are, and how they are printed instead."""

    def __init__(self, encoding: str | None = "utf-8") -> None:
        """Be ready to print.

        Arguments:
            encoding: that of what is printed to; what it may write in other bytes is escaped;
                None for what stays text.
        """
        self._is_utf8 = codecs.lookup(encoding or "utf-8").name == "utf-8"

    def is_plain(self, line: str) -> bool:
        """Whether a line comes out as it is, byte by byte; it has no line feed."""
        if no_command(line) != line or not (self._is_utf8 or line.isascii()):
            return False
        return (line.isascii() and line.isprintable()) or visible_lines(line) == line

    def escaped(self, text: str) -> str:
        """A line, or a part of one, of a page that has a mark: no two look the same."""
        text = text.replace("\\", r"\\")
        if no_command(text) != text:
            text = _COMMAND.sub(_without_command, text)
        # bytes that are not UTF-8 look like these, and stay what `visible_lines` makes of them
        text = visible_lines(_CONTROL_BEYOND_ASCII.sub(_code_point, text))
        return text if self._is_utf8 else _BEYOND_ASCII.sub(_code_point, text)


def _code_point(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"


def _without_command(match: re.Match[str]) -> str:
    return r"#\x23" if match[1] is None else rf"{match[1]}\x3a"
