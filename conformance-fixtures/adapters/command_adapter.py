"""What adapters of published commands share: the protocol, a place to work in, and running them.

A command is judged by what it does: it is run as a user runs it, with a home, a configuration and
a cache of its own, on a copy of what is judged. A crash, a time-out or an output that cannot be
read is no answer, and never a rejection. Standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Object: TypeAlias = dict[str, Any]

SECONDS = 60.0
"""How long one run of a command may take. Give the runner a longer `--timeout` than this."""

_KEPT = ("PATH", "SYSTEMROOT", "COMSPEC", "PATHEXT")
_HOMES = ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME",
          "XDG_STATE_HOME", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP")  # fmt: skip


class Skip(Exception):
    """A case cannot be put to the command; the text says why."""


class NoAnswer(Exception):
    """The command gave no answer that can be read."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left: its exit code and all that it printed."""

    code: int
    out: str
    err: str


class Workshop:
    """A command, and a scratch folder in which it runs.

    Attributes:
        scratch: the folder; the command's home is in it, too.
    """

    def __init__(self, command: str, scratch: Path) -> None:
        """Make a home for the command, and look for it on PATH if it is a name alone."""
        found = shutil.which(command)
        if found is None:
            raise SystemExit(f"there is no command {command}: install it, or give --command PATH")
        self._command = os.path.abspath(found)
        self.scratch = scratch
        home = scratch / "home"
        home.mkdir()
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        homes = dict.fromkeys(_HOMES, str(home))
        self.environment = kept | homes | {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "NO_COLOR": "1"}

    def run(self, *arguments: str) -> Ran:
        """Run the command in the scratch folder.

        Raises:
            NoAnswer: it crashed or took too long.
        """
        try:
            done = subprocess.run(
                [self._command, *arguments],
                cwd=self.scratch,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise NoAnswer(f"`{arguments[0]}` did not end within {SECONDS:g} s") from None
        out, err = (data.decode("utf-8", "surrogateescape") for data in (done.stdout, done.stderr))
        if done.returncode < 0:
            raise NoAnswer(f"`{arguments[0]}` was ended by signal {-done.returncode}")
        if "Traceback (most recent call last)" in err:
            raise NoAnswer(f"`{arguments[0]}` crashed: {self.without_path(err)}")
        return Ran(done.returncode, out, err)

    def without_path(self, said: str) -> str:
        """The last line of what was said, without the path of the scratch folder."""
        lines = said.strip().splitlines() or ["nothing was said"]
        return lines[-1].replace(f"{self.scratch}{os.sep}", "")

    def copy(self, given: str, name: str) -> Path:
        """A copy of a field or an archive under a name, in place of the one before."""
        target = self.scratch / name
        if target.is_dir():
            shutil.rmtree(target)
        if os.path.isdir(given):
            _copy_folder(given, target)
        else:
            shutil.copyfile(given, target)
        return target


def names_below(folder: Path) -> list[str]:
    """The names of everything below a folder, with `/` between their components."""
    return [
        (Path(at) / name).relative_to(folder).as_posix()
        for at, folders, files in os.walk(folder)
        for name in folders + files
    ]


def by_bytes(names: set[str]) -> list[str]:
    """Names in the order of their bytes; bytes that are not UTF-8 are told as U+FFFD."""
    told = {name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for name in names}
    return sorted(told, key=str.encode)


def serve(hello: Object, answer: Callable[[Object], Object]) -> None:
    """Answer each line of the protocol until there is none, or until `bye`."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["type"] == "bye":
            return
        reply = hello if request["type"] == "hello" else _answered(request, answer)
        print(json.dumps(reply), flush=True)


def command_of(arguments: argparse.ArgumentParser, default: str) -> str:
    """The command that `--command` names, or one that is looked for on PATH."""
    arguments.add_argument("--command", default=default, help=f"{default}, if not on PATH")
    return str(arguments.parse_args().command)


def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder that is gone when the adapter ends."""
    return tempfile.TemporaryDirectory(prefix="adapter-", ignore_cleanup_errors=True)


def _answered(case: Object, answer: Callable[[Object], Object]) -> Object:
    try:
        if case["limits"]:
            raise Skip("it cannot be given limits")
        if case["audit"]:
            raise Skip("it does not review content as the standard says")
        return {"id": case["id"], "result": answer(case)}
    except Skip as reason:
        return {"id": case["id"], "skipped": str(reason)}
    except (NoAnswer, OSError) as error:
        return {"id": case["id"], "error": str(error)}


def _copy_folder(given: str, target: Path) -> None:
    """Copy a folder as it is: a link stays a link with the same text, a FIFO a FIFO."""
    target.mkdir()
    with os.scandir(given) as entries:
        for entry in entries:
            copied = target / entry.name
            if entry.is_symlink():
                copied.symlink_to(os.readlink(entry.path))
            elif entry.is_dir():
                _copy_folder(entry.path, copied)
            elif stat.S_ISFIFO(entry.stat().st_mode):
                os.mkfifo(copied)
            else:
                shutil.copyfile(entry.path, copied)
