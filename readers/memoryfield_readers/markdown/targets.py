"""Where a relative link leads within a field (MF209, MF402)."""

from __future__ import annotations

import re
from urllib.parse import unquote

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_END_OF_PATH = re.compile(r"[?#]")

OUTSIDE = ".."
"""Stands for every target that climbs out of the field."""


def relative_target(target: str) -> str | None:
    """The path from the root of the field to which a link leads.

    Query and fragment are cut off, percent-encoding is decoded, `.` and `..` are resolved.

    Returns:
        None for what is no relative link to a file (another scheme, `//`, `/…`, a fragment alone);
        `OUTSIDE` for a path that leaves the root; else the path, which is empty for the root.
    """
    path = _END_OF_PATH.split(target, maxsplit=1)[0]
    if not path or path[0] == "/" or _SCHEME.match(path):
        return None
    if "%" in path:
        path = unquote(path)
    if "/" not in path and path not in (".", ".."):
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return OUTSIDE
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
