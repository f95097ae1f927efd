"""The command on a terminal."""

from __future__ import annotations

import os
import subprocess

from tests.cli.command import COMMAND, Argument, neutral_environment


def on_a_terminal(*arguments: Argument) -> bytes:
    """Everything the command writes to a terminal, line ends as the terminal driver has them."""
    keyboard, screen = os.openpty()
    with subprocess.Popen(
        [COMMAND, *arguments],
        stdin=screen,
        stdout=screen,
        stderr=screen,
        env=neutral_environment() | {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"},
    ):
        os.close(screen)
        seen = b"".join(_pieces(keyboard))
    os.close(keyboard)
    return seen


def _pieces(keyboard: int) -> list[bytes]:
    pieces: list[bytes] = []
    while True:
        try:
            piece = os.read(keyboard, 65536)
        except OSError:  # how Linux says that nobody writes any more
            return pieces
        if not piece:
            return pieces
        pieces.append(piece)
