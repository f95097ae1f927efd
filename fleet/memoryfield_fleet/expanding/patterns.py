"""Patterns of paths: `*`, `?` and `[…]` stand within one name, `**` for any number of folders."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass

from memoryfield_readers import is_debris

_WILD = frozenset("*?[")
_ZIP = ".zip"
_ANY_FOLDERS = "**"


def is_wild(text: str) -> bool:
    """Whether a text holds a character that stands for others; `[*]` is how to name one itself."""
    return not _WILD.isdisjoint(text)


def is_archive_name(name: str) -> bool:
    """Whether a file is taken for an archive, by its name."""
    return name.lower().endswith(_ZIP)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern, by the components of paths.

    How far a path fits is a state: bit N of it is set if its components fit the first N parts of
    the pattern. One step takes one more component, so that a path costs what it is long, whatever
    it holds. Debris (MF104) fits only a part that is written like it.

    Attributes:
        parts: the parts: a name, what names have to match, or None for `**`.
        debris: which of the parts are written like debris.
        folders: whether a folder can be what is meant.
        archives: whether an archive can be.
    """

    parts: tuple[str | re.Pattern[str] | None, ...]
    debris: tuple[bool, ...]
    folders: bool
    archives: bool

    @property
    def start(self) -> int:
        """The state of no component at all."""
        return self._closed(1)

    @property
    def is_deep(self) -> bool:
        """Whether it holds `**`: a folder is then meant only if a page lies in it."""
        return None in self.parts

    def step(self, state: int, name: str, *, is_link: bool = False) -> int:
        """The state with one more component; 0 where no path that goes on like this fits.

        Arguments:
            state: the state of those before it.
            name: the component.
            is_link: whether it is a link, which `**` does not go through.
        """
        after = 0
        for at in range(state.bit_length()):
            if not state >> at & 1 or at == len(self.parts):
                continue
            part = self.parts[at]
            if isinstance(part, str):
                after |= int(part == name) << at + 1
            elif self.debris[at] or not _is_debris(name):
                if part is None:
                    after |= int(not is_link) << at
                elif part.match(name):
                    after |= 1 << at + 1
        return self._closed(after)

    def is_met(self, state: int) -> bool:
        """Whether a path in this state fits the whole pattern."""
        return bool(state >> len(self.parts) & 1)

    def only(self, state: int) -> Sequence[str] | None:
        """The names that can come next, where no part stands for others; None for any name."""
        names = []
        for at, part in enumerate(self.parts):
            if state >> at & 1:
                if not isinstance(part, str):
                    return None
                names.append(part)
        return sorted(set(names))

    def _closed(self, state: int) -> int:
        """A state in which each `**` may also stand for no folder."""
        for at, part in enumerate(self.parts):
            if part is None and state >> at & 1:
                state |= 1 << at + 1
        return state


def compiled(parts: Sequence[str], *, folders_alone: bool) -> Pattern:
    """The pattern of some parts.

    What ends in `.zip` means archives, what ends in a slash means folders, all else means both.

    Arguments:
        parts: one for each component, none of them empty.
        folders_alone: whether a slash stands at its end.
    """
    archives_alone = not folders_alone and is_archive_name(parts[-1])
    return Pattern(
        tuple(map(_part, parts)),
        tuple(part != _ANY_FOLDERS and is_debris(part) for part in parts),
        not archives_alone,
        not folders_alone,
    )


def _part(text: str) -> str | re.Pattern[str] | None:
    if text == _ANY_FOLDERS:
        return None
    return re.compile(fnmatch.translate(text)) if is_wild(text) else text


def _is_debris(name: str) -> bool:
    """Whether a name is passed over; what is no name at all is not, so that it is told."""
    return is_debris(name) and name not in (".", "..")
