"""Writers at the same time: no edit is lost or done twice, and readers see no half of one.

With MEMORYFIELD_CRASH_ALL=1 in the environment, each of eight writers applies 50 batches, not 12.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.writer.race_child import COUNTER, counter, number_in
from tests.writer.whole_batches import Form, held, make

from memoryfield_readers import open_field
from memoryfield_writer import recover

ROOT = Path(__file__).parents[2]
ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
WRITERS, BATCHES = 8, 50 if ALL else 12
ROUNDS = 20 if ALL else 8
KILLS = 40 if ALL else 12
FORMS: tuple[Form, ...] = ("folder", "archive")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in memory, if there is one: what is slow is to be the writer, not the disk."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="memoryfield-test-", dir=parent) as folder:
        (Path(folder) / "scratch").mkdir()
        yield Path(folder)


def race(place: Path, form: Form, action: str, *numbers: int) -> dict[str, Any]:
    """What processes answer that write to a new field."""
    field = make(place / "place", form, {COUNTER: counter(0).encode()})
    command = [sys.executable, "-m", "tests.writer.race_child", action]
    arguments = [str(field), str(place / "scratch"), *map(str, numbers)]
    done = subprocess.run(
        [*command, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def digest_of(place: Path, form: Form) -> str:
    field = place / "place" / ("field" if form == "folder" else "field.memoryfield.zip")
    with open_field(field) as opened:
        assert opened.faults == ()
        return opened.digest()


def check_chain(answer: dict[str, Any], first: str, last: str) -> None:
    """Each batch was applied to what one before had made; readers saw nothing else."""
    step = {before: after for before, after, _ in answer["steps"]}
    assert len(step) == len(answer["steps"])
    at, states = first, [first]
    while at in step:
        at = step[at]
        states.append(at)
    assert len(states) == len(step) + 1
    assert at == last
    assert set(answer["seen"]) <= set(states)
    assert answer["looks"] >= 3
    conflicts = sum(int(each) for *_, each in answer["steps"])
    print(
        f"{len(step)} batches, {conflicts} conflicts; {answer['looks']} looks at "
        f"{len(answer['seen'])} states, {answer['changed']} told that it changed"
    )


@pytest.mark.parametrize("form", FORMS)
def test_compare_and_swap(form: Form, place: Path, tmp_path: Path) -> None:
    """Eight processes count, each fifty times: the number is right, and each page is there once."""
    first = digest_of_new(tmp_path, form)
    answer = race(place, form, "counted", WRITERS, BATCHES)
    check_chain(answer, first, digest_of(place, form))
    files = held(place / "place", form)
    assert number_in(files.pop(COUNTER)) == WRITERS * BATCHES
    assert sorted(files) == [
        f"w{who}-{number:03}.md" for who in range(WRITERS) for number in range(BATCHES)
    ]
    assert sum(int(conflicts) for *_, conflicts in answer["steps"]) > 0


@pytest.mark.parametrize("form", FORMS)
def test_two_that_expect_nothing(form: Form, place: Path, tmp_path: Path) -> None:
    """One after the other: each edit is made in what the one before has left."""
    answer = race(place, form, "added", 2, 20)
    check_chain(answer, digest_of_new(tmp_path, form), digest_of(place, form))
    assert len(held(place / "place", form)) == 1 + 40


@pytest.mark.parametrize("form", FORMS)
def test_two_on_one_revision(form: Form, place: Path) -> None:
    """Exactly one is applied, and the other one is told."""
    outcomes = race(place, form, "one", ROUNDS)["outcomes"]
    assert [sorted(each) for each in outcomes] == [["applied", "conflict"]] * ROUNDS
    files = held(place / "place", form)
    winners = [each.index("applied") for each in outcomes]
    assert set(files) - {COUNTER} == {f"w{who}-{n:03}.md" for n, who in enumerate(winners)}


@pytest.mark.parametrize("form", FORMS)
def test_writers_that_are_killed(form: Form, place: Path) -> None:
    """What is there is whole, nobody waits for the dead, and the number is that of the pages."""
    race(place, form, "killed", 3, KILLS)
    field = place / "place" / ("field" if form == "folder" else "field.memoryfield.zip")
    recover(field, wait=0)
    assert recover(field, wait=0).action == "nothing"
    files = held(place / "place", form)
    assert number_in(files.pop(COUNTER)) == len(files)


def digest_of_new(tmp_path: Path, form: Form) -> str:
    """The pin of the field that all begin with."""
    make(tmp_path / "place", form, {COUNTER: counter(0).encode()})
    return digest_of(tmp_path, form)
