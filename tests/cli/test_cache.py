"""`memoryfield cache` shows, proves and clears what was fetched."""

from __future__ import annotations

import os
import pty
import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import COMMAND, SECONDS, call, neutral_environment, spawn

from memoryfield_readers.cache import Cache, process

MIB = 1024 * 1024
NONE_MADE = {"indexes_and_vectors": {"files": 0, "bytes": 0, "left": 0}}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """A cache with three objects of 1, 2 and 3 MiB that other processes have put, in this order."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "caf\u00e9 \u202e"))
    monkeypatch.delenv("MEMORYFIELD_CACHE_SIZE", raising=False)
    cache = Cache.default()
    for size in (1, 2, 3):
        sha256 = cache.put([bytes([size]) * (size * MIB)])
        assert sha256 is not None
        path = place(cache, sha256)
        os.utime(path, (1_700_000_000 + size,) * 2)
    monkeypatch.setattr(process, "_known", {})
    return cache


def place(cache: Cache, sha256: str) -> Path:
    return cache.path / "v1" / "objects" / sha256[:2] / sha256[2:]


def objects(cache: Cache) -> list[Path]:
    """The objects, the smallest first."""
    found = (path for path in cache.path.glob("v1/objects/*/*") if path.is_file())
    return sorted(found, key=lambda path: path.stat().st_size)


def answer(*arguments: str, code: int = 0) -> dict[str, Any]:
    """What a command answers as JSON."""
    done = call("cache", *arguments, "--format", "json")
    assert done.code == code, done.err
    assert done.stdout.isascii()
    told: dict[str, Any] = done.json
    assert told.pop("version") == 1
    assert told.pop("path").endswith("caf\u00e9 \u202e")
    return told


def test_info(cache: Cache) -> None:
    """Sizes are for people as text, and in bytes as JSON."""
    partial = cache.partial("ab" * 32)
    assert partial is not None
    partial.write_bytes(b"begun")
    (cache.path / "v1" / "objects" / "mine").touch()
    done = call("cache", "info")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"directory   {cache.path.parent}/caf\u00e9 \\u{{202e}}",
        "objects     3 (6.0 MiB)",
        "unfinished  1 (5 bytes)",
        "limit       2.0 GiB",
        "others      1 (not made by the cache, which leaves them alone)",
    ]
    assert answer("info") == {
        "objects": 3,
        "bytes": 6 * MIB,
        "unfinished": 1,
        "unfinished_bytes": 5,
        "reviewed": 0,
        "reviewed_bytes": 0,
        "indexes": 0,
        "index_bytes": 0,
        "vectors": 0,
        "vector_bytes": 0,
        "others": 1,
        "limit": 2 * 1024**3,
        "reviewed_limit": 256 * MIB,
        "index_limit": 2 * 1024**3,
    }


def test_directory_alone(cache: Cache) -> None:
    """`dir` prints the very bytes of the path, for other programs."""
    for run in (call, spawn):
        done = run("cache", "dir")
        assert (done.code, done.err) == (0, "")
        assert done.stdout == os.fsencode(cache.path) + b"\n"
    assert answer("dir") == {}


def test_all_is_well(cache: Cache) -> None:
    """Where every object is what its name says, that is all that is told."""
    done = call("cache", "verify")
    assert (done.code, done.out, done.err) == (0, "3 objects, none damaged\n", "")
    assert answer("verify") == {"objects": 3, "indexes_and_vectors": 0, "damaged": []}


def test_damage_is_named(cache: Cache) -> None:
    """A file that is not what its name says is exit 3, is named, and stays."""
    damaged, cut, _ = objects(cache)
    for path, size in ((damaged, MIB), (cut, 0)):
        path.chmod(0o600)
        os.truncate(path, size)
    with open(damaged, "r+b") as file:
        file.write(b"?")
    done = call("cache", "verify")
    assert done.code == 3
    assert f"{damaged.parent.name}/{damaged.name}: the file in the cache has other by" in done.out
    assert f"{cut.parent.name}/{cut.name}: the file in the cache is empty" in done.out
    assert done.out.endswith("\n3 objects, 2 damaged\n")
    assert done.err.count("\n") == 1
    told = answer("verify", code=3)
    assert {one["path"]: one["removed"] for one in told["damaged"]} == {
        str(damaged): False,
        str(cut): False,
    }
    for one in told["damaged"]:
        assert one["expected"] == f"sha256:{''.join(Path(one['path']).parts[-2:])}"
        assert one["actual"].startswith("sha256:")
        assert one["actual"] != one["expected"]
    assert len(objects(cache)) == 3


def test_damage_is_removed(cache: Cache) -> None:
    """With --remove it is gone, which is exit 3 once more, and then all is well."""
    whole, damaged, strange = objects(cache)
    damaged.chmod(0o600)
    damaged.write_bytes(b"")
    strange.unlink()
    strange.mkdir()
    (strange / "mine").write_bytes(b"mine")
    done = call("cache", "verify", "--remove")
    assert done.code == 3
    assert f"{damaged.name}: the file in the cache is empty, and was removed\n" in done.out
    assert f"{strange.name}: the file in the cache is a folder, and no file\n" in done.out
    assert f"{strange.name} cannot be removed: it is a folder that holds something" in done.err
    (strange / "mine").unlink()
    assert call("cache", "verify", "--remove").code == 3
    assert call("cache", "verify", "--remove").code == 0
    assert objects(cache) == [whole]


def test_prune(cache: Cache) -> None:
    """What was not used for longest goes, until it fits."""
    done = call("cache", "prune")
    assert (done.code, done.out) == (0, "removed 0 objects (0 bytes), 6.0 MiB left\n")
    done = call("cache", "prune", "--max-size", "5.5MiB")
    assert (done.code, done.out) == (0, "removed 1 object (1.0 MiB), 5.0 MiB left\n")
    counts = {"objects": 1, "unfinished": 0, "bytes": 2 * MIB, "left": 3 * MIB, **NONE_MADE}
    assert answer("prune", "--max-size", str(3 * MIB)) == counts
    (left,) = objects(cache)
    assert left.stat().st_size == 3 * MIB


def test_limit_of_the_environment(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a size, it is the one that the cache may have."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_SIZE", "3MiB")
    assert answer("prune")["left"] == 3 * MIB
    monkeypatch.setenv("MEMORYFIELD_CACHE_SIZE", "much")
    done = call("cache", "info")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("memoryfield: MEMORYFIELD_CACHE_SIZE must be a size")


@pytest.mark.parametrize("size", ["", "0", "-1", "a lot", "1 GB 2"])
def test_size_that_is_none(size: str, cache: Cache) -> None:
    """What is no size is wrong usage, and removes nothing."""
    done = call("cache", "prune", f"--max-size={size}")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("memoryfield: --max-size must be a size of a byte or more, not ")
    assert len(objects(cache)) == 3


def test_clear_unasked(cache: Cache) -> None:
    """With --yes it is cleared; what the cache did not make stays."""
    (cache.path / "mine").write_bytes(b"mine")
    partial = cache.partial("ab" * 32)
    assert partial is not None
    partial.write_bytes(b"begun")
    done = call("cache", "clear", "--yes")
    assert (done.code, done.err) == (0, "")
    assert done.out == "removed 3 objects and 1 unfinished file (6.0 MiB), 0 bytes left\n"
    assert objects(cache) == []
    assert (cache.path / "mine").read_bytes() == b"mine"
    counts = {"objects": 0, "unfinished": 0, "bytes": 0, "left": 0, **NONE_MADE}
    assert answer("clear", "--yes") == counts


def test_clear_where_nobody_answers(cache: Cache) -> None:
    """Without a terminal nothing is taken for a yes."""
    done = spawn("cache", "clear")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("memoryfield: there is no terminal to ask on: add --yes")
    assert len(objects(cache)) == 3


@pytest.mark.parametrize(
    ("typed", "code", "left"),
    [("YES\n", 0, 0), ("\n", 1, 3), ("yesterday\n", 1, 3), ("\x04", 1, 3)],
)
def test_clear_asks(typed: str, code: int, left: int, cache: Cache) -> None:
    """At a terminal it says what would go, and takes nothing but a yes for one."""
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    try:
        done = subprocess.run(
            [COMMAND, "cache", "clear", "--format", "json"],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            env=neutral_environment(),
            timeout=SECONDS,
            check=False,
        )
        asked = os.read(ours, 10_000).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == code
    assert "Remove 3 objects (6.0 MiB) from " in asked
    assert "\u202e" not in asked
    assert bool(done.stdout) is (code == 0)
    assert len(objects(cache)) == left


@pytest.mark.parametrize("command", ["info", "verify", "prune", "dir"])
def test_absent_cache(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no cache yet, it is empty, and none is made."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "none"))
    done = call("cache", command)
    assert (done.code, done.err) == (0, "")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("command", ["info", "verify", "prune", "clear --yes"])
def test_cache_that_is_a_file(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be looked after is exit 4."""
    (tmp_path / "file").write_bytes(b"mine")
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "file"))
    done = call("cache", *command.split())
    assert (done.code, done.out) == (4, "")
    assert done.err == f"memoryfield: {tmp_path / 'file'}: cannot be read: not a directory\n"


