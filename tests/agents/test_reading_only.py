"""Nothing in the room of agents can reach what writes, and its process writes no file."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest
from tests.agents.locked import lock_offline
from tests.agents.write_watch import ROOT, strace, watched, written
from tests.index.compass_field import PAGES, foreign

from memoryfield_writer import pack

FORBIDDEN = ("memoryfield_writer", "memoryfield_validator")
ROOMS = sorted(path.name for path in ROOT.glob("*/memoryfield_*") if path.is_dir())
BY_TEXT = re.compile(r"\b(?:import_module|__import__|run_module|run_path|exec|eval)\(")


@cache
def graph() -> grimp.ImportGraph:
    """What every module imports, anywhere in it."""
    return grimp.build_graph(*ROOMS, cache_dir=None)


def agents() -> list[str]:
    """The modules of the room."""
    return sorted(name for name in graph().modules if name.startswith("memoryfield_agents"))


def parents(name: str) -> Iterator[str]:
    """The module and the packages it is in, whose code runs when it is imported."""
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        yield ".".join(parts[:count])


def reached(names: list[str]) -> dict[str, str]:
    """All that modules reach by imports of any kind, each with who imports it."""
    found = dict.fromkeys(names, "")
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        for imported in graph().find_modules_directly_imported_by(name):
            for other in parents(imported):
                if other not in found:
                    found[other] = name
                    waiting.append(other)
    return found


def test_no_import_leads_to_the_writer_or_the_validator() -> None:
    """Neither at the top of a module nor in a function, nor by way of another room."""
    found = reached(agents())
    assert "memoryfield_readers.field" in found
    assert "memoryfield_index.searching.standing" in found, "also what is imported in functions"
    wrong = {name: by for name, by in found.items() if name.partition(".")[0] in FORBIDDEN}
    assert not wrong


def test_what_serves_pages_over_http_knows_no_notes() -> None:
    """They are for agents of this machine, and shown to nobody else; nor are they in snapshots."""
    doors = ("memoryfield_agents.serving", "memoryfield_agents.snapshots")
    found = reached([name for name in agents() if name.startswith(doors)])
    assert "memoryfield_agents.serving.app" in found
    assert not {name: by for name, by in found.items() if name.startswith("memoryfield_notes")}
    assert "memoryfield_notes.opening" in reached(["memoryfield_agents.mcp_server.desk"])


def test_the_search_for_imports_finds_what_there_is() -> None:
    """The writer itself is found from the command line, where a function imports it."""
    assert "memoryfield_writer.packing" in reached(["memoryfield_cli.commands.pack"])


def test_nothing_is_imported_by_a_name_that_is_put_together() -> None:
    """Who imports by a text could import anything; plugins of embedders are entry points."""
    wrong = []
    for name in reached(agents()):
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        if found := BY_TEXT.search(Path(spec.origin).read_text("utf-8")):
            wrong.append(f"{name}: {found[0]}")
    assert not wrong


def test_importing_all_of_the_room_imports_neither() -> None:
    """In a process of its own, every module is imported."""
    code = (
        "import importlib, json, sys\n"
        "for name in json.loads(sys.argv[1]):\n"
        "    importlib.import_module(name)\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, json.dumps(agents())],
        stdout=subprocess.PIPE,
        check=True,
        timeout=120,
    )
    modules = json.loads(done.stdout)
    assert {*agents()} <= {*modules}
    assert not [name for name in modules if name.partition(".")[0] in FORBIDDEN]


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A folder with an index, an archive, and a locked field that is in the cache alone."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    compass = foreign(tmp_path / "compass")
    archive = tmp_path / "packed.memoryfield.zip"
    pack(str(compass), archive)
    gone = foreign(tmp_path / "gone")
    lock_offline(gone, "woks", tmp_path, monkeypatch)
    return [str(compass), str(archive), "@woks"]


def tree(root: Path) -> dict[str, tuple[str, int]]:
    """All files below a folder, with what they hold and when they were changed."""
    return {
        str(path.relative_to(root)): (
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
            # A file of the cache is marked as used, so that those go first that are not.
            0 if "cache" in path.relative_to(root).parts else path.stat().st_mtime_ns,
        )
        for path in root.rglob("*")
    }


def test_holding_searching_and_reloading_write_nothing(places: list[str], tmp_path: Path) -> None:
    """By the interpreter, by the kernel where it can be asked, and by what is there afterwards."""
    before = tree(tmp_path)
    notes = tmp_path.parent / f"{tmp_path.name}-notes"
    notes.mkdir()
    done = subprocess.run(
        watched(notes, "tests.agents.reading_child", *places),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=True,
        timeout=120,
    )
    assert written(notes) == []
    assert tree(tmp_path) == before
    found = json.loads(done.stdout)
    assert list(found) == ["compass", "packed", "woks"]
    for name, each in found.items():
        assert each["pin"] == found["compass"]["pin"]
        assert each["pinned"] is (name == "woks")
        assert each["archive"] == found["compass"]["archive"]
        assert each["bytes"] == os.path.getsize(places[1])
        assert each["reloaded"] is False
        assert each["again"][0] == "west.md"
        assert each["answers"]["lexical"][:2] == ["lexical", "west.md"]
    assert found["compass"]["answers"]["semantic"][:2] == ["semantic", "east.md"]
    assert found["compass"]["answers"]["hybrid"][0] == "hybrid"
    assert hashlib.sha256(Path(places[1]).read_bytes()).hexdigest() == found["packed"]["archive"]
    assert len(PAGES) > len(found["compass"]["answers"]["semantic"]) - 1


def test_the_watch_sees_what_is_written(tmp_path: Path) -> None:
    """A process that writes is told of by the interpreter, and by the kernel."""
    folder = tmp_path / "notes"
    folder.mkdir()
    source, archive = foreign(tmp_path / "compass"), tmp_path / "a.memoryfield.zip"
    subprocess.run(
        watched(folder, "memoryfield_cli", "pack", str(source), "-o", str(archive)),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=True,
        timeout=120,
    )
    found = [line for line in written(folder) if "a.memoryfield.zip" in line]
    assert any("O_CREAT" not in line for line in found)
    assert strace() is None or any("O_CREAT" in line for line in found)
