"""Paths that a store elsewhere tells of: what is none is neither listed nor asked for (MF603)."""

from __future__ import annotations


def is_plain(path: str) -> bool:
    """Whether a path stays below its root, on every system."""
    if "\0" in path or "\\" in path:
        return False
    return all(component not in ("", ".", "..") for component in path.split("/"))
