"""The shell and coreutils beside the command, for tests that both agree."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cli.command import COMMAND, neutral_environment

needs_coreutils = pytest.mark.skipif(
    shutil.which("sha256sum") is None, reason="sha256sum of coreutils is not there"
)


def shell(script: str, cwd: Path) -> bytes:
    """What a script of the shell prints; the command is called `memoryfield` in it."""
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    env = neutral_environment() | {"PATH": path}
    done = subprocess.run(["sh", "-c", script], cwd=cwd, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout
