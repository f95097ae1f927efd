"""The command starts quickly, since it imports what it needs and no more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import neutral_environment

HEAVY = {
    "jsonschema", "jsonschema_rs", "yaml", "rich", "requests", "fsspec", "s3fs", "apsw", "mcp",
    "asyncio", "multiprocessing", "concurrent", "urllib.request", "http", "email", "sqlite3",
}  # fmt: skip


def imported(*arguments: str) -> set[str]:
    """The modules that are loaded when a command has run."""
    script = (
        "import sys, atexit\n"
        "atexit.register(lambda: sys.stderr.write('\\n'.join(sys.modules)))\n"
        "from memoryfield_cli.start import run\n"
        "run()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=neutral_environment(),
        check=True,
        encoding="utf-8",
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["-h"]])
def test_version_and_help_import_nothing_heavy(arguments: list[str]) -> None:
    """Nor do they import a room below, or any command; the version needs not even click."""
    modules = imported(*arguments)
    assert ("click" in modules) == (arguments != ["--version"])
    assert not modules & HEAVY
    assert not [name for name in modules if name.startswith("memoryfield_cli.commands.")]
    assert not [name for name in modules if name.startswith("memoryfield_validator")]


@pytest.mark.parametrize(
    "arguments",
    [
        ["digest", "FIELD"],
        ["info", "FIELD"],
        ["ls", "--long", "FIELD"],
        ["read", "--format", "json", "FIELD", "woks.md"],
        ["pin", "FIELD"],
        ["snapshot", "FIELD"],
        ["serve", "--help"],
        ["mcp", "--help"],
        ["lock", "--help"],
        ["fetch", "--help"],
        ["diff", "--help"],
        ["cache", "dir"],
        ["explain", "MF304"],
        ["rules"],
        ["completion", "zsh"],
        ["validate", "--help"],
        *([name, "--help"] for name in ("apply", "new", "write", "edit", "rm", "mv", "init")),
        *([name, "--help"] for name in ("pack", "unpack", "repack", "recover")),
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_import_what_they_need(arguments: list[str], places: Path) -> None:
    """Only a report needs what prints reports; reading needs but a parser of YAML."""
    field = str(places / "good")
    modules = imported(*(field if each == "FIELD" else each for each in arguments))
    assert not modules & (HEAVY - {"yaml"})


def test_report_as_json_needs_no_terminal(places: Path) -> None:
    """`rich` is there for people alone."""
    assert "rich" not in imported("validate", "--format", "json", str(places / "good"))
    assert "rich" in imported("validate", str(places / "good"))
