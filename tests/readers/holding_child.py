"""Holds a field, or counts in it, in a process of its own.

python holding_child.py hold PATH             says "held", and holds it until it is killed
python holding_child.py fork PATH             the same in a process with a forked child
python holding_child.py count PATH TIMES      adds 1 to the number in it, as often
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from memoryfield_readers.holding import Hold, held_field

WAIT = 60.0
PROCESSES = 8


def hold(path: Path, *, forked: bool) -> None:
    """Hold a field until the end comes from outside."""
    with held_field(path, wait=WAIT, location=str(path)):
        child = os.fork() if forked else -1
        if child != 0:
            print("held", child, flush=True)
        time.sleep(600)


def count(path: Path, times: int) -> None:
    """Read a number and write the next one, in two steps that others could come between."""
    for _ in range(times):
        with held_field(path, wait=WAIT, location=str(path)) as held:
            _next(held)


def crowd(path: Path, times: int) -> None:
    """Count in many processes, and end well if all of them do."""
    children = []
    for _ in range(PROCESSES):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                count(path, times)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    statuses = [os.waitpid(child, 0)[1] for child in children]
    sys.exit(1 if any(statuses) else 0)


def _next(held: Hold) -> None:
    if held.is_folder:
        file = held.path / "number"
        file.write_text(str(int(file.read_text()) + 1))
        return
    if held.descriptor is None:
        number = int(held.path.read_text())
    else:
        number = int(os.pread(held.descriptor, 20, 0))
    new = held.path.with_name(f"{held.path.name}.{os.getpid()}")
    new.write_text(str(number + 1))
    os.replace(new, held.path)  # as an archive is written


if __name__ == "__main__":
    action, place = sys.argv[1], Path(sys.argv[2])
    if action == "crowd":
        crowd(place, int(sys.argv[3]))
    else:
        hold(place, forked=action == "fork")
