"""Help is there for every command, with examples that are true."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest
from tests.cli.command import GOOD, KNOWN, archive, call, folder, neutral_environment, spawn
from tests.cli.fleet_here import work_here
from tests.index.fields import build
from tests.validator.served_field import served_field

import memoryfield_readers
from memoryfield_agents.serving import running
from memoryfield_cli.main import COMMANDS, memoryfield
from memoryfield_spec import __version__
from memoryfield_validator import conformance, server_check


def command_of(name: str) -> click.Command:
    found = memoryfield.get_command(click.Context(memoryfield), name)
    assert found is not None
    return found


def test_version() -> None:
    """`--version` is one line."""
    done = spawn("--version")
    assert (done.code, done.out, done.err) == (0, f"memoryfield {__version__}\n", "")


def test_python_dash_m_is_the_command() -> None:
    """`python -m memoryfield_cli` is the same, and calls itself by the same name."""
    for arguments in (["--version"], ["ls", "--help"]):
        done = subprocess.run(
            [sys.executable, "-m", "memoryfield_cli", *arguments],
            env=neutral_environment(),
            capture_output=True,
            check=True,
        )
        assert done.stdout == spawn(*arguments).stdout


def test_short_and_long_help() -> None:
    """`-h` and `--help` are the same, for the whole and for each command."""
    for name in ([], *([name] for name in COMMANDS)):
        short, long = call(*name, "-h"), call(*name, "--help")
        assert (short.code, short.err) == (0, "")
        assert short.out == long.out
        assert long.out.isascii()


def test_help_lists_every_command() -> None:
    """Each command stands there with its line, which is the first line of its own help."""
    listed = call("--help").out
    for name, line in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(line)}$", listed, re.MULTILINE)


def test_help_names_what_is_read_from_the_environment() -> None:
    """Each variable that it names is one that our code names, or that AWS tools read."""
    told = call("--help").out.partition("Environment")[2]
    variables = set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b|\bNETRC\b", told))
    code = (path.read_text() for path in Path(memoryfield_readers.__file__).parent.rglob("*.py"))
    ours = set(re.findall(r"(?<=\")[A-Z]+(?:_[A-Z]+)*(?=\")", "".join(code)))
    theirs = {"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_ENDPOINT_URL", "HTTPS_PROXY", "NO_PROXY"}
    assert variables - ours == theirs
    assert {"NETRC", "GITHUB_TOKEN", "GH_TOKEN", "GITHUB_API_URL"} < variables
    assert "api_url=" in told


def test_no_command_shows_the_help_as_wrong_usage() -> None:
    """The help stands on stderr then: it is not what was asked for."""
    done = spawn()
    assert (done.code, done.stdout) == (2, b"")
    assert done.err == call("--help").out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_what_and_how(name: str) -> None:
    """Each help has a sentence, explains every option, and shows examples."""
    text = call(name, "--help").out
    assert text.startswith(f"Usage: memoryfield {name} ")
    assert "Examples:\n" in text
    assert f"  memoryfield {name} " in text or f"  memoryfield {name}\n" in text
    for parameter in command_of(name).params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            assert parameter.help.endswith(".")


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Every example of a help runs as it stands, on fields of those names."""
    pages = {"index.md": GOOD, **KNOWN}
    folder(tmp_path / "my-field", {"index.md": GOOD})
    archive(tmp_path / "notes.memoryfield.zip", pages)
    archive(tmp_path / "other.memoryfield.zip", {"index.md": GOOD})
    for field in ("a", "b"):
        folder(tmp_path / "fields" / field, {"index.md": GOOD})
    monkeypatch.chdir(tmp_path)
    for place in ("CACHE", "STATE"):
        monkeypatch.setenv(f"MEMORYFIELD_{place}_DIR", str(tmp_path / place))
    if name in ("diff", "verify"):
        assert call("lock", "add", "notes", "notes.memoryfield.zip").code == 0
    if name in WRITING:
        make_what_is_written(tmp_path)
        monkeypatch.setenv("EDITOR", "true")
    if name in ("serve", "mcp"):
        make_what_is_served(tmp_path, monkeypatch)
    if name == "fleet":
        work_here(monkeypatch)
    if name == "check-server":
        request.getfixturevalue("checked_server")
    load = cache(conformance.load_suite)  # the whole suite, once
    monkeypatch.setattr(conformance, "load_suite", lambda root, beginnings=(): load(root))
    examples = re.findall(r"^ +memoryfield (.*)$", call(name, "--help").out, re.MULTILINE)
    assert len(examples) >= 2
    for example in examples:
        if example == "conformance lint":  # `make check` runs just that
            continue
        if example == "conformance run":  # the whole suite is what `make conformance` is for
            example += " digests"
        line, _, file = re.split(r" [|>] ", example)[0].partition(" < ")
        typed = Path(file).read_bytes() if file else None
        done = call(*shlex.split(as_a_shell_reads(line)), stdin=typed)
        warned = example.startswith("validate --fail-on warning")
        assert done.code == warned, (example, done.err)


