"""All that a batch needs, on the disk beside the field before anything of the field is touched."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from typing import NamedTuple

from memoryfield_readers import AccessDenied, Field, LimitExceeded, SourceUnavailable
from memoryfield_readers.atomic import check_writable
from memoryfield_readers.journal import (
    JOURNAL,
    Before,
    InvalidJournal,
    Journal,
    JournalFile,
    journal_bytes,
)

from ..plan import Plan, Put
from ..taking_over import Kept
from . import disk
from .failing import at_entry
from .root import DRAFT, UNDO, Place, Root, Staging
from .unchanged import changed


class Staged(NamedTuple):
    """A batch that is on the disk and does not count yet.

    Attributes:
        journal: what is to be done.
        links: the files of it that are symbolic links which go.
    """

    journal: Journal
    links: tuple[JournalFile, ...]


def check_rights(root: Root, plan: Plan, location: str) -> None:
    """See that nothing a batch does is forbidden, before anything is written.

    Raises:
        AccessDenied: the folder, or a file that is to be replaced, may not be written.
        StepFailed: it cannot be found out.
    """
    sticky = _is_sticky_for_us(root)
    with at_entry(None):
        _check(root.place("."), None, location)
    for path in (*plan.removes, *plan.puts):
        with at_entry(path):
            place = root.place(path)
            if "/" in path:
                _check(place._replace(name="."), path, location)
            status = place.status()
            if status is None:
                continue
            if path in plan.puts:
                _check(place, path, location)
            if sticky and status.st_uid != os.geteuid():
                raise AccessDenied(
                    "may not be replaced or removed: it belongs to another user, and so does the "
                    "folder; nothing was changed",
                    location=location,
                    entry=path,
                )


def _check(place: Place, entry: str | None, location: str) -> None:
    try:
        check_writable(place.directory, place.name)
        if place.name == "." and not os.access(
            place.directory.at("."), os.X_OK, dir_fd=place.directory.descriptor
        ):
            raise PermissionError
    except PermissionError as error:
        raise AccessDenied(
            "may not be written; nothing was changed",
            location=location,
            entry=entry,
            hint="change its mode, or work as its owner",
        ) from error


def _is_sticky_for_us(root: Root) -> bool:
    """Whether only the owner of a file may take it away, and we own neither folder nor all."""
    status = root.status()
    sticky = bool(status.st_mode & stat.S_ISVTX) and hasattr(os, "geteuid")
    return sticky and os.geteuid() not in (0, status.st_uid)


def stage(root: Root, staging: Staging, plan: Plan, field: Field, location: str) -> Staged:
    """Write all contents, and keep what is there now; have both on the disk.

    Raises:
        WriteConflict: a file is no longer what the field was read with.
        LimitExceeded: it changes more files than a journal can name.
        StepFailed: it cannot be written.
    """
    files: list[JournalFile] = []
    way_back: list[JournalFile] = []
    links: list[JournalFile] = []
    for number, path in enumerate((*plan.removes, *plan.puts)):
        with at_entry(path):
            put = plan.puts.get(path)
            if put is None:
                file, back = _staged_removal(root, path, number, field, location)
            else:
                file, back = _staged_put(root, staging, path, put, number, field, location)
        files.append(file)
        if back is None:
            links.append(file)
        else:
            way_back.append(back)
    folder = root.status().st_ino
    journal = Journal(folder, tuple(files))
    try:
        forward_bytes = journal_bytes(journal)
        way_back_bytes = journal_bytes(Journal(folder, tuple(way_back)))
    except LimitExceeded as error:
        error.location = location
        raise
    except InvalidJournal as error:  # a link leads to where nothing is written
        raise SourceUnavailable(
            f"cannot be written: the journal {error}; nothing was changed", location=location
        ) from error
    with at_entry(None):
        _write(root, staging, DRAFT, forward_bytes)  # first: see `Staging.has_counted`
        _write(root, staging, UNDO, way_back_bytes)
        disk.sync_folder(staging.directory)
        disk.sync_folder(root.top)
    return Staged(journal, tuple(links))


def commit(staging: Staging) -> None:
    """Make the batch count: from here on it is carried out, whatever happens.

    Raises:
        StepFailed: it cannot be; it may count all the same.
    """
    with at_entry(None):
        disk.move(staging.directory, DRAFT, staging.directory, JOURNAL)
        disk.sync_folder(staging.directory)


def _write(root: Root, staging: Staging, name: str, data: bytes) -> None:
    """Write a file that those may read who may look into the field, and nobody else may write."""
    above = root.status()
    like = os.stat_result((stat.S_IFREG | (above.st_mode & 0o444) | 0o600, *above[1:]))
    disk.write_new(staging.directory, name, data, Kept(like, ()))


def _staged_removal(
    root: Root, path: str, number: int, field: Field, location: str
) -> tuple[JournalFile, JournalFile | None]:
    """A file that goes: it is moved aside when its turn comes, so nothing has to be written."""
    place = root.place(path)
    status = place.status()
    if status is None:
        raise changed(location, path)
    before = Before.of(status)
    file = JournalFile(path, None, f"old-{number}", None, before)
    if stat.S_ISLNK(status.st_mode) and path in field.links:
        return file, None
    seen = _seen_as_read(place, path, field, location)
    if Before.of(seen.status) != before:
        raise changed(location, path)
    return file, JournalFile(path, file.old, None, seen.sha256, None)


def _staged_put(
    root: Root,
    staging: Staging,
    path: str,
    put: Put,
    number: int,
    field: Field,
    location: str,
) -> tuple[JournalFile, JournalFile]:
    """A file that comes: written beside the field; the one in whose place it comes is kept."""
    place = root.place(path)
    if place.directory.status(".").st_dev != staging.device():
        raise OSError(errno.EXDEV, "it is on another file system than the folder")
    new, sha256 = f"new-{number}", hashlib.sha256(put.content).hexdigest()
    status = place.status()
    known = path in field.entries or path in field.links.values()
    there = status is not None and (known or place.is_written_so())  # else the name in other case
    stood = _seen_as_read(place, path, field, location) if there else None
    kept = None if stood is None else Kept(stood.status, stood.attributes)
    if put.was is not None and put.was != path:
        was = _seen_as_read(root.place(put.was), put.was, field, location)
        kept = Kept(was.status, was.attributes, put.moved)
    came = Before.of(disk.write_new(staging.directory, new, put.content, kept))
    if stood is None:
        file = JournalFile(path, new, None, sha256, None)
        return file, JournalFile(path, None, None, None, came)
    old = f"old-{number}"
    _keep(place, staging, old, stood, path, location)
    file = JournalFile(path, new, old, sha256, Before.of(stood.status))
    return file, JournalFile(path, old, None, stood.sha256, came)


def _keep(
    place: Place, staging: Staging, old: str, stood: disk.Seen, path: str, location: str
) -> None:
    """Have what stands at a place now under a second name, or as a copy."""
    if disk.link(place.directory, place.name, staging.directory, old):
        if Before.of(staging.directory.status(old)) != Before.of(stood.status):
            raise changed(location, path)
        disk.sync_file(staging.directory, old)
        return
    again = disk.seen(place.directory, place.name, data=True)
    if again.sha256 != stood.sha256:
        raise changed(location, path)
    kept = Kept(again.status, again.attributes, times=True)
    disk.write_new(staging.directory, old, again.data, kept)


def _seen_as_read(place: Place, path: str, field: Field, location: str) -> disk.Seen:
    """What stands at a place, if that is what the field was read with.

    Raises:
        WriteConflict: it is not.
        OSError: it cannot be read.
    """
    name = path
    if path not in field.entries or path in field.links:
        name = next((link for link, leads_to in field.links.items() if leads_to == path), "")
    if name not in field.entries:
        raise changed(location, path)
    status = place.status()
    if status is None or not stat.S_ISREG(status.st_mode):
        raise changed(location, path)
    seen = disk.seen(place.directory, place.name)
    if seen.sha256 != field.sha256(name):
        raise changed(location, path)
    return seen
