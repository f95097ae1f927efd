"""Fields to compare, given as files, and what becomes of one when a patch is applied."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.validator.fields import Files, archive, as_bytes

from memoryfield_readers import DEFAULT_LIMITS, Limits, open_field
from memoryfield_validator.comparing import Change, Comparison, compare

NEEDS_PATCH = pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")
NEEDS_GIT = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

SECONDS = 120
"""After so long a program hangs; it takes a fraction of it."""


def compared(
    before: Files, after: Files, *, audit: bool = True, limits: Limits = DEFAULT_LIMITS
) -> Comparison:
    """Two fields compared as archives, which need no folder."""
    with (
        open_field(archive(before), name="before.zip", limits=limits) as old,
        open_field(archive(after), name="after.zip", limits=limits) as new,
    ):
        return compare(old, new, audit=audit)


def only(comparison: Comparison) -> Change:
    """The one change that there is."""
    (change,) = comparison.changes
    return change


def told(comparison: Comparison) -> list[tuple[str, str, str | None]]:
    """Kind, name and old name of each change."""
    return [(each.kind, each.name, each.old_name) for each in comparison.changes]


def whole_patch(comparison: Comparison) -> bytes:
    """The patches of all pages, one after the other."""
    return b"".join(each.diff.patch() for each in comparison.changes if each.diff is not None)


def patched(files: Files, data: bytes, *command: str) -> dict[str, bytes]:
    """The files when a program has applied a patch to them."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, content in files.items():
            (folder / name).write_bytes(as_bytes(content))
        done = subprocess.run(
            command, cwd=folder, input=data, capture_output=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 0, (done.stdout, done.stderr, data)
        return {path.name: path.read_bytes() for path in folder.iterdir()}
