"""Processes that write to one field at the same time, and one that reads it meanwhile.

Run as a process of its own, which has no threads and so may fork; it prints JSON:

    python -m tests.writer.race_child counted FIELD SCRATCH WRITERS BATCHES
        each raises the number in one page and adds a page, if the field is what it was when read
    python -m tests.writer.race_child added FIELD SCRATCH WRITERS BATCHES
        each adds pages, whatever the field is
    python -m tests.writer.race_child one FIELD SCRATCH ROUNDS
        two edit what both have read, one round after the other
    python -m tests.writer.race_child killed FIELD SCRATCH WRITERS KILLS
        as `counted`, by processes that are killed at some moment, and others in their place
"""

from __future__ import annotations

import gc
import json
import os
import random
import re
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from memoryfield_readers import NotFound, PageError, SourceChanged, WriteConflict, open_field
from memoryfield_writer import AddPage, Applied, Batch, ReplacePage, apply

COUNTER = "counter.md"
WAIT = 120.0
"""Seconds to wait for the lock: more than all of the others take."""

_NUMBER = re.compile(rb"So far ([0-9]+)\.")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.03, 0.2
_BETWEEN_LOOKS = 0.01


def counter(number: int) -> str:
    """The page that counts."""
    return f"# Counter\n\nSo far {number}. From https://example.org/.\n"


def own_page(who: int, number: int) -> AddPage:
    """A page that only one writer adds."""
    return AddPage(f"w{who}-{number:03}.md", f"# {number}, {who}\n\nhttps://example.org/\n")


def number_in(raw: bytes) -> int:
    """The number in the page that counts."""
    found = _NUMBER.search(raw)
    assert found is not None
    return int(found[1])


def raised(field: Path, who: int, number: int) -> tuple[Applied, int]:
    """Raise the number by one and add a page, as often as it takes; and how often that failed."""
    conflicts = 0
    while True:
        with suppress(SourceChanged), open_field(field) as opened:
            seen, now = opened.digest(), number_in(opened.page(COUNTER).raw)
            batch = Batch([ReplacePage(COUNTER, counter(now + 1)), own_page(who, number)])
            try:
                return apply(field, batch, expect=seen, wait=WAIT), conflicts
            except WriteConflict:
                conflicts += 1
        # As anybody does who is in the way of others: a little later, and not all at once.
        time.sleep(random.uniform(0, min(_FIRST_PAUSE * 2**conflicts, _LONGEST_PAUSE)))


def counting(field: Path, scratch: Path, who: int, batches: int) -> None:
    """One writer of `counted`."""
    with (scratch / f"writer-{who}").open("a") as told:
        for number in range(batches):
            applied, conflicts = raised(field, who, number)
            print(applied.before, applied.digest, conflicts, file=told, flush=True)


def adding(field: Path, scratch: Path, who: int, batches: int) -> None:
    """One writer of `added`."""
    with (scratch / f"writer-{who}").open("a") as told:
        for number in range(batches):
            applied = apply(field, Batch([own_page(who, number)]), wait=WAIT)
            print(applied.before, applied.digest, 0, file=told, flush=True)


def reading(field: Path, scratch: Path) -> None:
    """Look at the field again and again, until there is a file `stop`."""
    seen, looks, changed = set(), 0, 0
    while not (scratch / "stop").exists():
        try:
            with open_field(field) as opened:
                seen.add(opened.digest())
            looks += 1
        except SourceChanged:  # it is said that it changed, and it can be looked at again
            changed += 1
        time.sleep(_BETWEEN_LOOKS)
    answer = {"seen": sorted(seen), "looks": looks, "changed": changed}
    (scratch / "reader").write_text(json.dumps(answer))


def forked(work: Callable[[], None]) -> int:
    """The number of a new process that does some work; a failure is its exit code."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def joined(children: list[int]) -> None:
    """Wait for processes, and see that they came through."""
    for child in children:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def many(
    field: Path, scratch: Path, work: Callable[..., None], writers: int, batches: int
) -> dict[str, Any]:
    """Let writers work at the same time, and a reader with them; what each of them told."""
    reader = forked(lambda: reading(field, scratch))
    children = [
        forked(lambda who=who: work(field, scratch, who, batches))  # type: ignore[misc]
        for who in range(writers)
    ]
    try:
        joined(children)
    finally:
        (scratch / "stop").touch()
        joined([reader])
    told = [(scratch / f"writer-{who}").read_text().split() for who in range(writers)]
    steps = [tuple(words[at : at + 3]) for words in told for at in range(0, len(words), 3)]
    return {"steps": steps, **json.loads((scratch / "reader").read_text())}


def one(field: Path, scratch: Path, rounds: int) -> dict[str, Any]:
    """Let two edit what both have read; who was applied and who was not, by rounds."""
    outcomes = []
    for number in range(rounds):
        begin_at, begin = os.pipe()

        def edit(who: int, number: int = number, begin_at: int = begin_at) -> None:
            with open_field(field) as opened:
                seen = opened.digest()
            (scratch / f"ready-{number}-{who}").touch()
            os.read(begin_at, 1)
            try:
                apply(field, Batch([own_page(who, number)]), expect=seen, wait=WAIT)
                outcome = "applied"
            except WriteConflict:
                outcome = "conflict"
            (scratch / f"outcome-{number}-{who}").write_text(outcome)

        children = [forked(lambda who=who: edit(who)) for who in range(2)]  # type: ignore[misc]
        while not all((scratch / f"ready-{number}-{who}").exists() for who in range(2)):
            time.sleep(0.001)
        os.write(begin, b"..")
        joined(children)
        os.close(begin)
        os.close(begin_at)
        outcomes.append([(scratch / f"outcome-{number}-{who}").read_text() for who in range(2)])
    return {"outcomes": outcomes}


def killed(field: Path, writers: int, kills: int) -> dict[str, Any]:
    """Kill writers at moments that nobody chose; the lock of none of them outlives it."""
    rng = random.Random(1)
    names = iter(range(10**6))

    def work(who: int) -> NoReturn:
        number = 0
        while True:
            raised(field, who, number)
            number += 1

    def another() -> int:
        who = next(names)
        return forked(lambda: work(who))

    children = [another() for _ in range(writers)]
    for _ in range(kills):
        time.sleep(rng.uniform(0, 0.03))
        at = rng.randrange(writers)
        os.kill(children[at], signal.SIGKILL)
        os.waitpid(children[at], 0)
        children[at] = another()
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return {}


def main() -> None:
    """Do what is asked for."""
    action, field, scratch = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    numbers = [int(each) for each in sys.argv[4:]]
    if action == "one":
        answer = one(field, scratch, *numbers)
    elif action == "killed":
        answer = killed(field, *numbers)
    else:
        answer = many(field, scratch, {"counted": counting, "added": adding}[action], *numbers)
    print(json.dumps(answer))


if __name__ == "__main__":
    # What is imported late is imported now, not in each child.
    with suppress(NotFound, PageError, WriteConflict):
        apply(Path(sys.argv[2]), Batch([own_page(0, 0)]), expect="field-sha256:" + "0" * 64)
    gc.disable()
    gc.freeze()
    main()
