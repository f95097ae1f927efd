"""Where the command starts: what scripts ask most often is answered before anything is imported."""

from __future__ import annotations

import signal
import sys
from types import FrameType

from memoryfield_spec import __version__

from .streams import make_ready, stop_complaining, stop_writing

INTERRUPTED = 130
"""What shells make of a program that ended by SIGINT; it is no answer, so none of those of ours."""

_OF_SIGNALS = 128


def run() -> None:
    """Run the command line and exit with its code."""
    if not make_ready():
        _complain("cannot go on: stdout is closed")
        sys.exit(4)
    for name in ("SIGTERM", "SIGHUP"):  # what is temporary goes away, whatever ends the command
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_DFL:
            signal.signal(getattr(signal, name), _end)
    try:
        _answer()
    except KeyboardInterrupt:
        _complain("interrupted")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # nobody reads on
        stop_writing()
        sys.exit(1)
    except OSError as error:
        # What names no file is of stdout: the answer cannot be written.
        what = "stdout cannot be written" if error.filename is None else "cannot go on"
        stop_writing()
        _complain(f"{what}: {error.strerror or error}")
        sys.exit(4)


def _answer() -> None:
    if sys.argv[1:] == ["--version"]:
        print(f"memoryfield {__version__}", flush=True)
        return
    from .main import memoryfield

    memoryfield.main(prog_name="memoryfield")


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(_OF_SIGNALS + number)


def _complain(text: str) -> None:
    if sys.stderr is None:
        return
    try:
        print(f"memoryfield: {text}", file=sys.stderr, flush=True)
    except OSError:  # stderr is on a disk that is full, too
        stop_complaining()
