"""Writers that are killed at each step: the store is the old one or the new one, and opens.

What Python writes is stepped through as in `tests.writer.stepping`. What SQLite writes by itself is
seen by `strace`, and each beginning of it is put on a disk as a killed process would leave it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.notes.crash_child import NAME, exported, prepare

from memoryfield_notes import Document, StoreError, open_store

ROOT = Path(__file__).parents[2]
ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
CASES = [
    "json/cas", "json/sqlite", "json/make", "sqlite/json", "sqlite/backup",
]  # fmt: skip
MORE = ["json/rebuild", "sqlite/restore", "json/restore", "json/backup", "sqlite/make"]

_CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_TRACED = "openat,close,pwrite64,unlink,ftruncate,newfstatat,lstat"


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in memory, if there is one: a kill, unlike a power cut, loses nothing there."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="memoryfield-test-", dir=parent) as folder:
        yield Path(folder)


def run(*arguments: str, before: tuple[str, ...] = ()) -> str:
    command = [*before, sys.executable, "-m", "tests.notes.crash_child", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_killed_at_every_step(place: Path) -> None:
    """All or nothing, nothing left after the next write, and the next write works."""
    cases = [*CASES, *(MORE if ALL else [])]
    told = run("crash", str(place), *cases)
    print(told)
    kills = {case: int(steps) for case, steps in map(str.split, told.splitlines())}
    assert list(kills) == cases
    assert min(kills.values()) >= 7


class Traced:
    """The files of a folder after each call of a process that writes, as `strace` told them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[int, str] = {}
        self.files = {each.name: bytearray(each.read_bytes()) for each in folder.iterdir()}

    def steps(self, trace: str) -> Iterator[str]:
        """The calls, each told when its outcome stands in `files`; what is written, in halves."""
        within = False
        for found in filter(None, map(_CALL.match, trace.splitlines())):
            call, rest, result = found.groups()
            texts = [bytes.fromhex(each.replace("\\x", "")) for each in _TEXT.findall(rest)]
            if texts and b"once-begin" in texts[0]:
                within = True
            elif texts and b"once-end" in texts[0]:
                return
            if int(result) < 0:
                continue
            for _ in self._done(call, rest, int(result), texts):
                if within:
                    yield call

    def _done(self, call: str, rest: str, result: int, texts: list[bytes]) -> Iterator[None]:
        first = rest.partition(",")[0]
        if call == "openat":
            path = Path(os.fsdecode(texts[0]))
            if path.parent == self._folder:
                self._open[result] = path.name
                if path.name not in self.files:
                    self.files[path.name] = bytearray()
                    yield
        elif call == "close":
            self._open.pop(int(rest), None)
        elif call == "unlink":
            if self.files.pop(Path(os.fsdecode(texts[0])).name, None) is not None:
                yield
        elif (name := self._open.get(int(first) if first.isdigit() else -1)) is None:
            return
        elif call == "ftruncate":
            del self.files[name][int(rest.split(",")[1]) :]
            yield
        elif call == "pwrite64":
            offset, data = int(rest.rsplit(",", 1)[1]), texts[0]
            for end in (len(data) // 2, len(data)):
                content = self.files[name]
                content.extend(bytes(max(0, offset - len(content))))
                content[offset : offset + end] = data[:end]
                yield


@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace here")
@pytest.mark.parametrize("act", ["cas", "rebuild"])
def test_sqlite_killed_at_every_write(act: str, place: Path) -> None:
    """A reader sees old or new, or is told; a writer undoes what was half done."""
    folder, trace = place / "traced", place / "trace"
    strace = ("strace", "-f", "-qq", "-xx", "-s", "1000000", "-e", f"trace={_TRACED}")
    if subprocess.run([*strace, "-o", str(trace), "true"], capture_output=True).returncode:
        pytest.skip("strace may not be used here")
    prepare(folder / NAME, "sqlite")
    before = exported(folder / NAME)
    traced = Traced(folder)
    run("once", str(folder / NAME), act, before=(*strace, "-o", str(trace)))
    after = exported(folder / NAME)
    assert after != before
    told: set[str] = set()
    steps = 0
    for steps, call in enumerate(traced.steps(trace.read_text()), 1):
        told.add(_outcome(place / f"at-{steps}", traced.files, (before, after)))
        assert call in _TRACED
    assert exported_of(place / "end", traced.files) == after
    print(act, steps)
    assert steps > 20
    assert told == {"old", "new", "told"}


def exported_of(place: Path, files: dict[str, bytearray]) -> Document:
    place.mkdir()
    for name, data in files.items():
        (place / name).write_bytes(data)
    return exported(place / NAME)


def _outcome(place: Path, files: dict[str, bytearray], known: tuple[Document, Document]) -> str:
    found = None
    try:
        found = exported_of(place, files)
    except StoreError as error:
        told = error.message
    if found is None:
        assert "in the middle" in told
        assert {each.name: bytearray(each.read_bytes()) for each in place.iterdir()} == files
    assert found is None or found in known
    with open_store(place / NAME) as store:
        assert store.cas("bud.md", 1, "next").applied
        assert store.cas("bud.md", 2, "").applied
        records = {each.id: each for each in store.export().records}
    bud = records.pop("bud.md")
    assert (bud.rev, bud.note) == (3, None)
    rest = [{each.id: each for each in one.records if each.id != "bud.md"} for one in known]
    assert records == (rest[known.index(found)] if found else rest[0])
    assert {each.name for each in place.iterdir()} == {NAME, f".{NAME}.lock"}
    return "told" if found is None else ("old" if found == known[0] else "new")
