"""Many fields: which ones locations stand for, and how they are checked side by side."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.validator.fields import archive, page, write_files

from memoryfield_readers import LocationError, NotFound, SourceUnavailable
from memoryfield_validator import Checked, Request, Settings, check_all, expand
from memoryfield_validator.many import MANY


@pytest.fixture
def fields(tmp_path: Path) -> Path:
    """A folder of fields and of what is none."""
    root = tmp_path / "fields"
    for name in ("b", "a", "B", ".hidden", "empty"):
        (root / name).mkdir(parents=True)
        if name != "empty":
            write_files(root / name, {"a.md": page()})
    (root / "c.memoryfield.zip").write_bytes(archive({"a.md": page()}))
    (root / "D.ZIP").write_bytes(b"no archive")
    (root / "README.md").write_text("# About\n")
    (root / "a~").mkdir()
    return root


def names(found: tuple[str, ...]) -> list[str]:
    return [Path(each).name for each in found]


def test_each_takes_folders_and_archives(fields: Path) -> None:
    """In the order of their bytes; debris and other files are no fields, an empty folder is one."""
    expected = ["B", "D.ZIP", "a", "b", "c.memoryfield.zip", "empty"]
    found = expand([str(fields)], each=True)
    assert names(found) == expected
    assert all(Path(one).parent == fields for one in found)
    assert expand([f"{fields}/"], each=True) == found


def test_each_needs_a_folder_with_fields(fields: Path, tmp_path: Path) -> None:
    """Nothing checked is not nothing found."""
    with pytest.raises(NotFound, match="does not exist"):
        expand([str(tmp_path / "missing")], each=True)
    with pytest.raises(LocationError, match="no folder of fields"):
        expand([str(fields / "c.memoryfield.zip")], each=True)
    with pytest.raises(NotFound, match="no field in it"):
        expand([str(fields / "a")], each=True)


def test_patterns_are_expanded(fields: Path) -> None:
    """Where the shell does not do it; only to what may be a field."""
    assert names(expand([f"{fields}/*"])) == ["B", "D.ZIP", "a", "b", "c.memoryfield.zip", "empty"]
    assert names(expand([f"{fields}/[ab]"])) == ["a", "b"]
    assert names(expand([f"{fields}/**/?.memoryfield.zip"])) == ["c.memoryfield.zip"]
    assert names(expand([f"{fields.parent}/*"], each=True))[0] == "B"


def test_what_is_no_pattern_is_left_as_it_is(fields: Path) -> None:
    """So that opening it says what is wrong; a file that has such a name is that file."""
    assert expand(["missing", "-", f"{fields}/x*"]) == ("missing", "-", f"{fields}/x*")
    (fields / "[ab]").mkdir()
    assert names(expand([f"{fields}/[ab]"])) == ["[ab]"]


def test_twice_the_same_is_checked_once(fields: Path) -> None:
    """As patterns that overlap would have it."""
    assert names(expand([f"{fields}/a", f"{fields}/?"])) == ["a", "B", "b"]


def facts(outcomes: list[Checked]) -> list[tuple[str, object, object]]:
    """What matters of outcomes, and can be compared."""
    return [(one.location, one.report, str(one.error)) for one in outcomes]


@pytest.mark.parametrize("jobs", [2, 5])
def test_side_by_side_is_the_same_in_the_same_order(jobs: int, fields: Path) -> None:
    """Reports, excerpts and errors cross from one process to another as they are."""
    for number in range(20):
        write_files(fields / f"f{number:02}", {"a.md": page(f"[x](y{number}.md)\n")})
    (fields / "g").mkdir()
    (fields / "g" / "a.md").symlink_to("/etc/hostname")
    locations = [*expand([str(fields)], each=True), str(fields / "missing")]
    request = Request(Settings(ignore=("MF205",)))
    alone = list(check_all(locations, request, jobs=1))
    together = list(check_all(locations, request, jobs=jobs))
    assert facts(together) == facts(alone)
    assert [one.excerpts for one in together] == [one.excerpts for one in alone]
    assert [type(one.error) for one in together] == [type(one.error) for one in alone]
    assert isinstance(together[-1].error, NotFound)
    assert together[-1].error.exit_code == 4


def test_few_fields_start_no_process(fields: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless they are asked for: to start them takes longer than to check some fields."""
    started: list[int] = []

    def side_by_side(work: object, things: object, workers: int) -> tuple[()]:
        started.append(workers)
        return ()

    monkeypatch.setattr("memoryfield_validator.processes.side_by_side", side_by_side)
    locations = [str(fields / "a")] * MANY
    assert len(list(check_all(locations[1:], Request()))) == MANY - 1
    assert len(list(check_all(locations, Request(), jobs=1))) == MANY
    assert len(list(check_all(locations[:1], Request(), jobs=3))) == 1
    assert started == []
    assert list(check_all(locations[:2], Request(), jobs=3)) == []
    assert started == [3]


def test_process_that_is_ended_from_outside_is_an_error(fields: Path, tmp_path: Path) -> None:
    """As a system short of memory does it; the other processes end too."""
    script = tmp_path / "check.py"
    script.write_text(ENDED, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script, fields], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.split() == [SourceUnavailable.__name__], done.stderr
    assert done.returncode == 0


ENDED = """\
import os, signal, sys, threading, time
from multiprocessing import active_children
from memoryfield_readers import SourceUnavailable
from memoryfield_validator import Request, check_all, expand

def end_one():
    while not active_children():
        time.sleep(0.01)
    os.kill(active_children()[0].pid, signal.SIGKILL)

if __name__ == "__main__":
    locations = expand([sys.argv[1]], each=True) * 1000
    threading.Thread(target=end_one, daemon=True).start()
    try:
        for _ in check_all(locations, Request(), jobs=2):
            pass
    except SourceUnavailable as error:
        print(type(error).__name__)
    assert not active_children()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not Windows'")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_processes_end_with_the_one_that_started_them(
    number: signal.Signals, fields: Path, tmp_path: Path
) -> None:
    """However that one ends: nothing of it is left running."""
    script = tmp_path / "check.py"
    script.write_text(RUNNING, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, script, fields], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as parent:
        assert parent.stdout is not None
        children = [int(pid) for pid in parent.stdout.readline().split()]
        parent.send_signal(number)
        parent.wait(timeout=60)
    assert len(children) == 2
    for pid in children:
        assert _ends(pid)


def _ends(pid: int) -> bool:
    """Whether a process ends; one that does not is given up after a minute or more."""
    for _ in range(6000):
        if not _runs(pid):
            return True
        time.sleep(0.01)
    return False


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


RUNNING = """\
import sys
from multiprocessing import active_children
from memoryfield_validator import Request, check_all, expand

if __name__ == "__main__":
    locations = expand([sys.argv[1]], each=True) * 500
    for number, _ in enumerate(check_all(locations, Request(), jobs=2)):
        if number == 0:
            print(*(child.pid for child in active_children()), flush=True)
"""