def test_what_cannot_be_removed(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told, is exit 4, and keeps nothing else from going."""
    smallest = objects(cache)[0]
    unlink = os.unlink

    def refused(path: str, *, dir_fd: int | None = None) -> None:
        if path == smallest.name:
            raise PermissionError(13, "Permission denied")
        unlink(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", refused)
    done = call("cache", "clear", "--yes")
    assert (done.code, done.out) == (4, "removed 2 objects (5.0 MiB), 1.0 MiB left\n")
    assert "not all could be removed: " in done.err
    assert "permission denied" in done.err
    assert objects(cache) == [smallest]
    assert stat.S_IMODE(smallest.stat().st_mode) == 0o444


def test_no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a home there is no cache; that is told, and how to have one."""
    for name in ("MEMORYFIELD_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "none"))
    done = call("cache", "info")
    assert done.code == 0
    assert done.err.startswith("memoryfield: the cache cannot be used: the home folder ")
    assert "MEMORYFIELD_CACHE_DIR can name a folder" in done.err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("command", ["info", "verify", "prune", "clear", "dir"])
def test_help_has_examples(command: str) -> None:
    """Each command says what it does, and shows how."""
    done = call("cache", command, "--help")
    assert done.code == 0
    assert re.search(rf"Examples:\n +memoryfield cache {command}\n", done.out)
