"""stdout and stderr as this command needs them, whatever the shell made of them."""

from __future__ import annotations

import io
import os
import sys


def make_ready() -> bool:
    """Make both streams write all that they are given; False if there is no stdout at all."""
    if sys.stdout is None:  # closed by the shell, with `>&-`
        return False
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # With PYTHONUNBUFFERED, what a pipe or a disk does not take at once is lost unnoticed.
        encoding = sys.stdout.encoding
        sys.stdout = open(sys.stdout.fileno(), "w", encoding=encoding, closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a name no terminal can show is no reason to fail
            reconfigure(errors="backslashreplace")
    return True


def stop_writing() -> None:
    """Let what stdout still holds go nowhere: written at exit, it would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def stop_complaining() -> None:
    """The same for stderr: what cannot be told must not change the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
