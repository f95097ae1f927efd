"""A process that changes a store while others do; it begins when a line comes on stdin.

python -m tests.notes.racing_child FILE at                 sets a note for each line `ID REVISION`
python -m tests.notes.racing_child FILE count ID TIMES N   N processes add one to a note, so often
"""

from __future__ import annotations

import os
import sys
import traceback

from memoryfield_notes import Store, open_store


def at(store: Store) -> None:
    """Set notes at the revisions that are asked for."""
    for line in sys.stdin:
        id, rev = line.split()
        print(store.cas(id, int(rev), f"by {id} at {rev}").status, flush=True)


def count(store: Store, id: str, times: int) -> None:
    """Add one to a number, and try again where another one was first."""
    done = 0
    record = store.get(id)
    while done < times:
        number = 0 if record.note is None else int(record.note.text)
        outcome = store.cas(id, record.rev, str(number + 1))
        record = outcome.record
        done += outcome.applied


def forked(path: str, id: str, times: int) -> int:
    """Count in a process of its own; its number."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with open_store(path, wait=120) as store:
                count(store, id, times)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return child


if __name__ == "__main__":
    path, act, *others = sys.argv[1:]
    print("ready", flush=True)
    sys.stdin.readline()
    if act == "at":
        with open_store(path) as opened:
            at(opened)
    else:
        id, times, processes = others
        started = [forked(path, id, int(times)) for _ in range(int(processes))]
        codes = [os.waitpid(child, 0)[1] for child in started]
        sys.exit(any(codes))
