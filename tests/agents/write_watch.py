"""A Python module run in a child that is watched: what it opens for writing, or changes, is told.

Twice: by the interpreter (an audit hook), and by the kernel (strace) where that is there, which
also sees what libraries in C open.
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
HARMLESS = frozenset({"/dev/null", "/dev/tty"})
CHANGES = frozenset({
    "os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir",
    "os.symlink", "os.truncate", "shutil.copyfile", "shutil.move", "shutil.rmtree",
    "tempfile.mkdtemp", "tempfile.mkstemp",
})  # fmt: skip
"""What the interpreter tells of changes, beside opening; that a file of the cache is marked as used
(`os.utime`, for pruning) writes nothing."""

_CALLS = (
    "open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,"
    "link,linkat,symlink,symlinkat,truncate,ftruncate,mknod,mknodat"
)
_FOR_WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")
_OPENED = re.compile(r"\b(?:open|openat|openat2|creat)\(")
_PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')


@cache
def strace() -> str | None:
    """The program that shows system calls; None where it is not there, or not allowed."""
    found = shutil.which("strace")
    if found is None:
        return None
    tried = subprocess.run([found, "-qq", "-e", "trace=none", "true"], capture_output=True)
    return found if tried.returncode == 0 else None


def watched(folder: Path, module: str, *arguments: str) -> list[str]:
    """The command line of a child that runs a module as `python -m` does, and is watched.

    Run it in `ROOT`, or with that in PYTHONPATH. It writes no bytecode. Signals reach the module
    itself. Let its stdout be a pipe, and read that to its end before `written` is called: the end
    comes when all is noted.

    Arguments:
        folder: an empty folder for what is noted, one for each child.
        module: the name of the module.
        arguments: what it is given.
    """
    command = [sys.executable, "-B", "-m", "tests.agents.write_watch", str(folder / "told")]
    program = strace()
    if program is not None:
        log = str(folder / "calls")
        how = ["-D", "-f", "-qq", "-s", "300", "-e", f"trace={_CALLS}", "-o", log]
        command = [program, *how, *command]
    return [*command, module, *arguments]


def written(folder: Path) -> list[str]:
    """What a child that was watched opened for writing or changed, one line each.

    Arguments:
        folder: what `watched` was given; the child has ended.
    """
    told = folder / "told"
    found = told.read_text("utf-8").splitlines()
    calls = folder / "calls"
    if strace() is not None:
        lines = calls.read_text("utf-8", "replace").splitlines()
        assert lines, "the kernel was not asked"
        for line in lines:
            path = _PATH.search(line)
            if path is not None and path[1] in (*HARMLESS, str(told)):
                continue
            if "resumed>" in line or not re.search(r"\w\(", line):
                continue
            if not _OPENED.search(line) or _FOR_WRITING.search(line):
                found.append(line)
    return found


def _watch(told: int) -> None:
    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            harmless = isinstance(path, int) or os.fsdecode(path) in HARMLESS
            if harmless or not isinstance(flags, int) or not flags & WRITES:
                return
        elif event not in CHANGES:
            return
        os.write(told, f"{event} {arguments!r}\n".encode("utf-8", "backslashreplace"))

    sys.addaudithook(hook)


def main() -> None:
    """Run the module that the arguments name."""
    told = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    module = sys.argv[2]
    sys.argv = sys.argv[2:]
    _watch(told)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
