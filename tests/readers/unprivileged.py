"""Code run without root's rights, also where the tests themselves are run as root."""

from __future__ import annotations

import os
import shutil
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

NOBODY = 65534


def without_rights(work: Callable[[Path], None]) -> None:
    """Call a function with an empty directory of its own, as a user who is not root.

    Under root a child process becomes nobody; what fails there fails here. The work must build what
    it needs, and may not rely on files that only root can reach.
    """
    folder = Path(tempfile.mkdtemp(prefix="memoryfield-test-", dir="/tmp"))
    try:
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
            failure = _in_child(work, folder)
        else:
            work(folder)
            failure = ""
    finally:
        os.chmod(folder, 0o700)
        for path, names, _ in os.walk(folder):
            for name in names:
                os.chmod(os.path.join(path, name), 0o700)
        shutil.rmtree(folder)
    assert failure == "", failure


def _in_child(work: Callable[[Path], None], folder: Path) -> str:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        failure, status = "", 1  # whatever ends the work early, an interrupt too, is a failure
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            work(folder)
            status = 0
        except (Exception, pytest.fail.Exception):  # what a claim that does not hold raises
            failure = traceback.format_exc()
        finally:
            os.write(writer, failure.encode(errors="replace")[:60_000])
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        failure = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return failure or ("" if status == 0 else f"the child ended with status {status}")
