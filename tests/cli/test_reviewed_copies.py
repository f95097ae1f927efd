"""Copies of what was locked: shown, proved and cleared with the cache, and bounded by its size."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import call, folder
from tests.cli.lock_command import begin, lock

from memoryfield_readers.cache import Cache, process
from memoryfield_readers.locked import reviewed_copies

KIB = 1024


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which the command runs, with three fields of 3 KiB."""
    root = begin(tmp_path, monkeypatch)
    monkeypatch.delenv("MEMORYFIELD_CACHE_SIZE", raising=False)
    for name in "abc":
        folder(root / f"of-{name}", {"x.md": name.encode() * (3 * KIB)})
    return root


def add(*names: str) -> str:
    """Lock fields; what was complained of."""
    told = ""
    for name in names:
        done = lock("add", name, f"of-{name}")
        assert done.code == 0
        told += done.err
    return told


def kept() -> int:
    size: int = call("cache", "info", "--format", "json").json["reviewed_bytes"]
    return size


def test_they_are_shown() -> None:
    assert "reviewed" not in call("cache", "info").out
    add("a")
    assert "\nreviewed    1 (3.0 KiB of 256.0 MiB for what was locked)\n" in (
        call("cache", "info").out
    )
    told = call("cache", "info", "--format", "json").json
    assert (told["reviewed"], told["reviewed_bytes"], told["objects"]) == (1, 3 * KIB, 0)
    assert told["reviewed_limit"] == 256 * KIB * KIB


def test_they_are_proved() -> None:
    add("a", "b")
    files = (path for path in reviewed_copies().path.rglob("*") if path.is_file())
    damaged = next(path for path in files if path.stat().st_size > KIB)
    damaged.chmod(0o600)
    damaged.write_bytes(b"other")
    done = call("cache", "verify", "--remove")
    assert done.code == 3
    assert f"{damaged}: " in done.out
    assert done.out.endswith("2 objects, 1 damaged\n")
    assert not damaged.exists()
    assert call("cache", "verify").out == "1 object, none damaged\n"


def test_the_size_of_the_cache_bounds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """An eighth of it: what was kept longest ago goes, also within one process."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_SIZE", str(8 * 4 * KIB))
    assert add("a", "b", "c") == ""
    assert kept() == 3 * KIB
    monkeypatch.setattr(process, "_known", {})
    assert call("cache", "prune", "--max-size", str(8 * KIB)).out.startswith("removed 1 object ")
    assert kept() == 0


def test_pruning_counts_them_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the cache itself may hold then is what they leave."""
    add("a")
    assert Cache.default().put([bytes(30 * KIB)]) is not None
    monkeypatch.setattr(process, "_known", {})
    limit = ["--max-size", str(32 * KIB), "--format", "json"]
    assert call("cache", "prune", *limit).json["left"] == 3 * KIB


def test_one_that_is_too_large(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One note says which fields have none, and why; they are locked all the same."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_SIZE", str(8 * 2 * KIB))
    note = "no copy is kept, and the next `lock update` can show fewer lines: it has 3.0 KiB"
    assert add("a").count(note) == 1
    assert add("b").count(note) == 1
    for name in "ab":
        (here / f"of-{name}" / "x.md").write_bytes(bytes(3 * KIB))
    done = lock("update", "--yes")
    assert done.code == 0
    assert done.err.count(f"memoryfield: a, b: {note}") == 1
    assert kept() == 0


def test_none_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "file"))
    told = add("a")
    assert told.count("memoryfield: a: no copy is kept") == 1
    assert "cache cannot be written: " in told


def test_they_are_cleared() -> None:
    add("a", "b")
    done = call("cache", "clear", "--yes")
    assert done.out.startswith("removed 2 objects (6.0 KiB)")
    assert kept() == 0
