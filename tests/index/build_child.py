"""Builds an index again and again, each time killed at another step; told as JSON.

Run as `python -m tests.index.build_child FOLDER POINTS`. FOLDER holds `before`, a field with an
index that is out of date, and `kept`, the vectors that were made for it. A step is a call of a
function of C by the code that builds, or its return: of SQLite's, of the system's, whatever it is.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from types import FrameType

from tests.index.hash_embedder import HashEmbedder

import memoryfield_index
from memoryfield_index import building
from memoryfield_index.building import rebuild
from memoryfield_index.storage import open_index
from memoryfield_index.values import Embedding, Failed
from memoryfield_index.vectors import VectorCache
from memoryfield_readers import Field, MemoryfieldError, beside, open_field

TOGETHER = 2
"""Pages in a batch."""

OURS = (os.path.dirname(str(memoryfield_index.__file__)), str(beside.__file__))


class Written(HashEmbedder):
    """An embedder that writes down each batch before it answers."""

    def __init__(self, log: Path) -> None:
        """Arguments: log: a line for each call is added to it."""
        super().__init__()
        self._log = log

    def documents(self, pages: Sequence[bytes]) -> Sequence[Embedding | Failed]:
        """What the cheap embedder gives."""
        with self._log.open("a", encoding="ascii") as file:
            file.write(json.dumps([page.decode() for page in pages]) + "\n")
        return super().documents(pages)


class Steps:
    """Counts steps, and ends the process at one of them."""

    def __init__(self, last: int | None) -> None:
        """Arguments: last: the step at which this process is killed."""
        self.count = 0
        self._last = last

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Called by the interpreter."""
        if event in ("c_call", "c_return") and frame.f_code.co_filename.startswith(OURS):
            self.count += 1
            if self.count == self._last:
                os.kill(os.getpid(), signal.SIGKILL)


def build(root: Path, field: Field, last: int | None = None) -> int:
    """Build the index of a field, and say in how many steps; or be killed at one."""
    embedder = Written(root / "log")
    steps = Steps(last)
    sys.setprofile(steps)
    try:
        with closing(VectorCache(embedder.recipe, root / "kept")) as vectors:
            path = root / "field" / f"{embedder.recipe.model}.sqlite3"
            rebuild(field, embedder, path, vectors=vectors)
    finally:
        sys.setprofile(None)
    return steps.count


def ready(root: Path, source: Path) -> Path:
    """A copy of what every build begins with."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(source / "before", root / "field")
    shutil.copytree(source / "kept", root / "kept")
    return root


def rows(root: Path) -> list[tuple[str | None, str]] | str:
    """What the index has by now, as a reader sees it."""
    try:
        with open_index(root / "field" / f"{HashEmbedder().recipe.model}.sqlite3") as index:
            return sorted((row.filename, (row.sha256 or b"").hex()) for row in index.rows())
    except MemoryfieldError as error:
        return error.message


def log(root: Path) -> list[list[str]]:
    """The batches that were embedded."""
    path = root / "log"
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def killed(root: Path, last: int) -> dict[str, object]:
    """What is there after a build that was killed, and after the next one."""
    child = os.fork()
    if child == 0:
        with open_field(root / "field") as field:
            build(root, field, last)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    found: dict[str, object] = {
        "step": last,
        "killed": os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL,
        "rows": rows(root),
        "embedded": log(root),
        "files": sorted(os.listdir(root / "field")),
    }
    (root / "log").unlink(missing_ok=True)
    with open_field(root / "field") as field:
        build(root, field)
    found["rows_then"] = rows(root)
    found["embedded_then"] = log(root)
    found["files_then"] = sorted(os.listdir(root / "field"))
    return found


def main(source: Path, points: int) -> None:
    """Try so many steps, spread over all that a build has."""
    building.BATCH = TOGETHER
    root = source / "try"
    total = 0
    for _ in range(2):  # the first one loads what the others find loaded
        with open_field(ready(root, source) / "field") as field:
            total = build(root, field)
    chosen = sorted({1 + n * (total - 1) // (points - 1) for n in range(points)})
    print(json.dumps([killed(ready(root, source), last) for last in chosen]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
