"""An archive that is piped in."""

from __future__ import annotations

import io
import sys

from memoryfield_readers import LimitExceeded, Limits, LocationError

STDIN = "-"
"""The location that stands for an archive on stdin."""

_PIECE = 1024 * 1024


def archive_from_stdin(limits: Limits) -> io.BytesIO:
    """What stands on stdin, as a file named "-".

    Raises:
        LocationError: nothing is there to be read.
        LimitExceeded: it is larger than any archive within the limits (MF607).
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise LocationError("there is nothing on stdin", location=STDIN, hint="pipe an archive in")
    most = limits.total_bytes + limits.directory_bytes
    archive = io.BytesIO()
    archive.name = STDIN
    while piece := sys.stdin.buffer.read(_PIECE):
        archive.write(piece)
        if archive.tell() > most:
            raise LimitExceeded(f"more than {most} bytes", location=STDIN, hint="save it as a file")
    return archive
