"""Writes folders in processes that end in the middle: all of them, one for each call that writes.

Run as a process of its own, which has no threads and so may fork:

    python -m tests.writer.folder_child crash FOLDER CASE…     killed while a batch is applied
    python -m tests.writer.folder_child twice FOLDER CASE      killed again while that is recovered
    python -m tests.writer.folder_child undo FOLDER CASE       killed while a batch is taken back
    python -m tests.writer.folder_child steps FOLDER CASE      once, for `strace`: how many steps
"""

from __future__ import annotations

import errno
import gc
import os
import shutil
import sys
from pathlib import Path

from tests.writer.folder_batches import (
    BEFORE,
    BEFORE_DIGEST,
    BY_NAME,
    Case,
    apply_case,
    apply_next,
    content_of,
    digest_of,
    is_clean,
    make_folder,
    read_digest,
)
from tests.writer.stepping import CRASHED, Stepping, crash_at, every_crash, fail_at, marked

from memoryfield_readers import MemoryfieldError
from memoryfield_writer.recovering import recover


def crash(folder: Path, name: str) -> int:
    """Kill a batch at each step; how many steps there are."""
    case = BY_NAME[name]

    def act(place: Path) -> None:
        apply_case(place, case)

    return every_crash(folder, make_folder, act, _AllOrNothing(case))


class _AllOrNothing:
    """Looks at what is left of a batch, and sees that it is all or nothing."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._after_digest = digest_of(case.after)
        self._counted = False

    def __call__(self, place: Path, nth: int, done: bool) -> None:
        case, seen = self._case, read_digest(place)
        assert seen in (BEFORE_DIGEST, self._after_digest), nth
        # Once the batch counts, it does so however late it is cut off.
        is_after = seen == self._after_digest
        assert is_after or not self._counted, nth
        self._counted = is_after
        assert not done or is_after
        action = recover(place).action
        if done:
            assert action == "nothing", nth
        elif not is_after:
            assert action in ("nothing", "undone"), nth
        assert recover(place).action == "nothing", nth
        assert is_clean(place), nth
        assert content_of(place) == (case.after if is_after else BEFORE), nth
        apply_next(place)
        assert is_clean(place), nth


def twice(folder: Path, name: str) -> int:
    """Kill a batch when it is about to count or counts, and then what recovers it, at each step."""
    case, total = BY_NAME[name], 0
    taken = _steps_of(folder / "dry", case)
    for nth in range(taken.index("replace") + 1, len(taken) + 1):
        made = folder / "made"
        make_folder(made)
        _killed(made, case, nth)
        seen = read_digest(made)
        shutil.rmtree(made)

        def prepare(place: Path, nth: int = nth) -> None:
            # Not a copy of the first: in a copy, a journal does not count.
            make_folder(place)
            _killed(place, case, nth)

        def check(place: Path, at: int, done: bool, seen: str = seen, nth: int = nth) -> None:
            assert read_digest(place) == seen, (nth, at)
            assert recover(place).action in ("nothing", "finished", "undone"), (nth, at)
            assert recover(place).action == "nothing", (nth, at)
            after = seen == digest_of(case.after)
            assert content_of(place) == (case.after if after else BEFORE), (nth, at)
            assert is_clean(place)

        total += every_crash(folder, prepare, _recover, check)
    return total


def _recover(place: Path) -> None:
    recover(place)


def _killed(made: Path, case: Case, nth: int) -> None:
    """Apply a batch to a folder in a process that is killed at a step."""
    child = os.fork()
    if child == 0:
        with Stepping(crash_at(nth)):
            apply_case(made, case)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == CRASHED


def undo(folder: Path, name: str) -> int:
    """Let each step of a batch that counts fail, and kill what takes it back at each of its own."""
    case, total = BY_NAME[name], 0
    taken = _steps_of(folder / "dry", case)
    commit = taken.index("replace")
    for nth in range(commit + 2, len(taken) + 1):

        def act(place: Path, nth: int = nth) -> None:
            # Two hooks, the inner of which fails once; the outer one counts what really happens.
            with Stepping(fail_at(nth, errno.EIO)):
                try:
                    apply_case(place, case)
                except MemoryfieldError:
                    return

        total += every_crash(folder, make_folder, act, _BothWays(case), first=nth)
    return total


class _BothWays:
    """Looks at what is left where a batch counted for a moment, and then no more."""

    def __init__(self, case: Case) -> None:
        self._case = case

    def __call__(self, place: Path, nth: int, done: bool) -> None:
        after = digest_of(self._case.after)
        seen = read_digest(place)
        assert seen in (BEFORE_DIGEST, after), nth
        recover(place)
        assert recover(place).action == "nothing", nth
        assert is_clean(place), nth
        assert content_of(place) == (self._case.after if seen == after else BEFORE), nth


def _steps_of(folder: Path, case: Case) -> list[str]:
    make_folder(folder)
    with Stepping(lambda number, name: None) as stepping:
        apply_case(folder, case)
    shutil.rmtree(folder)
    return stepping.taken


def steps(folder: Path, name: str) -> int:
    """Apply a batch once, between two marks, after all that is imported late was imported."""
    case = BY_NAME[name]
    _steps_of(folder / "first", case)
    make_folder(folder / "second")
    with Stepping(lambda number, call: None) as stepping, marked("batch"):
        apply_case(folder / "second", case)
    return len(stepping.taken)


if __name__ == "__main__":
    gc.disable()  # its marks would have every child copy all that the parent has
    _act = {"crash": crash, "twice": twice, "undo": undo, "steps": steps}[sys.argv[1]]
    for _name in sys.argv[3:]:
        print(_name, _act(Path(sys.argv[2], _name), _name), flush=True)
