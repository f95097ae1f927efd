"""Pages whose files have more than one name: symbolic links, and what they lead to."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from memoryfield_readers import Field

_LINKED: WeakKeyDictionary[Field, frozenset[str]] = WeakKeyDictionary()
"""Worked out once a field, since each page without a uuid asks."""


def linked_names(field: Field) -> frozenset[str]:
    """The names of the links of a field and the paths of what they lead to.

    Such a file can be read by other names than the one at hand, and by others than us.
    """
    if not field.links:
        return frozenset()
    known = _LINKED.get(field)
    if known is None:
        known = _LINKED[field] = frozenset({*field.links, *field.links.values()})
    return known


def takes_uuid(field: Field, name: str) -> bool:
    """Whether a page can be given a uuid: a link and what it leads to would share it (MF307)."""
    return name not in linked_names(field)