@pytest.fixture
def checked_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server that is good, in the place of the one that the examples name."""
    check = server_check.server_checked
    with served_field() as server:
        monkeypatch.setattr(
            server_check, "server_checked", lambda url, **others: check(server.root, **others)
        )
        yield


WRITING = ("apply", "edit", "mv", "new", "repack", "rm", "write")


def make_what_is_written(place: Path) -> None:
    """Beside the fields, what the examples of the commands that write take or change."""
    folder(place / "my-field", {"old.md": b"# Old\n"})
    archive(place / "notes.memoryfield.zip", {"index.md": GOOD, **KNOWN, "plan.pdf": b"%PDF"})
    archive(place / "wrapped.zip", {"my-field/index.md": GOOD})
    (place / "steel.md").write_bytes(b"# Steel woks\n")
    operation = {"op": "replace", "name": "index.md", "text": GOOD.decode() + "More.\n"}
    (place / "batch.json").write_text(json.dumps({"version": 1, "operations": [operation]}))


def make_what_is_served(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A password and a user; and servers that listen at a port that is free, and end at once."""
    (place / "password.txt").write_bytes(b"sesame\n")
    (place / "users.txt").write_bytes(call("serve", "--hash-password", "eve", stdin=b"x\n").stdout)
    listen = running.listening
    monkeypatch.setattr(running, "listening", lambda host, port: listen(host, 0))
    monkeypatch.setattr(running, "run", lambda *_, ready: ready(lambda: None))


def as_a_shell_reads(line: str) -> str:
    """The line with what `$(memoryfield ...)` prints in its place."""
    return re.sub(r"\$\(memoryfield (.*?)\)", lambda m: call(*m[1].split()).out.strip(), line)


def test_examples_of_the_whole_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So do the examples of `memoryfield --help`."""
    folder(tmp_path / "my-field", {"index.md": GOOD})
    archive(tmp_path / "notes.memoryfield.zip", {"index.md": GOOD})
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^ +memoryfield ([a-z].*)$", call("--help").out, re.MULTILINE)
    assert len(examples) >= 4
    for example in examples:
        assert call(*shlex.split(example)).code == 0, example


def test_the_example_of_a_map_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So do those of `index map`, on a field that has an index."""
    place = folder(tmp_path / "my-field", {"index.md": GOOD, **KNOWN})
    build(place)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    text = call("index", "map", "--help").out
    examples = re.findall(r"^ +memoryfield (.*)$", text, re.MULTILINE)
    assert len(examples) >= 3
    for example in examples:
        done = call(*shlex.split(example))
        assert done.code == 0, (example, done.err)
    assert {"my-field-map.html", "map.svg"} <= {path.name for path in tmp_path.iterdir()}
