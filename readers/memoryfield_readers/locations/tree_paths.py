"""Paths within the tree of a repository, as locations have them."""

from __future__ import annotations

from urllib.parse import unquote

from ..errors import LocationError


def path_in_tree(text: str, kind: str, hint: str) -> str:
    """The path that a part of a location names, decoded; "" for the root.

    Raises:
        LocationError: it is no plain relative path.
    """
    path = unquote(text, errors="surrogateescape").strip("/")
    if not path:
        return ""
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\x00" in path:
        raise LocationError(f"is no {kind} location: its path is no plain one", hint=hint)
    if ".git" in (part.lower() for part in parts):
        raise LocationError(f"is no {kind} location: .git is no part of a tree", hint=hint)
    return path
