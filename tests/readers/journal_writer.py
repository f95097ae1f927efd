"""A small writer of folders by journal, one step at a time, for tests of those who read them.

As a process of its own it changes a field again and again:

    python journal_writer.py FOLDER TIMES
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from memoryfield_readers.holding import held_field
from memoryfield_readers.journal import (
    FOLDER,
    JOURNAL,
    Before,
    Journal,
    JournalFile,
    journal_bytes,
)

PAGES = 4
"""So many pages each batch replaces, and one behind a link; another comes and goes."""


class Batch:
    """A batch on its way into a folder."""

    def __init__(
        self, root: Path, puts: Mapping[str, bytes], removes: Collection[str] = (), *, kept: bool
    ) -> None:
        """Stage a batch; it does not count yet.

        Arguments:
            root: the folder.
            puts: what comes, by path.
            removes: what goes.
            kept: whether what goes is moved into the staging folder, rather than removed.
        """
        self.root, self.kept = root, kept
        self.staging = root / FOLDER
        self.staging.mkdir(exist_ok=True)
        files = [self._removed(path, n) for n, path in enumerate(removes)]
        files += [
            self._put(path, n, data) for n, (path, data) in enumerate(puts.items(), len(files))
        ]
        self.journal = Journal(root.stat().st_ino, tuple(files))

    def _removed(self, path: str, number: int) -> JournalFile:
        before = Before.of((self.root / path).lstat())
        return JournalFile(path, None, f"old-{number}", None, before)

    def _put(self, path: str, number: int, data: bytes) -> JournalFile:
        old, before, place = None, None, self.root / path
        (self.staging / f"new-{number}").write_bytes(data)
        if os.path.lexists(place):
            old, before = f"old-{number}", Before.of(place.lstat())
            os.link(place, self.staging / old, follow_symlinks=False)
        return JournalFile(path, f"new-{number}", old, hashlib.sha256(data).hexdigest(), before)

    def commit(self) -> None:
        """Make it count."""
        (self.staging / "journal.tmp").write_bytes(journal_bytes(self.journal))
        (self.staging / "journal.tmp").rename(self.staging / JOURNAL)

    def steps(self) -> list[Callable[[], None]]:
        """What is to be done then, one call each."""
        return [lambda file=file: self._do(file) for file in self.journal.files]  # type: ignore[misc]

    def _do(self, file: JournalFile) -> None:
        place = self.root / file.path
        if file.new is not None:
            (self.staging / file.new).replace(place)
        elif self.kept:
            place.rename(self.staging / str(file.old))
        else:
            place.unlink()

    def end(self) -> list[Callable[[], None]]:
        """What is to be done at the end, the journal first."""
        names = sorted(os.listdir(self.staging), key=lambda name: name != JOURNAL)
        steps: list[Callable[[], None]] = [(self.staging / name).unlink for name in names]
        return [*steps, self.staging.rmdir]

    def run(self) -> None:
        """Do all of it."""
        self.commit()
        self.finish()

    def finish(self) -> None:
        """Do what is left to do of a batch that counts, and of which nothing is done."""
        for step in self.steps():
            step()
        for step in self.end():
            step()


def state(number: int) -> dict[str, bytes]:
    """The pages of a field after so many batches."""
    names = [f"p{n}.md" for n in range(PAGES)] + ["linked.md"] + ["odd.md"] * (number % 2)
    return dict.fromkeys(sorted(names), b"%d\n" % number)


def found(root: Path) -> None:
    """Make the field as it is before the first batch."""
    (root / "sub").mkdir(parents=True)
    for name, data in state(0).items():
        (root / ("sub" if name == "linked.md" else "") / name).write_bytes(data)
    (root / "linked.md").symlink_to("sub/linked.md")


def change(root: Path, times: int) -> None:
    """Apply batches, each of which changes every page."""
    for number in range(1, times + 1):
        with held_field(root, wait=60, location=str(root)):
            puts = state(number)
            puts["sub/linked.md"] = puts.pop("linked.md")
            removes = [] if number % 2 else ["odd.md"]
            Batch(root, puts, removes, kept=number % 3 == 0).run()


if __name__ == "__main__":
    change(Path(sys.argv[1]), int(sys.argv[2]))
