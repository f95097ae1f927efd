"""Whether a folder still holds what the field was read with, before a batch counts."""

from __future__ import annotations

import os
import stat

from memoryfield_readers import Field, NotFollowed, WriteConflict, follow_link, is_debris

from .failing import at_entry
from .root import Root


def check_unchanged(root: Root, field: Field, location: str) -> None:
    """See that no program that asks for no lock changed the field since it was read.

    Names, sizes and times of all files are compared, as the field pin that the batch leads to is
    one of all of them; what a batch replaces is hashed beside that.

    Raises:
        WriteConflict: it did, or the path leads to another folder by now.
        StepFailed: it cannot be found out.
    """
    with at_entry(None):
        if not root.is_at_its_path():
            raise changed(location, None)
        top = root.top
        missing = {*field.entries, *field.folders, *(entry.path for entry in field.irregular)}
        with os.scandir(top.path if top.descriptor is None else top.descriptor) as items:
            for item in items:
                if item.name not in missing:
                    if is_debris(item.name):
                        continue
                    raise changed(location, item.name)
                if not _is_as_read(item, root, field):
                    raise changed(location, item.name)
                missing.discard(item.name)
        if missing:
            raise changed(location, min(missing))


def _is_as_read(item: os.DirEntry[str], root: Root, field: Field) -> bool:
    entry = field.entries.get(item.name)
    if entry is None:  # a folder, or what is no regular file: no batch touches it
        return True
    try:
        if item.name in field.links:
            parts, status = follow_link(root, item.name)
            if "/".join(parts) != field.links[item.name]:
                return False
        else:
            status = item.stat(follow_symlinks=False)
    except (NotFollowed, FileNotFoundError):
        return False
    found = (stat.S_ISREG(status.st_mode), status.st_size, status.st_mtime_ns)
    return found == (True, entry.size, entry.modified_ns)


def changed(location: str, entry: str | None) -> WriteConflict:
    """The error for what is no longer as it was read."""
    return WriteConflict(
        "was changed by another program since the field was read; nothing was written",
        location=location,
        entry=entry,
        hint="read the field anew, and try again",
    )
