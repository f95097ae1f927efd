"""Many processes fetch the same fields at once: each field comes here once, and none fails."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from tests.cli.command import COMMAND, SECONDS, neutral_environment
from tests.readers.fetching_fields import (
    lock_of,
    noise,
    packed,
    pages,
    serve,
    wrong_objects,
)
from tests.readers.servers.faulty_http import FaultyHttp

from memoryfield_readers.cache import Cache
from memoryfield_readers.transfer.ranged_file import TAIL_BYTES

PROCESSES = 20 if os.environ.get("MEMORYFIELD_CRASH_ALL") == "1" else 8
ARCHIVES = {"small": packed(pages("small")), "large": noise(1200)}


def test_each_field_comes_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits finds it in the cache; and each writes the same folder, or lets it be."""
    settings = {
        "MEMORYFIELD_CACHE_DIR": str(tmp_path / "cache"),
        "MEMORYFIELD_STATE_DIR": str(tmp_path / "state"),
        "MEMORYFIELD_LOCK": str(tmp_path / "memoryfields.lock"),
    }
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", settings["MEMORYFIELD_STATE_DIR"])
    out = tmp_path / "out"
    with FaultyHttp() as server:
        serve(server, ARCHIVES, "folder")
        urls = {name: server.url(f"/{name}.memoryfield.zip") for name in ARCHIVES}
        lock_of(tmp_path / "memoryfields.lock", {**urls, "folder": server.url("/folder/")})
        server.requests.clear()
        running = [
            subprocess.Popen(
                [COMMAND, "fetch", "--retries", "0", "--out", out],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=neutral_environment() | settings,
            )
            for _ in range(PROCESSES)
        ]
        ended = [process.communicate(timeout=SECONDS) for process in running]
        assert [process.returncode for process in running] == [0] * PROCESSES
        told = {line for _, stderr in ended for line in stderr.decode().splitlines()}
        assert {line for line in told if "waiting for it" not in line} == set()
        for name, data in ARCHIVES.items():
            sent = sum(each.sent for each in server.asked(f"/{name}.memoryfield.zip"))
            assert len(data) <= sent <= len(data) + TAIL_BYTES
        asked = Counter(each.path for each in server.asked() if each.path.endswith(".md"))
        assert asked == Counter(f"/folder/{name}" for name in pages("folder"))
    assert not wrong_objects(Cache(tmp_path / "cache"))
    assert sorted(path.name for path in out.iterdir()) == [
        "folder",
        "large.memoryfield.zip",
        "small.memoryfield.zip",
    ]
    assert {path.name: path.read_bytes() for path in (out / "folder").iterdir()} == pages("folder")
    for name, data in ARCHIVES.items():
        assert (out / f"{name}.memoryfield.zip").read_bytes() == data
