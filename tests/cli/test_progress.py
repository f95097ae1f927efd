"""A long validation shows that it goes on, to people alone and never in the answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import COMMAND, Outcome, call, neutral_environment, spawn
from tests.cli.terminal import TERMINAL, on_a_terminal, written

from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")

BAR = b"Checking"
SHOW_CURSOR = b"\x1b[?25h"
"""The last thing the bar does, but for clearing its line."""


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A field with enough to do."""
    path = tmp_path_factory.mktemp("long") / "long.memoryfield.zip"
    path.write_bytes(zip_bytes(*(ZipEntry(f"page-{n}.md", b"x\n") for n in range(1000))))
    return path


@pytest.fixture(scope="module")
def unwatched(long: Path) -> Outcome:
    """What the command says of it where no terminal is."""
    return spawn("validate", long)


@pytest.mark.parametrize("form", ["text", "json"])
def test_bar_stands_on_stderr_alone(
    form: str, long: Path, unwatched: Outcome, tmp_path: Path
) -> None:
    """With the answer in a file and people at the terminal, both get what is theirs."""
    arguments = ["validate", "--format", form, str(long)]
    keyboard, screen = os.openpty()
    with (
        (tmp_path / "answer").open("wb") as file,
        subprocess.Popen(
            [COMMAND, *arguments], stdout=file, stderr=screen, env=neutral_environment() | TERMINAL
        ),
    ):
        os.close(screen)
        seen = written(keyboard)
    answer = (tmp_path / "answer").read_bytes()
    assert BAR in seen
    assert b"MF" not in seen
    if form == "text":
        assert answer == unwatched.stdout
    else:
        assert answer == call(*arguments).stdout
        assert json.loads(answer)["pages"] == 1000


def test_report_begins_when_the_bar_is_gone(long: Path) -> None:
    """On one terminal, the bar does not draw over the report."""
    bar, _, report = on_a_terminal("validate", long).partition(SHOW_CURSOR)
    assert BAR in bar
    assert b"MF" not in bar
    assert report.count(b"MF204") == 1000


@pytest.mark.parametrize("what", ["files", "pages"])
def test_bar_of_a_comparison(what: str, long: Path, places: Path) -> None:
    """Hashing is shown and comparing is, each with its own bar, and both before the answer."""
    other = long if what == "files" else places / "good"
    seen, _, answer = on_a_terminal("diff", "--stat", long, other).rpartition(SHOW_CURSOR)
    bars = seen.count(SHOW_CURSOR) + 1
    assert b"Comparing" in seen
    assert b"Comparing" not in answer
    assert bars == 2  # of two long fields both are hashed; of one, it is hashed and compared
    assert (b"the same" in answer) == (what == "files")


def test_no_bar_of_a_short_comparison(places: Path) -> None:
    """Two fields that are small are compared at once."""
    assert b"Comparing" not in on_a_terminal("diff", places / "good", places / "good")


def test_no_bar_without_a_terminal(unwatched: Outcome) -> None:
    """A log gets no bar."""
    assert unwatched.stderr == b""


def test_no_bar_for_a_short_job(places: Path) -> None:
    """What takes a moment needs no bar."""
    assert BAR not in on_a_terminal("validate", places / "good")
