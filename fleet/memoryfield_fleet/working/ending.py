"""The end of a process, of all that it has started, and of what it has put into its own folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

_PROCESSES = Path("/proc")
_MOST_ROUNDS = 10
"""Who starts others faster than they are found is left alone in the end."""


def own_folder() -> Path:
    """A new folder for temporary files; raises `OSError` where none can be made."""
    return Path(tempfile.mkdtemp(prefix="memoryfield-fleet-"))


def naming(folder: Path) -> Mapping[str, str]:
    """The environment that has a process, and all that it starts, use a folder."""
    return dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))


def end(process: subprocess.Popen[bytes], folder: Path) -> None:
    """End a process that leads a group, and what it has started; its folder is gone then.

    Arguments:
        process: it may have ended by itself.
        folder: its folder for temporary files.
    """
    if sys.platform == "win32":
        process.kill()
    elif process.returncode is None:  # else its number may be another's by now
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
    process.wait()
    _end_started(folder)
    shutil.rmtree(folder, ignore_errors=True)


def _end_started(folder: Path) -> None:
    """End what was started in a session of its own, as readers start git.

    It is known by the folder in its environment, whoever its parent is by now.
    """
    mark = f"TMPDIR={folder}".encode()
    for _ in range(_MOST_ROUNDS):
        found = list(_with(mark))
        if not found:
            return
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _with(mark: bytes) -> Iterator[int]:
    """The processes that have something in their environment; none where nobody can tell."""
    with suppress(OSError):
        for place in _PROCESSES.iterdir():
            if place.name.isdecimal():
                with suppress(OSError):  # it is another user's, or gone
                    if mark in (place / "environ").read_bytes().split(b"\0"):
                        yield int(place.name)
