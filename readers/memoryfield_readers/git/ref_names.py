"""What can be the name of a branch, a tag or a commit, whoever is asked for it."""

from __future__ import annotations

import re

from ..display import shown
from ..errors import LocationError

_NOT_IN_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\\ud800-\udfff]|\.\.|@\{|//|/\.|^[-./]|[./]$|^@$")
_MOST_REF = 1000


def check_ref(ref: str, location: str) -> None:
    """Refuse what cannot be the name of a branch, a tag or a commit.

    What git would take for an option, a range, a search or a path in a tree is none.

    Raises:
        LocationError: it is none.
    """
    if not ref or len(ref) > _MOST_REF or _NOT_IN_REF.search(ref):
        raise LocationError(
            f"{shown(ref)} is no branch, tag or commit id",
            location=location,
            hint="write the name of a branch or a tag, or the hexadecimal id of a commit",
        )
