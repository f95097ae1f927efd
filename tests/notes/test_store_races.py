"""Several processes write to one store: nothing is lost, and nobody is told what is not so.

With MEMORYFIELD_CRASH_ALL=1 in the environment, there are more rounds and more updates.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.notes.sample_fields import FAMILY, KINDS, ONE, TWO, field_of, store_of

from memoryfield_notes import StoreKind, convert, open_store

ROOT = Path(__file__).parents[2]
ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
ROUNDS = 300 if ALL else 40
PROCESSES, UPDATES = (8, 200) if ALL else (8, 25)


@pytest.fixture
def path() -> Iterator[Path]:
    """A place in memory, if there is one: these tests are about order, not about disks."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="memoryfield-test-", dir=parent) as folder:
        yield Path(folder, "field.notes")


class Child:
    """A process of `racing_child` that is ready."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        assert self.line() == "ready"

    def say(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()

    def line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def end(self) -> None:
        rest, errors = self._process.communicate(timeout=240)
        assert (self._process.returncode, rest) == (0, ""), errors


@contextmanager
def children(path: Path, *commands: tuple[str, ...]) -> Iterator[list[Child]]:
    """Processes that begin when they are told to."""
    with ExitStack() as stack:
        started = []
        for command in commands:
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "tests.notes.racing_child", str(path), *command],
                    cwd=ROOT, text=True, bufsize=1,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                )
            )  # fmt: skip
            stack.callback(process.kill)
            started.append(process)
        yield [Child(process) for process in started]


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_at_one_revision_one_is_first(path: Path, kind: StoreKind) -> None:
    with store_of(path, kind) as store, children(path, ("at",), ("at",)) as both:
        for child in both:
            child.say("")
        for number in range(ROUNDS):
            rev = store.get(TWO).rev
            for child in both if number % 2 else reversed(both):
                child.say(f"{TWO} {rev}")
            assert sorted(child.line() for child in both) == ["applied", "stale"]
            assert store.get(TWO).rev == rev + 1
        for child in both:
            child.end()


@pytest.mark.parametrize("kind", KINDS)
def test_no_update_is_lost(path: Path, kind: StoreKind) -> None:
    """Eight processes count together, while the field changes and the store is read."""
    with store_of(path, kind) as store:
        with children(path, ("count", ONE, str(UPDATES), str(PROCESSES))) as (child,):
            child.say("")
            seen: list[int] = []
            for number in range(UPDATES):
                now = {**FAMILY, "bud": f"Version {number}", f"new-{number % 2}": "N"}
                with field_of(now) as field:
                    store.rebuild(field)
                seen.append(store.get(ONE).rev)
            assert seen == sorted(seen)
            child.end()
        record = store.get(ONE)
        assert record.note is not None
        assert record.note.text == str(PROCESSES * UPDATES)
        assert record.rev == 1 + PROCESSES * UPDATES
        assert store.get("bud.md").rev == 1 + UPDATES
        assert len(store.export().records) == 6


def test_a_store_is_converted_under_its_users(path: Path) -> None:
    """Threads and a process write on while the store becomes another kind, to and fro."""
    with store_of(path, "json") as store, children(path, ("count", ONE, "15", "2")) as (child,):
        failed: list[BaseException] = []

        def write() -> None:
            try:
                for _ in range(20):
                    while not store.cas(TWO, store.get(TWO).rev, "x").applied:
                        pass
            except BaseException as error:
                failed.append(error)
                raise

        threads = [threading.Thread(target=write) for _ in range(2)]
        for thread in threads:
            thread.start()
        child.say("")
        for number in range(10):
            assert convert(path, KINDS[(number + 1) % 2])
            with open_store(path) as other:
                other.export()
        for thread in threads:
            thread.join()
        child.end()
        assert not failed
        assert store.get(TWO).rev == 41
        assert store.get(ONE).rev == 31
        assert store.kind == "json"


@pytest.mark.parametrize("kind", KINDS)
def test_those_who_make_it_at_once_make_one(path: Path, kind: StoreKind) -> None:
    made: list[str] = []

    def make(number: int) -> None:
        with (
            open_store(path, kind=kind, create=True) as store,
            field_of(FAMILY) as field,
        ):
            store.rebuild(field)
            while not store.cas(ONE, store.get(ONE).rev, str(number)).applied:
                pass
            made.append(store.kind)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [kind] * 4
    with open_store(path) as store:
        assert store.get(ONE).rev == 5
