"""What README.md shows is true: its commands run, its tables are those of the command."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.command import call, neutral_environment

from memoryfield_cli.main import COMMANDS, EPILOG

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent


class Command(NamedTuple):
    """A command of a `console` block.

    Attributes:
        line: what stands after `$ `, without the comment that states the exit code.
        code: the exit code: 0, or what a comment such as `# exit 1` states.
        output: the lines shown below it; `…` stands for anything, no line for not shown.
    """

    line: str
    code: int
    output: list[str]


def blocks(language: str) -> list[str]:
    """The contents of the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands() -> list[Command]:
    """The commands of all `console` blocks."""
    found: list[Command] = []
    for line in "".join(blocks("console")).splitlines():
        if line.startswith("$ "):
            text, _, code = line[2:].partition("  # exit ")
            found.append(Command(text.strip(), int(code or 0), []))
        elif line.strip():
            found[-1].output.append(line)
    return found


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program in the root of the repository, with the command on PATH."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        arguments,
        cwd=ROOT,
        env=neutral_environment() | {"PATH": path, "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


RUN_BY_MAKE = "memoryfield conformance lint"
"""What `make check` runs before any test."""


def test_make_runs_the_one_that_is_not_run_here() -> None:
    """It takes as long as all the others, and says nothing that differs from here to there."""
    assert f"\t$(BIN)/{RUN_BY_MAKE}\n" in (ROOT / "Makefile").read_text(encoding="utf-8")
    [command] = [command for command in commands() if command.line == RUN_BY_MAKE]
    assert (command.code, command.output) == (0, [])


@pytest.mark.parametrize(
    "command",
    [command for command in commands() if command.line != RUN_BY_MAKE],
    ids=lambda command: command.line,
)
def test_command_runs(command: Command) -> None:
    """Each command ends as stated and prints what is shown."""
    done = run("sh", "-c", command.line)
    assert done.returncode == command.code, done.stderr
    assert (done.stderr == "") == (command.code < 2)
    if command.output:
        shown = "\n".join(re.escape(line).replace("…", ".*") for line in command.output)
        assert re.fullmatch(shown, done.stdout.strip()), done.stdout


def test_commands_are_found() -> None:
    """The scan is not blind: there are commands, and one whose output is shown."""
    found = commands()
    assert len(found) >= 8
    assert any(command.output for command in found)


def test_known_commands_alone_are_named() -> None:
    """Wherever README.md writes `memoryfield WORD` in code, that is a command."""
    code = "\n".join([*blocks("console"), *re.findall(r"`([^`\n]+)`", README)])
    named = set(re.findall(r"\bmemoryfield ([a-z]+)\b", code))
    assert named
    assert named <= set(COMMANDS)


def test_every_command_is_named() -> None:
    """A command that README.md leaves out is not found by anyone."""
    for name in COMMANDS:
        assert re.search(rf"`(memoryfield )?{name}\b|memoryfield {name}\b", README), name


def test_options_of_validate_are_those_of_its_help() -> None:
    """The table names every option but help, and none that there is not."""
    table = README.partition("| option of `validate` |")[2].partition("\n\n")[0]
    rows = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `--")]
    named = {option for row in rows for option in re.findall(r"--[a-z-]+", row)}
    text = call("validate", "--help").out
    assert named == set(re.findall(r"^ +(--[a-z-]+)", text, re.MULTILINE)) - {"--help"}
    choices = dict(re.findall(r"`(--[a-z-]+) ([a-z0-9.|\\-]+)`", table))
    for option, values in choices.items():
        if "|" in values:
            wanted = values.replace("\\", "")
            assert re.search(rf"{option} \[{re.escape(wanted)}\]", text), option


def test_exit_codes_are_those_of_the_help() -> None:
    """The table gives the codes of `memoryfield --help` their meanings."""
    table = dict(re.findall(r"^\| (\d) \| (.*?)(?: \(.*)? \|$", README, re.MULTILINE))
    assert table == dict(re.findall(r"^  (\d)  (.*)$", EPILOG, re.MULTILINE))


@pytest.mark.parametrize("block", blocks("python"), ids=lambda block: block.split("\n")[0])
def test_python_runs(block: str) -> None:
    """The Python that is shown runs as it stands, without a warning."""
    done = run(sys.executable, "-W", "error", "-c", block)
    assert (done.returncode, done.stderr) == (0, "")


def test_links_lead_somewhere() -> None:
    """A relative link leads to a file or folder of the repository."""
    links = re.findall(r"\]\(([^)\s]+)\)", README)
    assert links
    for link in links:
        if "://" not in link:
            assert (ROOT / link.partition("#")[0]).exists(), link


def test_targets_of_make_exist() -> None:
    """Each `make TARGET` is one."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"\bmake ([a-z]+)\b", "\n".join(blocks("sh")))):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
