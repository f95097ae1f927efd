"""A field that does not exist yet: a folder or an archive with a first page."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryfield_readers import (
    DEFAULT_LIMITS,
    AccessDenied,
    Limits,
    SourceUnavailable,
    WriteConflict,
    is_debris,
    local_path,
)
from memoryfield_readers.names import archive_stem
from memoryfield_readers.system_errors import reason_of
from memoryfield_validator.fixes.titles import title_from_name

from .applying import apply
from .batch import Batch
from .new_pages import new_page
from .packing import pack

FIRST_PAGE = "index.md"
"""The page that a reader opens first (MF401)."""

_ARCHIVE_ENDING = ".zip"


@dataclass(frozen=True, slots=True)
class Founded:
    """A field that was made.

    Attributes:
        location: where it is, as messages show it.
        digest: its field pin.
        archive_pin: its archive pin; None for a folder.
        page: the name of its first page.
    """

    location: str
    digest: str
    archive_pin: str | None
    page: str = FIRST_PAGE


def found(
    location: str,
    now: datetime,
    *,
    title: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    storage_options: Mapping[str, Any] | None = None,
) -> Founded:
    """Make a field of one page, `index.md`.

    Arguments:
        location: a folder that is not there or holds nothing, or an archive that is not there: what
            ends in `.zip` is one.
        now: the time, aware of its zone.
        title: the title of the field; None for its name in words.
        limits: upper bounds.
        storage_options: for a location elsewhere.

    Raises:
        WriteConflict: there is something already.
        InvalidBatch: the title is none.
        MemoryfieldError: it cannot be made.
    """
    name = archive_stem(os.path.basename(os.path.abspath(location)))
    page = new_page(FIRST_PAGE, now, title=title or title_from_name(name))
    path = local_path(location)
    if path is not None and not location.endswith(_ARCHIVE_ENDING):
        return _folder(path, location, Batch([page]), limits)
    if path is not None and os.path.lexists(path):
        raise _taken(location)
    with tempfile.TemporaryDirectory(prefix="memoryfield-") as made:
        content = page.text if isinstance(page.text, bytes) else page.text.encode()
        Path(made, FIRST_PAGE).write_bytes(content)
        packed = pack(
            made,
            location if path is None else path,
            checksum=False,
            limits=limits,
            storage_options=storage_options,
        )
    return Founded(location, packed.digest, packed.archive_pin)


def _folder(path: Path, location: str, batch: Batch, limits: Limits) -> Founded:
    with ExitStack() as undo:
        try:
            if os.path.lexists(path):
                if not path.is_dir() or any(not is_debris(name) for name in os.listdir(path)):
                    raise _taken(location)
            else:
                path.mkdir()
                undo.callback(_remove_empty, path)
        except OSError as error:
            denied = isinstance(error, PermissionError)
            kind = AccessDenied if denied else SourceUnavailable
            raise kind(f"cannot be made: {reason_of(error)}", location=location) from error
        applied = apply(location, batch, limits=limits)
        undo.pop_all()
    return Founded(location, applied.digest, None)


def _remove_empty(path: Path) -> None:
    with suppress(OSError):  # it holds something: somebody else was quick
        path.rmdir()


def _taken(location: str) -> WriteConflict:
    return WriteConflict(
        "there is something already",
        location=location,
        hint="`memoryfield new` adds a page to a field; else name a place where nothing is",
    )
