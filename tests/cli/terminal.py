"""The command on a terminal."""

from __future__ import annotations

import os
import subprocess

from tests.cli.command import COMMAND, Argument, neutral_environment

TERMINAL = {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
"""The environment of a terminal that can do everything."""


def on_a_terminal(*arguments: Argument) -> bytes:
    """Everything the command writes to a terminal, line ends as the terminal driver has them."""
    keyboard, screen = os.openpty()
    with subprocess.Popen(
        [COMMAND, *arguments],
        stdin=screen,
        stdout=screen,
        stderr=screen,
        env=neutral_environment() | TERMINAL,
    ):
        os.close(screen)
        return written(keyboard)


def written(keyboard: int) -> bytes:
    """All that is written to a terminal, until nobody has it open any more."""
    pieces: list[bytes] = []
    try:
        while piece := os.read(keyboard, 65536):
            pieces.append(piece)
    except OSError:  # how Linux says that this is the end
        pass
    os.close(keyboard)
    return b"".join(pieces)
