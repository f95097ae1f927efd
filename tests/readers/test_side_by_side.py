"""Work side by side: results as they come, errors that end it, and no thread that is waited for."""

from __future__ import annotations

import subprocess
import sys
from threading import Lock

import pytest

from memoryfield_readers import NotFound
from memoryfield_readers.transfer.side_by_side import side_by_side


@pytest.mark.parametrize("at_once", [1, 2, 16])
def test_each_thing_has_its_result(at_once: int) -> None:
    """An error of ours is the result of its thing alone."""

    def work(thing: int) -> int:
        if thing == 3:
            raise NotFound("no 3")
        return -thing

    results = dict(side_by_side(work, range(8), at_once))
    assert isinstance(results.pop(3), NotFound)
    assert results == {thing: -thing for thing in range(8) if thing != 3}


@pytest.mark.parametrize("at_once", [1, 2])
def test_another_error_ends_it(at_once: int) -> None:
    """What nobody reckoned with is raised where the results are asked for."""
    with pytest.raises(ZeroDivisionError):
        list(side_by_side(lambda thing: 1 // thing, [1, 0, 2, 3], at_once))


def test_what_nobody_wants_is_not_begun() -> None:
    """Who stops listening has asked for as many things as there are threads."""
    begun: list[int] = []
    lock = Lock()

    def work(thing: int) -> None:
        with lock:
            begun.append(thing)

    for _ in side_by_side(work, range(100), 3):
        break
    assert set(begun) <= {0, 1, 2}


def test_a_program_ends_while_threads_wait() -> None:
    """As when it is interrupted: a silent server keeps nobody from the prompt."""
    program = (
        "from threading import Event\n"
        "from memoryfield_readers.transfer.side_by_side import side_by_side\n"
        "for _ in side_by_side(lambda thing: thing or Event().wait(), [1, 0, 0], 3):\n"
        "    break\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
