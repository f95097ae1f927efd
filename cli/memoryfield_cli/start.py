"""Where the command starts: what scripts ask most often is answered before anything is imported."""

from __future__ import annotations

import sys

from memoryfield_spec import __version__

from .streams import make_ready, stop_writing


def run() -> None:
    """Run the command line and exit with its code."""
    if not make_ready():
        _complain("cannot go on: stdout is closed")
        sys.exit(4)
    try:
        _answer()
    except BrokenPipeError:  # nobody reads on
        stop_writing()
        sys.exit(1)
    except OSError as error:  # the answer cannot be written
        stop_writing()
        _complain(f"cannot go on: {error.strerror or error}")
        sys.exit(4)


def _answer() -> None:
    if sys.argv[1:] == ["--version"]:
        print(f"memoryfield {__version__}", flush=True)
        return
    from .main import memoryfield

    memoryfield.main(prog_name="memoryfield")


def _complain(text: str) -> None:
    if sys.stderr is not None:
        print(f"memoryfield: {text}", file=sys.stderr)
