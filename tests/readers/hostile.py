"""The form of a hostile archive: its bytes, the rule it breaks, and what is said of it."""

from __future__ import annotations

from typing import NamedTuple

from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

FIRST = ZipEntry("first.md", b"# First\n")
LAST = ZipEntry("last.md", b"# Last\n")
BESIDE = {"first.md": b"# First\n", "last.md": b"# Last\n"}


class Hostile(NamedTuple):
    """An archive that must be refused.

    Attributes:
        id: what it is, in a few words.
        data: its bytes.
        rule: the requirement it breaks.
        says: a part of the message that tells it from every other.
        entry: the entry the fault names, or None if it is about the whole.
        beside: the pages that can still be reviewed, with their content.
        more: rules that other faults of the same archive break, in their order.
    """

    id: str
    data: bytes
    rule: str
    says: str
    entry: str | None = None
    beside: dict[str, bytes] = BESIDE
    more: tuple[str, ...] = ()


def between(*entries: ZipEntry) -> bytes:
    """An archive in which entries stand between two good pages."""
    return zip_bytes(FIRST, *entries, LAST)
