"""Lists of locations: a file with one in each line, or stdin, read line by line."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from memoryfield_readers import LocationError
from memoryfield_readers.system_errors import error_of

from .places import MOST_LOCATION

STDIN = "-"
"""What stands for a list on stdin."""

_ENDINGS = (".txt", ".list")
_COMMENT = "#"
_MOST_BYTES = 4 * MOST_LOCATION + 2
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FLAGS |= getattr(os, "O_NONBLOCK", 0)  # a FIFO must not hang us


class Line(NamedTuple):
    """A line that is neither empty nor a comment.

    Attributes:
        place: the file and the number of the line, from 1.
        text: what stands in it, as text.
        error: what is wrong with it; None if it may be a location.
    """

    place: str
    text: str
    error: LocationError | None = None


def is_list(path: str) -> bool:
    """Whether a path names a list of locations: a file that ends in `.txt` or `.list`."""
    return path.lower().endswith(_ENDINGS) and os.path.isfile(path)


def listed_in(path: str) -> Iterator[Line]:
    """The lines of a list; raises as `lines_of` does, or `SourceUnavailable` if it is not read."""
    try:
        descriptor = os.open(path, _FLAGS)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise LocationError("is no regular file", location=path)
            yield from lines_of(file, path)
    except OSError as error:
        raise error_of(error, location=path) from error


def listed_on_stdin(stdin: BinaryIO | None) -> Iterator[Line]:
    """The lines of the list on stdin.

    Arguments:
        stdin: what is read instead, for who has it elsewhere.

    Raises:
        LocationError: there is nothing to read.
    """
    if stdin is None:
        if sys.stdin is None or sys.stdin.isatty():
            raise LocationError("there is nothing on stdin", location=STDIN, hint="pipe a list in")
        stdin = sys.stdin.buffer
    try:
        yield from lines_of(stdin, "stdin")
    except OSError as error:
        raise error_of(error, location=STDIN) from error


def lines_of(file: BinaryIO, name: str) -> Iterator[Line]:
    """The lines of a list that are neither empty nor comments.

    A line is a location as it stands, with the blanks around it left out: no pattern, and no list.
    One that begins with `#` is a comment.

    Arguments:
        file: the list.
        name: what messages call it.

    Raises:
        OSError: it cannot be read.
    """
    number = 0
    while data := file.readline(_MOST_BYTES):
        number += 1
        line = _line(f"{name}:{number}", data, file, is_first=number == 1)
        if line.error is not None or (line.text and not line.text.startswith(_COMMENT)):
            yield line


def _line(place: str, data: bytes, file: BinaryIO, *, is_first: bool) -> Line:
    beginning = data.decode("utf-8", "backslashreplace").strip()
    if len(data) == _MOST_BYTES and not data.endswith(b"\n"):
        while data and not data.endswith(b"\n"):  # the rest of a line, of whatever length
            data = file.readline(_MOST_BYTES)
        return Line(place, beginning, LocationError(f"has more than {MOST_LOCATION} characters"))
    try:
        text = data.decode("utf-8-sig" if is_first else "utf-8").strip()
    except UnicodeDecodeError:
        error = LocationError("is not UTF-8", hint="save the list as UTF-8")
        return Line(place, beginning, error)
    if text == STDIN:
        return Line(place, text, LocationError("stands for stdin, which no list can name"))
    return Line(place, text)
