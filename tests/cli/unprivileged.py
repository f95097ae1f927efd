"""A user who may not read everything, also where the tests run as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache

from tests.cli.command import COMMAND, Argument, Outcome, neutral_environment, spawn

NOBODY = 65534
_CAPABILITIES = "-dac_override,-dac_read_search"


@dataclass(frozen=True, slots=True)
class Way:
    """A way to run a program without the right to read everything."""

    before: tuple[str, ...] = ()
    user: int | None = None


@cache
def way() -> Way | None:
    """The first way that works here, or None."""
    if not hasattr(os, "geteuid"):
        return None
    ways = [Way()]
    if os.geteuid() == 0:
        ways = [Way(user=NOBODY)]
        if setpriv := shutil.which("setpriv"):
            drop = (setpriv, f"--inh-caps={_CAPABILITIES}", f"--bounding-set={_CAPABILITIES}")
            ways.insert(0, Way(before=drop))
    with tempfile.NamedTemporaryFile() as closed:
        os.chmod(closed.name, 0)
        return next((each for each in ways if _works(each, closed.name)), None)


def spawn_by(way: Way, *arguments: Argument) -> Outcome:
    """Run the command in that way."""
    return spawn(*arguments, before=way.before, user=way.user)


def _works(way: Way, closed: str) -> bool:
    """Whether the command runs, and a file without any permission stays closed."""
    try:
        return _code(way, str(COMMAND), "--version") == 0 and _code(way, "cat", closed) != 0
    except OSError:  # another user may not even start the interpreter
        return False


def _code(way: Way, program: str, argument: str) -> int:
    return subprocess.run(
        [*way.before, program, argument],
        capture_output=True,
        env=neutral_environment(),
        user=way.user,
        group=way.user,
        extra_groups=None if way.user is None else [],
        check=False,
    ).returncode
