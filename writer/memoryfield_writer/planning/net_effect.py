"""From what operations left behind to what is to be written, and what changed for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoryfield_readers import Manifest, name_key
from memoryfield_readers.names import PAGE_SUFFIX, Role, role

from ..plan import Plan, Put
from ..result import Change
from .virtual_field import Key, Slot, VirtualField


class Effect(NamedTuple):
    """One name of a field that is another file now, or the same file with other bytes.

    Attributes:
        change: what a person is told.
        key: the file; None for what is removed.
        in_place: whether it is the file that has always been under that name.
    """

    change: Change
    key: Key | None
    in_place: bool = False

    @property
    def is_edited(self) -> bool:
        """Whether there are bytes that were not there before, or not as a page."""
        change = self.change
        if change.kind == "removed":
            return False
        was_page = change.was is None or change.was.endswith(PAGE_SUFFIX)
        return change.before != change.after or was_page != change.name.endswith(PAGE_SUFFIX)

    @property
    def page(self) -> str | None:
        """The name of a page that is edited; None for all else."""
        name = self.change.name
        return name if self.is_edited and name.endswith(PAGE_SUFFIX) else None

    @property
    def page_before(self) -> str | None:
        """The name that an edited page had in the field before; None where it was none."""
        change = self.change
        if change.kind == "added":
            return None
        name = change.was or change.name
        return name if name.endswith(PAGE_SUFFIX) else None


def effects_of(virtual: VirtualField) -> tuple[Effect, ...]:
    """What is another one than before, by identity: a file that is renamed stays the same file.

    What was removed and added under one name counts as changed, what was added and removed as
    nothing.

    Arguments:
        virtual: the field after all operations.
    """
    touched = virtual.touched()
    entries = virtual.field.entries
    origins = {slot.origin for slot in touched.values() if slot is not None}
    gone = {name for name in touched if name in entries and name not in origins}
    effects = [
        effect
        for name, slot in touched.items()
        if slot is not None and (effect := _effect(name, slot, gone, virtual)) is not None
    ]
    replaced = {name for name, slot in touched.items() if slot is not None and slot.origin is None}
    for name in gone - replaced:
        before = virtual.field.sha256(name)
        effects.append(Effect(Change("removed", name, None, before, None), None))
    effects.sort(key=lambda effect: (name_key(effect.change.name), effect.change.kind))
    return tuple(effects)


def _effect(name: str, slot: Slot, gone: set[str], virtual: VirtualField) -> Effect | None:
    field, after = virtual.field, virtual.sha256(name)
    if slot.origin == name or (slot.origin is None and name in gone):
        before = field.sha256(name)
        if before == after:
            return None
        in_place = slot.origin == name
        return Effect(Change("changed", name, None, before, after), slot.key, in_place)
    if slot.origin is None:
        return Effect(Change("added", name, None, None, after), slot.key)
    before = field.sha256(slot.origin)
    return Effect(Change("renamed", name, slot.origin, before, after), slot.key)


def plan_from(effects: Sequence[Effect], virtual: VirtualField, before: Manifest) -> Plan:
    """What is to be written.

    Arguments:
        effects: what is another one than before.
        virtual: the field after all operations.
        before: the manifest of the field as it was; of no files where it had none.
    """
    puts: dict[str, Put] = {}
    removes: list[str] = []
    for effect in effects:
        name, was = effect.change.name, effect.change.was
        if effect.key is None:
            removes.append(name)
        elif effect.in_place:
            path = str(effect.key)
            puts[path] = Put(virtual.content(name), was=path)
        elif was is not None:
            moved = effect.change.before == effect.change.after
            puts[name] = Put(virtual.content(name), was=was, moved=moved)
            removes.append(was)
        else:
            replaces = effect.change.kind == "changed"
            puts[name] = Put(virtual.content(name), was=name if replaces else None)
    removes = [name for name in dict.fromkeys(removes) if name not in puts]
    changes = tuple(effect.change for effect in effects)
    return Plan(puts, tuple(removes), changes, _manifest(changes, before))


def _manifest(changes: Sequence[Change], before: Manifest) -> Manifest:
    if not changes:
        return before
    hashes = dict(before.hashes)
    for name in _leaving(changes):
        hashes.pop(name, None)
    coming = {
        change.name: change.after
        for change in changes
        if change.after is not None and role(change.name) is not Role.INDEX
    }
    in_order = coming.keys() <= hashes.keys()
    hashes.update(coming)
    return Manifest(hashes) if in_order else Manifest.of(hashes)


def _leaving(changes: Sequence[Change]) -> Iterator[str]:
    """The names under which something else stands now, or nothing."""
    for change in changes:
        if change.was is not None:
            yield change.was
        elif change.kind == "removed":
            yield change.name
