"""How one version of a page differs from another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..unified import (
    Hunk,
    LineChange,
    file_lines,
    git_header,
    hunks_of,
    lines_of,
    patch_of,
    renamed,
)
from .differences import Effort, differences


@dataclass(frozen=True, slots=True)
class PageDiff:
    """Two versions of a page, and which of their lines differ.

    Attributes:
        name: the name after; None where the page is gone.
        old_name: the name before; None where the page is new.
        before: the bytes before; none where the page is new.
        after: the bytes after; none where the page is gone.
        changes: the stretches of lines that differ, in order.
    """

    name: str | None
    old_name: str | None
    before: bytes
    after: bytes
    changes: tuple[LineChange, ...]

    @classmethod
    def of(
        cls, old_name: str | None, name: str | None, before: bytes, after: bytes, effort: Effort
    ) -> PageDiff:
        """The difference of two versions; `effort` is what may be spent to make it small."""
        changes = differences(lines_of(before), lines_of(after), effort)
        return cls(name, old_name, before, after, changes)

    @property
    def removed(self) -> int:
        """How many lines go."""
        return sum(change.end - change.start for change in self.changes)

    @property
    def added(self) -> int:
        """How many lines come."""
        return sum(change.new_end - change.new_start for change in self.changes)

    def hunks(self) -> Iterator[Hunk]:
        """The changes with the lines around them."""
        return hunks_of(self.changes, len(lines_of(self.before)))

    def header(self, *, has_hunks: bool = True) -> bytes:
        """What stands above the hunks, as git writes it: the names, and whether one is new.

        Arguments:
            has_hunks: whether hunks follow; without one a patch has no lines for the versions.
        """
        old_name, name = self.old_name or self.name or "", self.name or self.old_name or ""
        has_hunks = has_hunks and bool(self.changes)
        pieces = [git_header(old_name, name, alone=not has_hunks and name == old_name)]
        if self.old_name is None:
            pieces.append(b"new file mode 100644\n")
        elif self.name is None:
            pieces.append(b"deleted file mode 100644\n")
        elif name != old_name:
            pieces.append(renamed(old_name, name))
        if has_hunks:
            pieces.append(file_lines(self.old_name, self.name))
        return b"".join(pieces)

    def patch(self) -> bytes:
        """The difference as `git apply` and `patch` take it, byte by byte."""
        before, after = lines_of(self.before), lines_of(self.after)
        return self.header() + patch_of(hunks_of(self.changes, len(before)), before, after)
