"""An implementation that gives no answer, or that writes: it is errored, and the run goes on."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conformance.answers import Knowing
from tests.conformance.suites import STEEL, cases_of, dated, field

from memoryfield_validator.conformance import SOURCES, Answer, NoAnswer, Skip, Task, run_cases


class Raising(Knowing):
    """An implementation that raises instead of answering."""

    def __init__(self, error: BaseException) -> None:
        """Raise this."""
        super().__init__()
        self._error = error

    def answer(self, task: Task) -> Answer:
        """Nothing."""
        raise self._error


ERRORS = [
    (Skip("no limits"), "skipped", "no limits"),
    (NoAnswer("no limits"), "errored", "no limits"),
    (ValueError("no limits"), "errored", "ValueError: no limits"),
    (RecursionError(), "errored", "RecursionError: "),
    (FileNotFoundError(2, "gone", "a.md"), "errored", "FileNotFoundError: [Errno 2] gone: 'a.md'"),
]


@pytest.mark.parametrize(("error", "result", "reason"), ERRORS, ids=lambda one: type(one).__name__)
def test_no_answer_is_neither_right_nor_wrong(
    error: Exception, result: str, reason: str, tmp_path: Path
) -> None:
    """It is skipped or errored, with the reason, and nothing was compared."""
    outcomes = list(run_cases(cases_of(tmp_path, dated()), Raising(error)))
    assert [outcome.source for outcome in outcomes] == [*SOURCES]
    for outcome in outcomes:
        assert (outcome.result, outcome.reason) == (result, reason)
        assert (outcome.expected, outcome.answered, outcome.differences) == (None, None, ())


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_who_interrupts_a_run_ends_it(error: type[BaseException], tmp_path: Path) -> None:
    """Ctrl-C is no failure of an implementation; the place is gone all the same."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with pytest.raises(error):
        list(run_cases(cases_of(tmp_path, dated()), Raising(error()), scratch=scratch))
    assert list(scratch.iterdir()) == []


class Writing(Knowing):
    """An implementation that knows every answer, and leaves its traces."""

    def __init__(self, write: Callable[[Path], object]) -> None:
        """Do this with the place of each task."""
        super().__init__()
        self._write = write

    def answer(self, task: Task) -> Answer:
        """What is expected, after it has written."""
        answer = super().answer(task)
        self._write(task.path)
        return answer


def append(path: Path) -> None:
    with open(path, "ab") as file:
        file.write(b"x")


def make_folder(field: Path) -> None:
    (field / "a.md").unlink()
    (field / "a.md").mkdir()


HARM: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a new file": ("directory", lambda field: (field / "new").touch()),
    "a new file below": ("directory", lambda field: (field / "x" / "new").touch()),
    "a new folder": ("directory", lambda field: (field / "new").mkdir()),
    "a new link": ("directory", lambda field: (field / "new").symlink_to("a.md")),
    "a file that is gone": ("directory", lambda field: (field / "a.md").unlink()),
    "a file of another name": ("directory", lambda field: (field / "a.md").rename(field / "b.md")),
    "a file in another folder": (
        "directory", lambda field: (field / "a.md").rename(field / "x" / "a.md")),
    "more in a file": ("directory", lambda field: append(field / "a.md")),
    "less in a file": ("directory", lambda field: os.truncate(field / "a.md", 0)),
    "other rights": ("directory", lambda field: (field / "a.md").chmod(0o400)),
    "another time": ("directory", lambda field: os.utime(field / "a.md", (1, 1))),
    "a folder in place of a file": ("directory", make_folder),
    "the field is gone": ("directory", lambda field: shutil.rmtree(field)),
    "a file beside it": ("directory", lambda field: (field.parent / "log").touch()),
    "more in an archive": ("archive", append),
    "an archive that is gone": ("archive", lambda archive: archive.unlink()),
    "a file beside an archive": ("archive-deflated", lambda archive: append(archive.parent / "x")),
}  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
@pytest.mark.parametrize(("source", "write"), HARM.values(), ids=HARM)
def test_who_writes_is_errored(
    source: str, write: Callable[[Path], object], tmp_path: Path
) -> None:
    """A reader reads: whatever it leaves in the field or beside it, its answer does not count."""
    files = [{"name": "a.md", "text": STEEL}, {"name": "x/b.txt", "text": ""}]
    cases = cases_of(tmp_path, field(*files), field(*files, id="mf304-two"))
    for outcome in run_cases(cases, Writing(write), sources=[source]):
        says = "it changed what it was given to read, or left something beside it"
        assert (outcome.result, outcome.reason) == ("errored", says)
        assert (outcome.expected, outcome.answered, outcome.differences) == (None, None, ())


def test_who_reads_is_not(tmp_path: Path) -> None:
    """Reading leaves no trace that counts, nor does it to write elsewhere."""

    def read(path: Path) -> None:
        for file in (path, *path.rglob("*")):
            if file.is_file():
                file.read_bytes()
        (tmp_path / "log").touch()

    outcomes = list(run_cases(cases_of(tmp_path, dated()), Writing(read)))
    assert [outcome.result for outcome in outcomes] == ["pass"] * 3


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do anything")
def test_who_locks_us_out_is_errored(tmp_path: Path) -> None:
    """A place that cannot be looked at afterwards is an error of that case, and of no other."""
    cases = cases_of(tmp_path, field(), field(id="mf304-two"))
    writing = Writing(lambda path: path.chmod(0o444))
    outcomes = list(run_cases(cases, writing, sources=["directory"]))
    assert [outcome.result for outcome in outcomes] == ["errored"] * 2
