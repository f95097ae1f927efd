"""Shells accept the completion scripts, and get from the command what they ask for."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.command import COMMAND, Outcome, call, neutral_environment, spawn

from memoryfield_cli.main import COMMANDS

SHELLS = ("bash", "zsh", "fish")


def completions(words: str, shell: str = "bash", run: Callable[..., Outcome] = call) -> list[str]:
    """What the command offers at the end of some words, as the script of bash asks for it.

    Arguments:
        words: what was typed.
        shell: whose script asks.
        run: what runs the command: `spawn` as a process of its own, as a shell does.
    """
    typed = words.split(" ")
    env = {
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(typed) - 1),
        "_MEMORYFIELD_COMPLETE": f"{shell}_complete",
    }
    done = run(env=env)
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()


@pytest.mark.parametrize("shell", SHELLS)
def test_script_is_printed(shell: str) -> None:
    """The script names the command, and speaks the protocol that the command answers."""
    done = call("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert f"_MEMORYFIELD_COMPLETE={shell}_complete" in done.out


@pytest.mark.parametrize("shell", SHELLS)
def test_shell_accepts_the_script(shell: str) -> None:
    """The shell itself finds no fault with the script."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not there")
    done = subprocess.run(
        [program, "-n"], input=call("completion", shell).stdout, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_commands_are_offered(shell: str) -> None:
    """After `memoryfield` come the commands, without a line of log or warning between them."""
    offered = completions("memoryfield ", shell, spawn)
    if shell == "bash":
        assert offered == [f"plain,{name}" for name in COMMANDS]
    else:
        assert set(COMMANDS) <= set(offered)


def test_beginnings_are_completed() -> None:
    """A beginning narrows the choice, of commands, options and values."""
    assert completions("memoryfield v") == ["plain,validate", "plain,verify"]
    assert completions("memoryfield lock a") == ["plain,add"]
    assert completions("memoryfield validate --fa") == ["plain,--fail-on"]
    assert completions("memoryfield validate --format j") == [
        "plain,json",
        "plain,jsonl",
        "plain,junit",
    ]
    assert completions("memoryfield ls --format ") == ["plain,text", "plain,json"]
    assert completions("memoryfield completion ") == [f"plain,{shell}" for shell in SHELLS]


@pytest.mark.parametrize(
    "command",
    [
        *("validate", "info", "ls", "read", "digest", "pin", "verify", "diff", "lock add notes"),
        *("init", "new", "write", "edit", "rm", "mv", "apply", "apply notes", "recover"),
        *("pack", "pack notes -o", "unpack", "repack", "snapshot", "snapshot notes --check"),
        *("serve", "serve notes", "serve --auth-file", "serve --log"),
        *("mcp", "mcp notes", "mcp --auth-file"),
        *("note show", "note set notes a.md --file", "note ls notes --store", "note export notes"),
    ],
)
def test_locations_are_completed_as_paths(command: str) -> None:
    """A location is completed by the shell, which knows its files."""
    assert [line.split(",")[0] for line in completions(f"memoryfield {command} ")] == ["file"]


def test_second_location_is_completed_as_well() -> None:
    """`validate` takes several."""
    assert completions("memoryfield validate docs ") == ["file,"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there")
def test_bash_completes(tmp_path: Path) -> None:
    """Bash, with the script sourced, completes a command through the real one."""
    script = tmp_path / "completion"
    script.write_bytes(call("completion", "bash").stdout)
    ask = (
        f"source {script}; COMP_WORDS=(memoryfield ex); COMP_CWORD=1; "
        '_memoryfield_completion memoryfield ex memoryfield; echo "${COMPREPLY[@]}"'
    )
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", ask],
        env=neutral_environment() | {"PATH": path},
        capture_output=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b"explain\n", b"")
