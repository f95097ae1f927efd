"""No edit gives a page a uuid that another page has (MF307)."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

from memoryfield_readers import BatchRejected, Entry, EntryKind, Page, shown
from memoryfield_readers.frontmatter import STR, Scalar

from .net_effect import Effect
from .virtual_field import Key, VirtualField

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_STANDARD = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_STANDARD_BYTES = re.compile(_STANDARD.pattern.encode())
_FIELD = b"uuid"
_OPENING = b"---"
_CLOSING = re.compile(rb"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_MOST_BEFORE = 8
"""Bytes in which a block begins, a byte-order mark included."""

_FEW = 8
"""So many texts are quicker looked for one by one."""


def stated_uuids(effects: Sequence[Effect], virtual: VirtualField) -> frozenset[str]:
    """The uuids that edited pages state of themselves and did not before, in lower case.

    Arguments:
        effects: what is another one than before.
        virtual: the field after all operations, and before frontmatter is filled in: a uuid that is
            made then is nobody else's.

    Raises:
        MemoryfieldError: a page as it was cannot be read.
    """
    new: set[str] = set()
    for effect in effects:
        name, was = effect.page, effect.page_before
        if name is None:
            continue
        uuid = _uuid(name, virtual.content(name))
        if uuid and (was is None or uuid != _uuid(was, virtual.field.content(was))):
            new.add(uuid)
    return frozenset(new)


def check_unique(uuids: frozenset[str], virtual: VirtualField) -> None:
    """See that of the pages of a field one alone has each of these uuids.

    A page is parsed only if it can have one: its bytes hold it, or its block has an escape.

    Arguments:
        uuids: the uuids, in lower case.
        virtual: the field after all operations.

    Raises:
        BatchRejected: two pages have one.
        MemoryfieldError: a page cannot be read.
    """
    if not uuids:
        return
    may_have = _Sieve(uuids)
    owners: dict[str, dict[Key, str]] = {}
    for name, key, raw in virtual.pages():
        if may_have(raw):
            owners.setdefault(_uuid(name, raw), {}).setdefault(key, name)
    touched = virtual.touched()
    for uuid in uuids:
        names = [*owners.get(uuid, {}).values()]
        if len(names) > 1:  # the one first that is new or was edited
            names.sort(key=lambda name: name not in touched)
            raise _shared(uuid, names, virtual.field.location)


def _shared(uuid: str, names: Sequence[str], location: str) -> BatchRejected:
    return BatchRejected(
        f"MF307: would share the uuid {shown(uuid)} with {shown(names[1])}",
        location=location,
        entry=names[0],
        hint="give it one of its own, or leave the field out",
        rules=("MF307",),
    )


class _Sieve:
    """Tells the pages apart that can have one of some uuids; most have none of them."""

    def __init__(self, uuids: frozenset[str]) -> None:
        standard = [uuid.encode() for uuid in uuids if _STANDARD.fullmatch(uuid)]
        self._has_odd = len(standard) < len(uuids)
        self._few = standard if len(standard) <= _FEW else []
        self._many = frozenset(standard if len(standard) > _FEW else [])

    def __call__(self, raw: bytes) -> bool:
        lower = raw.lower()
        if any(uuid in lower for uuid in self._few):
            return True
        if self._many and not self._many.isdisjoint(_STANDARD_BYTES.findall(lower)):
            return True
        if self._has_odd and _FIELD in lower:  # YAML has many ways to write a text
            return True
        return b"\\" in raw and b"\\" in _block(raw)


def _block(raw: bytes) -> bytes:
    """What may be the frontmatter block of a page, perhaps with more before it."""
    closing = _CLOSING.search(raw, _MOST_BEFORE)
    return raw[: closing.start()] if closing and _OPENING in raw[:_MOST_BEFORE] else b""


def _uuid(name: str, raw: bytes) -> str:
    """The uuid of a page as it is compared; "" where it has none."""
    page = Page(name, raw, Entry(name, EntryKind.FILE, len(raw)))
    node = page.frontmatter.nodes.get("uuid")
    if not isinstance(node, Scalar) or node.tag != STR:
        return ""
    return node.text.translate(_LOWER)
