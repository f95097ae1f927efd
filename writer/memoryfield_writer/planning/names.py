"""Names that a file may be given: stricter than what a reader takes (MF104, MF107, MF201, MF210).

Files that are there already keep the names they have; they can be removed and renamed.
"""

from __future__ import annotations

import re

from memoryfield_readers import BatchRejected, is_debris, is_page_name, shown, visible
from memoryfield_readers.file_names import fits_windows
from memoryfield_readers.names import PAGE_SUFFIX, Role, role
from memoryfield_validator.naming import conforming_name, is_reserved

from .step import Step

_MOST_BYTES = 255
_LOOKALIKE = re.compile(r".+\.(?:md|markdown|mdx)", re.ASCII | re.IGNORECASE | re.DOTALL)
_SEPARATORS = frozenset("/\\")

INDEX_HINT = "`memoryfield index build` makes it: it can only be removed here"


def check_new_name(step: Step, name: str) -> None:
    """See that a file may be given a name.

    Arguments:
        step: the operation that gives it.
        name: the name.

    Raises:
        BatchRejected: it must not have it.
    """
    problem = _of_page(step, name) if name.endswith(PAGE_SUFFIX) else _of_attachment(step, name)
    if problem is not None:
        raise problem
    if is_reserved(name):
        device = name.partition(".")[0]
        raise step.rejected(
            f"Windows reserves {shown(device)} for a device", entry=name, rules=("MF107",)
        )
    size = len(name.encode())
    if size > _MOST_BYTES:
        raise step.rejected(
            f"a name of {size} bytes, where file systems take {_MOST_BYTES}", entry=name
        )


def _of_page(step: Step, name: str) -> BatchRejected | None:
    if is_page_name(name):
        return None
    better = conforming_name(name.rpartition("/")[2])
    return step.rejected(
        f"{shown(name)} is no page name, which has lower-case letters, digits and hyphens",
        entry=name,
        hint=f"{shown(better)} is one",
        rules=("MF201",),
    )


def _of_attachment(step: Step, name: str) -> BatchRejected | None:
    if not _SEPARATORS.isdisjoint(name):
        return step.rejected(
            f"{shown(name)} has a slash: all files stand at the root of a field", entry=name
        )
    if visible(name) != name:
        return step.rejected(
            f"{shown(name)} has a character that cannot be seen, or is no text", entry=name
        )
    if is_debris(name):  # "." and ".." among it
        return step.rejected(
            f"{shown(name)} would be debris, which readers ignore", entry=name, rules=("MF104",)
        )
    if role(name) is Role.INDEX:
        return step.rejected(f"{shown(name)} would be a vector index", entry=name, hint=INDEX_HINT)
    if _LOOKALIKE.fullmatch(name):
        return step.rejected(
            f"{shown(name)} looks like a page, but only names ending in `.md` are pages",
            entry=name,
            hint=f"{shown(conforming_name(name))} is a page",
            rules=("MF210",),
        )
    if not fits_windows(name):
        return step.rejected(f"{shown(name)} is no name on Windows", entry=name)
    return None
