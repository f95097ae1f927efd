"""A lock file that is held: by one at a time, and there for ever."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memoryfield_readers import LockTimeout, SourceUnavailable
from memoryfield_readers.holding import held_lock_file

HOLDER = """
import sys
from pathlib import Path
from memoryfield_readers.holding import held_lock_file
with held_lock_file(Path(sys.argv[1]), wait=0, location="x"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_another_process_is_kept_out(tmp_path: Path) -> None:
    path = tmp_path / ".x.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        inode = os.stat(path).st_ino
        with pytest.raises(LockTimeout) as told, held_lock_file(path, wait=0, location="my notes"):
            pass
        assert told.value.location == "my notes"
        process.kill()
    with held_lock_file(path, wait=0, location="x"):
        assert os.stat(path).st_ino == inode
    assert os.stat(path).st_ino == inode


@pytest.mark.parametrize("made", ["folder", "link", "pipe"])
def test_what_is_no_file_is_not_locked(made: str, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    (tmp_path / "other").write_bytes(b"kept")
    if made == "folder":
        path.mkdir()
    elif made == "link":
        path.symlink_to("other")
    else:
        os.mkfifo(path)
    with (
        pytest.raises(SourceUnavailable, match="cannot be locked"),
        held_lock_file(path, wait=0, location="x"),
    ):
        pass
    assert (tmp_path / "other").read_bytes() == b"kept"
