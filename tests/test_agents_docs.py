"""What docs/agents.md shows is true: its commands run, its tables are those of the programs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.command import COMMAND, call, neutral_environment

from memoryfield_agents.mcp_server.catalogue import SET_NOTE, TOOLS
from memoryfield_cli.main import COMMANDS
from memoryfield_spec import catalogue

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
SERVED = "http://127.0.0.1:8000/"
DOORS = ("snapshot", "mcp", "serve", "check-server")


def blocks(language: str) -> list[str]:
    """The contents of the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def examples() -> Iterator[tuple[str, int, str]]:
    """Each command of a `console` block, the exit code that a comment states, and the output."""
    for block in blocks("console"):
        for each in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = each.partition("\n")
            line, _, code = line.partition("  # exit ")
            yield line, int(code or 0), output.strip()


@contextmanager
def serving(field: Path) -> Iterator[str]:
    """The URL of `memoryfield serve` at a free port."""
    with subprocess.Popen(
        [COMMAND, "serve", "--port", "0", field],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=neutral_environment(),
        encoding="utf-8",
    ) as process:
        try:
            assert process.stderr is not None
            found = re.search(r"http://\S+", process.stderr.readline())
            assert found is not None
            yield found[0]
        finally:
            process.terminate()
            process.communicate()
    assert process.returncode == 0


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a copy of the handbook, in which the commands run."""
    shutil.copytree(ROOT / "docs" / "handbook", tmp_path / "docs" / "handbook")
    return tmp_path


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        words,
        cwd=cwd,
        env=neutral_environment() | {"PATH": path, "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not there")
def test_commands_run(place: Path) -> None:
    """Each ends as stated and prints what is shown; what is served is the handbook as it is."""
    found = list(examples())
    assert len(found) >= 7
    with serving(ROOT / "docs" / "handbook") as url:
        for line, code, output in found:
            done = run("sh", "-c", line.replace(SERVED, url), cwd=place)
            assert (done.returncode, done.stderr.count("\n") > 1) == (code, False), (line, done)
            if output:
                wanted = ".*".join(map(re.escape, output.replace(SERVED, url).split("…")))
                assert re.fullmatch(wanted, done.stdout.strip(), re.DOTALL), (line, done.stdout)


def test_python_runs(place: Path) -> None:
    """As it stands, without a warning."""
    for block in blocks("python"):
        done = run(sys.executable, "-W", "error", "-c", block, cwd=place)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_commands_and_options_exist() -> None:
    """Wherever a command or an option is named, in code."""
    code = "\n".join([*blocks("console"), *blocks("sh"), *re.findall(r"`([^`\n]+)`", TEXT)])
    named = set(re.findall(r"\bmemoryfield ([a-z]+(?:-[a-z]+)*)\b", code))
    assert {*DOORS} <= named <= set(COMMANDS)
    helps = {name: call(name, "--help").out for name in DOORS}
    known = {option for text in helps.values() for option in re.findall(r"--[a-z-]+", text)}
    assert set(re.findall(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*", code)) <= known
    for line in "".join(blocks("sh")).splitlines():
        words = line.partition(" #")[0].split()
        if words[:1] == ["memoryfield"]:
            options = {word for word in words if word.startswith("--")}
            assert options <= set(re.findall(r"--[a-z-]+", helps[words[1]])), line


def test_tools_are_those_of_the_server() -> None:
    """All of them, with all that they take."""
    rows = dict(re.findall(r"^\| `([a-z_]+)\(([^)]*)\)` \| ", TEXT, re.MULTILINE))
    assert {name: {*taken.split(", ")} for name, taken in rows.items()} == {
        tool.name: set(tool.takes["properties"]) for tool in (*TOOLS, SET_NOTE)
    }


def test_paths_of_the_server_are_there(place: Path) -> None:
    """Each path of the table is answered."""
    paths = re.findall(r"^\| `(/[^`]*)` \| ", TEXT, re.MULTILINE)
    assert len(paths) == 6
    import requests

    with serving(place / "docs" / "handbook") as url, requests.Session() as session:
        session.trust_env = False
        for path in paths:
            asked = path.replace("NAME", "unique-ids").replace("q=&k=", "q=pin&k=2")
            answer = session.get(url.rstrip("/") + asked, timeout=20)
            assert answer.status_code == 200, path
            if path == "/memoryfield.zip":
                assert answer.headers["Memoryfield-Pin"].startswith("field-sha256:")
                assert answer.headers["Memoryfield-Archive-Pin"].startswith("sha256:")
            if path == "/listing.json":
                assert "manifest" in json.loads(answer.content)


def test_rules_exist() -> None:
    assert set(re.findall(r"MF\d{3}", TEXT)) <= set(catalogue())


def test_every_snippet_is_named() -> None:
    """And the table names no other."""
    named = re.findall(r"\(\.\./agents/clients/([a-z-]+\.json)\)", TEXT)
    assert sorted(named) == sorted(path.name for path in (ROOT / "agents" / "clients").iterdir())


def test_links_lead_somewhere() -> None:
    """A relative link leads to a file of the repository, and the README leads here."""
    for link in re.findall(r"\]\(([^)\s:#]+)[^)]*\)", TEXT):
        assert (ROOT / "docs" / link).exists(), link
    headings = {
        re.sub(r"[^\w -]", "", line[3:]).lower().replace(" ", "-")
        for line in TEXT.splitlines()
        if line.startswith("## ")
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= headings
    assert "(docs/agents.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
