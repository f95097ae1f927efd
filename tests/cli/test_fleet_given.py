"""`memoryfield fleet`: what is given to it, where that is nothing, elsewhere, or locked."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from tests.cli.command import GOOD, call, folder
from tests.cli.fleet_here import Here, here

__all__ = ["here"]


@pytest.fixture(autouse=True)
def fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of fields, which is the one we are in."""
    monkeypatch.chdir(tmp_path)
    for name in "abc":
        folder(tmp_path / "fields" / name, {"index.md": GOOD})
    return tmp_path


@pytest.mark.parametrize("name", ["empty.txt", "memoryfields.lock", "-"])
def test_who_lists_no_field_means_none(
    name: str, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is nothing found, and no failure."""
    Path("empty.txt").write_text("# nothing yet\n")
    Path("memoryfields.lock").touch()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n")))
    done = call("fleet", "pin", name)
    assert (done.code, done.out) == (1, "")
    assert "no field is meant" in done.err


def test_paths_for_other_machines_are_absolute(here: Here, fields: Path) -> None:
    """With a scheduler; and they have no version that this machine sees."""
    done = call("fleet", "pin", "fields/*/", "--scheduler", "tcp://h:1")
    rows = list(map(json.loads, done.out.splitlines()))
    assert [row["location"] for row in rows] == [f"{fields}/fields/{name}" for name in "abc"]
    assert all(row["field_version"] == row["field_pin"] for row in rows)


def test_a_pin_that_is_locked_is_looked_for_each_time(here: Here) -> None:
    """A result of an earlier run is no reason to believe it; who has another pin has failed: 3."""
    assert call("lock", "add", "a", "fields/a").code == 0
    for _ in range(2):
        assert call("fleet", "pin", "memoryfields.lock", "--out", "out").code == 0
    assert len(here.done) == 2
    Path("fields/a/index.md").write_bytes(GOOD + b"\nMore.\n")
    done = call("fleet", "pin", "memoryfields.lock", "--out", "out")
    assert done.code == 3
    assert "1 failed" in done.out
