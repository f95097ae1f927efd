"""`memoryfield serve` and `memoryfield mcp` write no file, while they are asked all there is."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.agents.locked import lock_offline
from tests.agents.noted_places import KINDS, leave
from tests.agents.write_watch import ROOT, watched, written
from tests.index.compass_field import foreign

from memoryfield_notes.places import make_folder, place_of
from memoryfield_writer import pack

PATHS = (
    "", "compass/", "compass/east.md", "compass/search?q=sunset", "compass/listing.json",
    "compass/memoryfield.zip", "packed/west.md", "packed/search?q=sunset", "woks/memoryfield.zip",
    "woks/search?q=sunset&k=2", "healthz",
)  # fmt: skip
SECONDS = 120


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A folder with an index, an archive, and a locked field that is in the cache alone."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("MEMORYFIELD_NOTES_DIR", str(tmp_path / "stores"))
    compass = foreign(tmp_path / "compass")
    archive = tmp_path / "packed.memoryfield.zip"
    pack(str(compass), archive)
    lock_offline(foreign(tmp_path / "gone"), "woks", tmp_path, monkeypatch)
    return [str(compass), f"packed={archive}", "@woks"]


@pytest.fixture
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder for what is noted of the server."""
    return tmp_path_factory.mktemp("notes")


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def test_serve_writes_nothing_but_its_log(places: list[str], notes: Path, tmp_path: Path) -> None:
    """Pages, searches, archives, HTML, and a folder that changes meanwhile."""
    log = tmp_path / "access.log"
    command = watched(
        notes, "memoryfield_cli", "serve", "--offline", "--port", "0", "--log", str(log), *places
    )
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        assert process.stderr is not None
        try:
            said = ""
            while (found := re.search(r"http://127\.0\.0\.1:\d+/", said)) is None:
                line = process.stderr.readline().decode()
                assert line, said
                said += line
            for accept in ("*/*", "text/html"):
                for path in PATHS:
                    asked = urllib.request.Request(found[0] + path, headers={"Accept": accept})
                    with urllib.request.urlopen(asked, timeout=SECONDS) as answer:
                        assert answer.status == 200
                        assert answer.read()
                (tmp_path / "compass" / "north.md").write_bytes(b"changed\n")
            process.terminate()
            process.communicate(timeout=SECONDS)
            assert process.returncode == 0
        finally:
            if process.poll() is None:
                process.kill()
    assert [line for line in written(notes) if str(log) not in line] == []
    assert log.read_text("utf-8").count("\n") >= len(PATHS)


def test_mcp_writes_nothing(places: list[str], notes: Path, tmp_path: Path) -> None:
    """Every tool, by the official client; also where stores of notes of either kind are read."""
    stores = [
        place_of(str(tmp_path / "compass")),
        place_of(str(tmp_path / "packed.memoryfield.zip")),
    ]
    make_folder(stores[0])
    for store, place, kind in zip(
        stores, (places[0], places[1].partition("=")[2]), KINDS, strict=True
    ):
        leave(store, Path(place), {"east.md": f"a note in {kind}"}, kind)
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in stores}
    program, *arguments = watched(notes, "memoryfield_cli", "mcp", "--offline", *places)
    server = StdioServerParameters(
        command=program, args=arguments, env=environment(), cwd=str(ROOT)
    )

    async def talk() -> list[Any]:
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            answers = [await session.call_tool("list_fields", {"reload": True})]
            for name in ("compass", "packed", "woks"):
                asked = {"query": "sunset", "field": name}
                answers.append(await session.call_tool("search", asked))
                asked_for = {"names": ["east.md", "west.md"], "field": name}
                answers.append(await session.call_tool("read_pages", asked_for))
            await session.list_resources()
            return answers

    answers = asyncio.run(asyncio.wait_for(talk(), SECONDS))
    for answer in answers:
        told = answer.model_dump(by_alias=True)
        assert not told["isError"], told
    assert "sunset" in str(answers[-1])
    for kind, answer in zip(KINDS, (answers[2], answers[4]), strict=True):
        assert f"a note in {kind}" in str(answer)
    assert written(notes) == []
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in stores} == before
    assert {path for path in stores[0].parent.iterdir() if path.suffix != ".lock"} == {*stores}
