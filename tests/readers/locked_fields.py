"""Fields of lock files for tests: locked as they are, and all that one hands out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.readers.places import Place

from memoryfield_readers import Field, MemoryfieldError
from memoryfield_readers.lock import (
    LOCK_NAME,
    LOCK_VARIABLE,
    STATE_VARIABLE,
    LockedField,
    LockFile,
    lock_field,
    remember,
    render_lock,
    stored_location,
)

NAME = "woks"
AT = f"@{NAME}"
"""How the field is named once it is locked."""


def lock_place(place: Place, root: Path, patch: pytest.MonkeyPatch) -> LockedField:
    """Write a lock file that counts from now on, with the field of a place as it is.

    Its location is one that a person has typed here.
    """
    return lock_location(place.location, place.open, root, patch)


def lock_location(
    location: str,
    opened: Callable[[], AbstractContextManager[Field]],
    root: Path,
    patch: pytest.MonkeyPatch,
) -> LockedField:
    """As `lock_place` does, for any location, and a field that is opened in any way."""
    path = root / LOCK_NAME
    patch.setenv(STATE_VARIABLE, str(root / "state"))
    patch.setenv(LOCK_VARIABLE, str(path))
    stored = stored_location(location, path)
    with opened() as field:
        locked = lock_field(NAME, stored, field)
    assert remember(stored)
    path.write_text(render_lock(LockFile(path, {NAME: locked})), encoding="utf-8")
    return locked


def contents(field: Field) -> dict[str, bytes]:
    """All that a field hands out: pages both ways, attachments and vector indexes."""
    pages = {page.name: page.raw for page in field.read(field.pages)}
    names = (*field.pages, *field.attachments, *field.indexes)
    found = {name: b"".join(field.chunks(name)) for name in names}
    assert pages.items() <= found.items()
    return found


def attempt(opened: Callable[[], Field]) -> dict[str, bytes] | MemoryfieldError:
    """All that a field hands out, or why it hands out nothing."""
    try:
        with opened() as field:
            return contents(field)
    except MemoryfieldError as error:
        return error
