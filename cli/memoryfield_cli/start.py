"""Where the command starts: what scripts ask most often is answered before anything is imported."""

from __future__ import annotations

import sys

from memoryfield_spec import __version__

from .streams import make_ready


def run() -> None:
    """Run the command line and exit with its code."""
    if not make_ready():
        if sys.stderr is not None:
            print("memoryfield: cannot go on: stdout is closed", file=sys.stderr)
        sys.exit(4)
    if sys.argv[1:] == ["--version"]:
        print(f"memoryfield {__version__}")
        return
    from .main import memoryfield

    memoryfield.main(prog_name="memoryfield")
