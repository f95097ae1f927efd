"""The command starts quickly, since it imports what it needs and no more."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import neutral_environment

HEAVY = {
    "jsonschema", "jsonschema_rs", "yaml", "rich", "requests", "fsspec", "s3fs", "apsw", "mcp",
    "asyncio", "multiprocessing", "concurrent", "urllib.request", "http", "email", "sqlite3",
    "memoryfield_notes.opening",
}  # fmt: skip


def imported(*commands: str) -> set[str]:
    """The modules that are loaded when commands have run, one after the other in one process."""
    script = (
        "import sys, atexit, shlex\n"
        "atexit.register(lambda: sys.stderr.write('\\n'.join(sys.modules)))\n"
        "from memoryfield_cli.start import run\n"
        "for command in sys.argv[1:]:\n"
        "    sys.argv[1:] = shlex.split(command)\n"
        "    try:\n"
        "        run()\n"
        "    except SystemExit as error:\n"
        "        assert not error.code, command\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *commands],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=neutral_environment(),
        check=True,
        encoding="utf-8",
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("option", ["--version", "--help", "-h"])
def test_version_and_help_import_nothing_heavy(option: str) -> None:
    """Nor do they import a room below, or any command; the version needs not even click."""
    modules = imported(option)
    assert ("click" in modules) == (option != "--version")
    assert not modules & HEAVY
    assert not [name for name in modules if name.startswith("memoryfield_cli.commands.")]
    assert not [name for name in modules if name.startswith("memoryfield_validator")]


ON_A_FIELD = (
    "digest FIELD", "info FIELD", "ls --long FIELD", "read --format json FIELD woks.md",
    "pin FIELD", "snapshot FIELD",
)  # fmt: skip
BY_THEMSELVES = (
    "cache dir", "explain MF304", "rules", "completion zsh", "serve --help", "mcp --help",
    "lock --help", "fetch --help", "diff --help", "validate --help",
    *(f"{name} --help" for name in ("apply", "new", "write", "edit", "rm", "mv", "init")),
    *(f"{name} --help" for name in ("pack", "unpack", "repack", "recover")),
)  # fmt: skip


@pytest.mark.parametrize("commands", [ON_A_FIELD, BY_THEMSELVES], ids=["on a field", "others"])
def test_commands_import_what_they_need(commands: tuple[str, ...], places: Path) -> None:
    """Only a report needs what prints reports; reading needs but a parser of YAML."""
    field = shlex.quote(str(places / "good"))
    asked = [command.replace("FIELD", field) for command in commands]
    if imported(*asked) & (HEAVY - {"yaml"}):  # which one it is, is of interest then
        heavy = {command: imported(command) & (HEAVY - {"yaml"}) for command in asked}
        pytest.fail(str({command: names for command, names in heavy.items() if names}))


def test_report_as_json_needs_no_terminal(places: Path) -> None:
    """`rich` is there for people alone."""
    good = shlex.quote(str(places / "good"))
    assert "rich" not in imported(f"validate --format json {good}")
    assert "rich" in imported(f"validate {good}")
