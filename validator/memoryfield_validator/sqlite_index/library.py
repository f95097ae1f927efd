"""The library that reads SQLite: `apsw`, which may be missing, and is loaded on first use."""

from __future__ import annotations

ROW_RULES = frozenset({"MF504", "MF505", "MF506", "MF509"})
"""The rules that look into SQLite indexes, and are not run without the library."""

HOW_TO_INSTALL = "pip install 'memoryfield-kit[index]'"

# Before this release a quick check follows a chain of 100,000 pages by as many calls of a function,
# and the process ends for want of a stack.
_OLDEST = (3, 54, 0)


def why_not_run() -> str | None:
    """Why SQLite indexes cannot be looked into here; None where they can."""
    try:
        import apsw
    except ImportError:
        return "it needs the package apsw, which is not installed"
    release = apsw.sqlite_lib_version()
    if tuple(int(part) for part in release.split(".")[:3]) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        return f"it needs SQLite {oldest} or newer, and the package apsw brings {release}"
    return None
