"""`memoryfield fetch` killed at any moment: the next run completes, and nothing wrong stays."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.command import COMMAND, SECONDS, Outcome, neutral_environment, spawn
from tests.readers.fetching_fields import (
    lock_of,
    noise,
    objects,
    packed,
    pages,
    serve,
    wrong_objects,
)
from tests.readers.servers.faults import silence_after
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Request

from memoryfield_readers.cache import Cache
from memoryfield_readers.transfer.ranged_file import NOTED_BYTES, TAIL_BYTES

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing is killed here")

LARGE = noise(1800)
ARCHIVES = {"large": LARGE, "small": packed(pages("small"))}
LOST_BYTES = NOTED_BYTES + 64 * 1024
ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
PARTS = 8
KILLED_IN = range(PARTS) if ALL else (0, 3, 5, 7)
"""At the beginning of which parts it is killed."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a lock file, and a server that has its fields.

    Attributes:
        server: the server.
        root: where the lock file is, and all that the command writes.
    """

    server: FaultyHttp
    root: Path

    @property
    def settings(self) -> dict[str, str]:
        """The environment."""
        return {
            "MEMORYFIELD_CACHE_DIR": str(self.root / "cache"),
            "MEMORYFIELD_STATE_DIR": str(self.root / "state"),
            "MEMORYFIELD_LOCK": str(self.root / "memoryfields.lock"),
        }

    @property
    def cache(self) -> Cache:
        """The cache."""
        return Cache(self.root / "cache")

    @property
    def out(self) -> Path:
        """The folder that fields are written to."""
        return self.root / "out"

    def fetch(self, *arguments: str) -> Outcome:
        """Run the command to its end."""
        return spawn("fetch", "--retries", "0", *arguments, env=self.settings)

    def sent(self) -> int:
        """How many bytes of archives the server has sent."""
        return sum(each.sent for each in self.server.asked() if each.path.endswith(".zip"))


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    with FaultyHttp() as server:
        serve(server, ARCHIVES, "folder")
        found = Person(server, tmp_path)
        monkeypatch.setenv("MEMORYFIELD_STATE_DIR", found.settings["MEMORYFIELD_STATE_DIR"])
        urls = {name: server.url(f"/{name}.memoryfield.zip") for name in ARCHIVES}
        lock_of(tmp_path / "memoryfields.lock", {**urls, "folder": server.url("/folder/")})
        server.requests.clear()
        yield found


def _killed(person: Person, *arguments: str, when: Callable[[], bool]) -> None:
    """Run the command until something is so, and kill it then."""
    with subprocess.Popen(
        [COMMAND, "fetch", "--retries", "0", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=neutral_environment() | person.settings,
    ) as process:
        try:
            deadline = time.monotonic() + SECONDS
            while not when():
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.005)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGKILL


def _noted(person: Person) -> int:
    """How many bytes the journals say are there."""
    total = 0
    for journal in (person.root / "cache" / "v1" / "partial").glob("*.spans"):
        for line in journal.read_text(encoding="ascii").splitlines()[2:]:
            start, end = map(int, line.split())
            total += end - start
    return total


@pytest.mark.parametrize("part", [0, 1, 3, 5] if ALL else [0, 3])
def test_a_download_that_was_killed_goes_on(person: Person, part: int) -> None:
    """However far it was: only the rest is asked for, and the whole is proved."""
    sent = LOST_BYTES * part
    assert sent < len(LARGE)
    path = "/large.memoryfield.zip"
    person.server.fail(path, silence_after(sent), after=1)
    here = max(0, sent - LOST_BYTES)
    _killed(
        person, "large", when=lambda: len(person.server.asked(path)) > 1 and _noted(person) >= here
    )
    assert not objects(person.root / "cache")
    person.server.mend()
    person.server.requests.clear()
    done = person.fetch("large")
    assert (done.code, done.err) == (0, "")
    assert person.sent() <= len(LARGE) - here + TAIL_BYTES
    assert person.cache.read(hashlib.sha256(LARGE).hexdigest(), len(LARGE)) == LARGE
    assert not wrong_objects(person.cache)
    assert not list((person.root / "cache" / "v1" / "partial").iterdir())


def _path(request: Request) -> str:
    return request.path


def test_pages_that_have_come_are_not_asked_for_again(person: Person) -> None:
    """Of a field that is no archive, each page is kept as it comes."""
    last = "/folder/page-9.md"
    person.server.fail(last, silence_after(1), times=None)
    most = len(pages("folder")) - 1
    _killed(person, "folder", when=lambda: len(objects(person.root / "cache")) == most)
    assert not wrong_objects(person.cache)
    person.server.mend()
    person.server.requests.clear()
    assert person.fetch("folder").code == 0
    assert [p for p in map(_path, person.server.asked()) if p.endswith(".md")] == [last]
    assert not wrong_objects(person.cache)


# --- at each step that leaves something on the disk

_FAULT = textwrap.dedent(
    """
    import os
    import signal
    import sys

    root, at, counted = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    del sys.argv[:4]  # what is left is the command line
    CHANGES = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.truncate",
        "os.utime", "fcntl.flock", "shutil.rmtree", "os.link", "os.listdir", "os.scandir"}
    seen = 0

    def hook(event, arguments):
        global seen
        if event not in CHANGES:
            return
        if event == "open" and not str(arguments[0]).startswith(root):
            named = isinstance(arguments[0], (str, bytes)) and "/" not in os.fsdecode(arguments[0])
            if not named:
                return
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGKILL)

    from memoryfield_cli.start import run
    import memoryfield_cli.commands.fetch
    import memoryfield_cli.locking
    import memoryfield_readers.cache
    import memoryfield_readers.fetching
    import memoryfield_readers.http.http_object
    import memoryfield_readers.sources.http_field
    import filelock
    sys.addaudithook(hook)
    try:
        run()
    finally:
        with open(counted, "w") as file:
            file.write(str(seen))
    """
)

OLD = {"page-1.md": b"old\n", "gone.md": b"old\n"}
NEW: Mapping[str, Mapping[str, bytes] | bytes] = {
    "folder": pages("folder"),
    **{f"{name}.memoryfield.zip": data for name, data in ARCHIVES.items()},
}


def _prepare(person: Person) -> None:
    """An empty cache, and something old at each place that a field is written to."""
    shutil.rmtree(person.root / "cache", ignore_errors=True)
    shutil.rmtree(person.out, ignore_errors=True)
    (person.out / "folder").mkdir(parents=True)
    for name, data in OLD.items():
        (person.out / "folder" / name).write_bytes(data)
    for name in ARCHIVES:
        (person.out / f"{name}.memoryfield.zip").write_bytes(b"old\n")


def _run_with_fault(person: Person, script: Path, at: int) -> Outcome:
    counted = str(script.with_suffix(".count"))
    arguments = ("fetch", "--retries", "0", "--jobs", "1", "--out", str(person.out), "--replace")
    return spawn(
        *arguments,
        env=person.settings,
        before=[sys.executable, str(script), str(person.root), str(at), counted],
    )


def _stands(path: Path) -> Mapping[str, bytes] | bytes:
    if path.is_dir():
        return {each.name: each.read_bytes() for each in path.iterdir()}
    return path.read_bytes()


def _whole_run(person: Person, script: Path) -> int:
    """How many steps there are that change something, from the start to the end."""
    _prepare(person)
    assert _run_with_fault(person, script, 0).code == 0
    return int(script.with_suffix(".count").read_text(encoding="ascii"))


def test_what_is_written_is_old_or_new_wherever_it_is_killed(
    person: Person, tmp_path: Path
) -> None:
    """In the cache and in the folder; and the next run completes it and takes leftovers away."""
    script = tmp_path / "fault.py"
    script.write_text(_FAULT, "utf-8")
    steps = _whole_run(person, script)
    assert steps > 10 * PARTS
    met = set()
    for at in (1 + part * (steps // PARTS) for part in KILLED_IN):
        _prepare(person)
        killed = _run_with_fault(person, script, at)
        assert killed.code == -signal.SIGKILL
        assert not wrong_objects(person.cache)
        for name, new in NEW.items():
            found = _stands(person.out / name)
            old = OLD if name == "folder" else b"old\n"
            assert found in (old, new)
            met.add(found == new)
        done = person.fetch("--out", str(person.out), "--replace")
        assert (done.code, done.err) == (0, "")
        assert {path.name: _stands(path) for path in person.out.iterdir()} == NEW
        assert not wrong_objects(person.cache)
    assert met == {True, False}
