"""The library that reads and writes SQLite: `apsw`, loaded on first use, which may be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoryfield_readers import SourceUnavailable

if TYPE_CHECKING:
    import types

HOW_TO_INSTALL = 'pip install "memoryfield-kit[index]"'


def sqlite() -> types.ModuleType:
    """The library.

    Raises:
        SourceUnavailable: it is not installed.
    """
    try:
        import apsw
    except ImportError as error:
        raise SourceUnavailable(
            "searches and vector indexes need the package apsw, which is not installed",
            hint=HOW_TO_INSTALL,
        ) from error
    return apsw
