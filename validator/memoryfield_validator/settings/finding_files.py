"""Which file holds the settings: the nearest one upward from where the command runs.

A field that somebody sent must not decide how it is checked: a file within a field that is being
checked is passed over, and the caller says so. `--config` takes any file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from .reading import PYPROJECT, SettingsError, has_settings

FILE_NAMES = ("memoryfield.toml", PYPROJECT)
"""In one folder the first of these counts."""


class FoundSettings(NamedTuple):
    """Where settings stand.

    Attributes:
        path: the file that counts, or None where there is none.
        passed_over: files with settings that do not count, since a field holds them.
    """

    path: Path | None
    passed_over: tuple[Path, ...]


def find_settings(start: Path, fields: Iterable[Path]) -> FoundSettings:
    """The nearest file with settings in a folder or one above it.

    Arguments:
        start: the folder to begin with.
        fields: folders that are checked; a file within one of them does not count.

    Raises:
        SettingsError: a `pyproject.toml` on the way cannot be read.
    """
    within = [path.resolve() for path in fields]
    passed_over: list[Path] = []
    start = start.resolve()
    for folder in (start, *start.parents):
        for name in FILE_NAMES:
            path = folder / name
            if not path.is_file():
                continue
            if not any(folder.is_relative_to(field) for field in within):
                if has_settings(path):
                    return FoundSettings(path, tuple(passed_over))
            elif _may_have_settings(path):
                passed_over.append(path)
    return FoundSettings(None, tuple(passed_over))


def _may_have_settings(path: Path) -> bool:
    """Whether a file of a field would count elsewhere; one that cannot be read may."""
    try:
        return has_settings(path)
    except SettingsError:
        return True
