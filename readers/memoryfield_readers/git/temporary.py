"""Temporary git directories, which are gone when they are closed, or when the program ends."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path

from ..errors import SourceUnavailable
from ..system_errors import reason_of

_HEAD = b"ref: refs/heads/.none\n"

_SETTINGS = f"""[core]
\trepositoryFormatVersion = 1
\tbare = true
\thooksPath = {os.devnull.replace(chr(92), "/")}
\tfsmonitor = false
\tcommitGraph = false
\tmultiPackIndex = false
\tbigFileThreshold = 16m
[gc]
\tauto = 0
[maintenance]
\tauto = false
[extensions]
"""


class TemporaryFolder:
    """A folder that is removed once, with all that is in it; links in it are not followed."""

    def __init__(self, location: str) -> None:
        """Make it.

        Raises:
            SourceUnavailable: there is no room, or no right to.
        """
        try:
            self.path = Path(tempfile.mkdtemp(prefix="memoryfield-git-"))
        except OSError as error:
            raise SourceUnavailable(
                f"no temporary folder can be made: {reason_of(error)}",
                location=location,
                hint="TMPDIR names the folder for temporary files",
            ) from error
        self._remove = weakref.finalize(self, _remove, str(self.path), os.getpid())

    def close(self) -> None:
        """Remove it."""
        self._remove()


def make_git_directory(folder: Path, *, extensions: Mapping[str, str], head: bytes = _HEAD) -> None:
    """Fill an empty folder with what makes it a git directory without objects.

    Raises:
        OSError: it cannot be written.
    """
    lines = "".join(f"\t{name} = {value}\n" for name, value in extensions.items())
    (folder / "config").write_text(_SETTINGS + lines, encoding="utf-8")
    (folder / "HEAD").write_bytes(head)
    for name in ("objects", "refs"):
        (folder / name).mkdir(exist_ok=True)


def _remove(path: str, owner: int) -> None:
    if os.getpid() != owner:
        return  # this is a fork of the program that has it
    if sys.version_info >= (3, 12):
        shutil.rmtree(path, onexc=_remove_read_only)
    else:
        shutil.rmtree(path, onerror=_remove_read_only)


def _remove_read_only(remove: Callable[[str], object], path: str, _: object) -> None:
    """Remove what is marked as read-only, which some systems do not let go otherwise."""
    try:
        if not os.path.islink(path):
            os.chmod(path, stat.S_IRWXU)
            remove(path)
    except OSError:
        pass  # it is left to the system, as other temporary files are
