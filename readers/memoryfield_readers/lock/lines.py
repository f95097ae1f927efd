"""The lines of a manifest as a lock file has them: a hash, two blanks, and a plain name.

They are narrower than a manifest's: what cannot stand in a line as it is, or is no plain name of a
file at the root, is in no lock file. So no name in one has to be escaped, and none leads anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..display import shown
from ..entry import name_key
from ..manifest import Manifest
from ..names import Role, role

IN_MANIFEST = frozenset({Role.PAGE, Role.ATTACHMENT})
"""What a manifest names."""

INDEXES = frozenset({Role.INDEX})
"""What the lines of indexes name."""

MOST_NAME = 1024
"""So many characters has a name at most."""

_LINE = re.compile(r"([0-9a-f]{64})  (.+)", re.DOTALL)
_NOT_IN_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f/\\\ud800-\udfff]")


def lines_of(hashes: Mapping[str, str]) -> list[str]:
    """The lines of some files, sorted by the bytes of their names."""
    return list(Manifest.of(hashes).lines)


def hashes_of(lines: Iterable[str], roles: frozenset[Role]) -> dict[str, str]:
    """The hashes that some lines say, by name.

    Arguments:
        lines: the lines, without line feeds.
        roles: what the names may be those of.

    Raises:
        ValueError: one of the lines is none, or out of order; its text says which and why.
    """
    hashes: dict[str, str] = {}
    before = b""
    for number, line in enumerate(lines, start=1):
        found = _LINE.fullmatch(line)
        if found is None:
            raise ValueError(f"line {number} is no hash, two blanks and a name: {shown(line, 100)}")
        digest, name = found.groups()
        problem = name_problem(name, roles)
        if problem:
            raise ValueError(f"line {number}: the name {shown(name)} {problem}")
        key = name_key(name)
        if key <= before:
            wrong = "stands there twice" if name in hashes else "is not in order"
            raise ValueError(f"line {number}: the name {shown(name)} {wrong}")
        hashes[name], before = digest, key
    return hashes


def name_problem(name: str, roles: frozenset[Role]) -> str:
    """Why a name cannot stand in a line, as the end of a sentence; "" if it can."""
    if len(name) > MOST_NAME:
        return f"has more than {MOST_NAME} characters"
    unfit = _NOT_IN_NAME.search(name)
    if unfit is not None:
        if unfit[0] >= "\ud800":
            return "is not UTF-8"
        if unfit[0] in "/\\":
            return f"holds a {'slash' if unfit[0] == '/' else 'backslash'}"
        return "holds a control character"
    found = role(name)
    if found not in roles:
        kind = {Role.DEBRIS: "debris", Role.INDEX: "a vector index"}.get(found, "no vector index")
        return f"is that of {kind}"
    return ""
