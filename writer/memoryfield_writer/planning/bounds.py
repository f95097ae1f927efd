"""Limits on the field as it is going to be: what a reader would not take is not written (MF607)."""

from __future__ import annotations

from collections.abc import Sequence

from memoryfield_readers import BatchRejected, EntryKind, Limits
from memoryfield_readers.limits import raise_limit
from memoryfield_readers.names import PAGE_SUFFIX

from .arguments import check_size
from .net_effect import Effect
from .virtual_field import VirtualField


def check_bounds(effects: Sequence[Effect], virtual: VirtualField, limits: Limits) -> None:
    """See that the field keeps a page, and stays within the limits.

    Arguments:
        effects: what is another one than before.
        virtual: the field after all operations.
        limits: upper bounds.

    Raises:
        BatchRejected: no page would be left (MF101), or a file or the field would be larger than
            the limits allow (MF607).
    """
    location = virtual.field.location
    if not any(name.endswith(PAGE_SUFFIX) for name in virtual):
        raise BatchRejected(
            "no page would be left, and a field has at least one (MF101)",
            location=location,
            hint="add a page in the same batch",
            rules=("MF101",),
        )
    for effect in effects:
        if effect.is_edited:
            name = effect.change.name
            check_size(name, virtual.size(name), location, limits)
    more = _names_more(effects)
    if more > 0:
        count = _count(virtual) + more
        if count > limits.entries:
            raise _exceeded(f"{count} files", limits.entries, "entries", location)
    grown = _bytes_more(effects, virtual)
    if grown > 0:
        total = grown + sum(entry.size for entry in virtual.field.entries.values())
        if total > limits.total_bytes:
            raise _exceeded(f"{total} bytes in all", limits.total_bytes, "total-bytes", location)


def _exceeded(what: str, most: int, limit: str, location: str) -> BatchRejected:
    message = f"would have {what}, over the limit of {most} (MF607)"
    return BatchRejected(message, location=location, hint=raise_limit(limit), rules=("MF607",))


def _names_more(effects: Sequence[Effect]) -> int:
    kinds = [effect.change.kind for effect in effects]
    return kinds.count("added") - kinds.count("removed")


def _count(virtual: VirtualField) -> int:
    """The files that the field has, as a reader counts them."""
    field = virtual.field
    count = len(field.entries) + len(field.debris) + len(field.irregular)
    if field.archive_name is not None:  # an archive lists them without a further look
        count += sum(entry.kind is not EntryKind.DIRECTORY for entry in field.nested())
    return count


def _bytes_more(effects: Sequence[Effect], virtual: VirtualField) -> int:
    before = virtual.field.entries
    more = 0
    for effect in effects:
        change = effect.change
        if effect.key is not None:
            more += virtual.size(change.name)
        if change.kind != "added":
            more -= before[change.was or change.name].size
    return more
