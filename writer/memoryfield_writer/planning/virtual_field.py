"""A field while a batch is worked out: what the operations so far have made of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from memoryfield_readers import Field
from memoryfield_readers.names import PAGE_SUFFIX
from memoryfield_validator.naming import folded

Key: TypeAlias = "str | int"
"""What a file is, whatever its names: the path of one that is there, the number of a new one."""

_MOST_KEPT = 64 * 1024 * 1024
"""Bytes of files that are kept in memory after they have been read."""


class Slot(NamedTuple):
    """What stands under a name.

    Attributes:
        key: the file.
        origin: the name that this name was at first; None for one that was added.
    """

    key: Key
    origin: str | None


class VirtualField:
    """Names and contents as the operations so far have left them; the field itself stays as it is.

    Only what differs from the field is held, so that an edit of one page costs no more in a large
    field. A symbolic link is a second name of the file that it leads to.

    Attributes:
        field: the field as it was read.
    """

    def __init__(self, field: Field) -> None:
        """Begin with a field as it is."""
        self.field = field
        self._names: dict[str, Slot | None] = {}
        self._named: dict[Key, dict[str, None]] = {}
        self._linked: dict[Key, list[str]] = {}
        for name, path in field.links.items():
            self._linked.setdefault(path, []).append(name)
        self._written: dict[Key, bytes] = {}
        self._hashes: dict[Key, str] = {}
        self._read: dict[Key, bytes] = {}
        self._room = _MOST_KEPT
        self._count = 0
        self._by_fold: dict[str, list[str]] | None = None

    def __contains__(self, name: str) -> bool:
        return self.slot(name) is not None

    def __iter__(self) -> Iterator[str]:
        """The names of all pages, attachments and indexes; new ones come last."""
        changed = self._names
        for name in self.field.entries:
            if changed.get(name, name) is not None:
                yield name
        for name, slot in changed.items():
            if slot is not None and name not in self.field.entries:
                yield name

    def slot(self, name: str) -> Slot | None:
        """What stands under a name; None for nothing."""
        if name in self._names:
            return self._names[name]
        if name not in self.field.entries:
            return None
        return Slot(self.field.links.get(name, name), name)

    def content(self, name: str) -> bytes:
        """The bytes under a name that is there.

        Raises:
            MemoryfieldError: it cannot be read; as `Field.content` raises.
        """
        key, origin = self._there(name)
        known = self._written.get(key)
        if known is None:
            known = self._read.get(key)
        if known is None:
            known = self.field.content(_of_field(origin))
            if len(known) <= self._room:
                self._room -= len(known)
                self._read[key] = known
        return known

    def pages(self) -> Iterator[tuple[str, Key, bytes]]:
        """All pages: a name, the file and its bytes; a page that has several names comes once.

        Raises:
            MemoryfieldError: one cannot be read; as `Field.content` raises.
        """
        field, names, links = self.field, self._names, self.field.links
        field.prepare(name for name in field.pages if name in self)
        seen: set[Key] = set()
        for name in self:
            if not name.endswith(PAGE_SUFFIX):
                continue
            if links or name in names:
                key = self._there(name).key
                if key in seen:
                    continue
                seen.add(key)
            else:
                key = name
            yield name, key, self.content(name)

    def sha256(self, name: str) -> str:
        """The SHA-256 of the bytes under a name that is there, in hexadecimal."""
        key, origin = self._there(name)
        if key not in self._written:
            return self.field.sha256(_of_field(origin))
        if key not in self._hashes:
            self._hashes[key] = hashlib.sha256(self._written[key]).hexdigest()
        return self._hashes[key]

    def size(self, name: str) -> int:
        """The bytes under a name that is there, counted."""
        key, origin = self._there(name)
        written = self._written.get(key)
        return self.field.entries[_of_field(origin)].size if written is None else len(written)

    def add(self, name: str, content: bytes) -> None:
        """Put a new file under a name that is free."""
        self._count += 1
        self._set(name, Slot(self._count, None))
        self.write(name, content)

    def write(self, name: str, content: bytes) -> None:
        """Put other bytes under a name that is there, and under all names of that file."""
        key = self._there(name).key
        self._written[key] = content
        self._hashes.pop(key, None)

    def remove(self, name: str) -> None:
        """Free a name."""
        self._set(name, None)

    def rename(self, name: str, to: str) -> None:
        """Put what stands under a name under one that is free."""
        slot = self._there(name)
        self._set(name, None)
        self._set(to, slot)

    def names_of(self, key: Key) -> list[str]:
        """All names of a file."""
        names = [*self._linked.get(key, ())]
        if isinstance(key, str):
            names.append(key)
        names += self._named.get(key, ())
        return [name for name in dict.fromkeys(names) if self._is(name, key)]

    def collision(self, name: str, leaving: str | None = None) -> str | None:
        """The name that differs from a new one only by case or normalisation (MF106).

        Arguments:
            name: the new one.
            leaving: a name that goes as this one comes.
        """
        if self._by_fold is None:
            self._by_fold = {}
            for each in (*self, *self.field.folders):
                self._by_fold.setdefault(folded(each), []).append(each)
        alike = self._by_fold.get(folded(name), ())
        return next((each for each in alike if each not in (name, leaving)), None)

    def touched(self) -> dict[str, Slot | None]:
        """The names that are no longer what they were, or whose file was written; in no order."""
        names = dict(self._names)
        for key in self._written:
            for name in self.names_of(key):
                names[name] = self.slot(name)
        return names

    def is_written(self, key: Key) -> bool:
        """Whether a file was given bytes, be it those that it had."""
        return key in self._written

    def _there(self, name: str) -> Slot:
        slot = self.slot(name)
        if slot is None:
            raise KeyError(name)
        return slot

    def _is(self, name: str, key: Key) -> bool:
        slot = self.slot(name)
        return slot is not None and slot.key == key

    def _set(self, name: str, slot: Slot | None) -> None:
        if self._by_fold is not None:
            alike = self._by_fold.setdefault(folded(name), [])
            if name in self and slot is None:
                alike.remove(name)
            elif name not in self and slot is not None:
                alike.append(name)
        before = self._names.get(name)
        if before is not None:
            del self._named[before.key][name]
        if slot is not None:
            self._named.setdefault(slot.key, {})[name] = None
        self._names[name] = slot


def _of_field(origin: str | None) -> str:
    if origin is None:
        raise KeyError("a file that was added has been written")
    return origin
