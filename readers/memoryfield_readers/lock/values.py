"""A lock file and the fields in it, as values."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..display import shown
from ..errors import LocationError
from ..manifest import Manifest
from ..pins.pin import Pin

LOCK_NAME = "memoryfields.lock"
"""The name of a lock file."""

VERSION = 1
"""The version of the format that is written, and the newest that is read."""

MARK = "@"
"""What stands before the name of a locked field where that could be taken for a path."""

_FIELD_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def is_field_name(text: str) -> bool:
    """Whether a text can be the name of a field in a lock file."""
    return _FIELD_NAME.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class LockedField:
    """One field as a lock file keeps it; what is in it has been checked against itself.

    Attributes:
        name: what it is called in the lock file.
        location: where it comes from, as a person gave it: a path, which may be relative to the
            folder of the lock file, or a URL.
        field_pin: of its pages and attachments.
        manifest: the hashes that the field pin is made from.
        resolved: the location with the commit or version that was read; None where there is none.
        archive_pin: of its archive; None for what is no archive.
        size: bytes of all pages and attachments.
        archive_size: bytes of its archive; None for what is no archive.
        indexes: SHA-256 of the vector indexes that came with it, by name: the field pin does not
            cover them.
        rest: keys that this version does not know, which stay as they are.
    """

    name: str
    location: str
    field_pin: Pin
    manifest: Manifest
    resolved: str | None = None
    archive_pin: Pin | None = None
    size: int = field(kw_only=True)
    archive_size: int | None = None
    indexes: Mapping[str, str] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LockFile:
    """What a lock file says.

    Attributes:
        path: where it is, as an absolute path.
        fields: the fields by their names.
        rest: keys that this version does not know, which stay as they are.
        typed: locations that a person typed for this run, so that they are trusted in it even where
            that cannot be remembered; no file has them.
    """

    path: Path
    fields: Mapping[str, LockedField]
    rest: Mapping[str, Any] = field(default_factory=dict)
    typed: frozenset[str] = field(default=frozenset(), compare=False)

    def field(self, name: str) -> LockedField:
        """The field of a name.

        Raises:
            LocationError: there is none; the hint names those that are near.
        """
        found = self.fields.get(name)
        if found is None:
            near = difflib.get_close_matches(name, self.fields, n=3)
            hint = "did you mean " + " or ".join(map(shown, near)) + "?" if near else None
            raise LocationError(
                f"there is no field {shown(name)} in it",
                location=str(self.path),
                hint=hint or "`memoryfield lock show` lists what there is",
            )
        return found

    def require_free(self, name: str) -> None:
        """Refuse a name that is taken.

        Raises:
            LocationError: it is.
        """
        if name in self.fields:
            raise LocationError(
                f"there is a field {shown(name)} in it already",
                location=str(self.path),
                hint=f"`memoryfield lock update {name}` reads it anew, and "
                f"`memoryfield lock remove {name}` takes it out",
            )

    def with_typed(self, locations: Iterable[str]) -> LockFile:
        """The same, with locations that a person typed for this run."""
        return replace(self, typed=self.typed.union(locations))

    def with_field(self, locked: LockedField) -> LockFile:
        """The same with a field added, or put in the place of the one of its name."""
        return replace(self, fields={**self.fields, locked.name: locked})

    def without(self, name: str) -> LockFile:
        """The same without a field; raises as `field` does."""
        self.field(name)
        return replace(self, fields={n: each for n, each in self.fields.items() if n != name})
