"""A field that has been proved, written to a folder of a person's own: whole, or not at all."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..beside import beside, clean, put_in_place
from ..display import shown
from ..entry import name_key
from ..errors import LocationError, SourceUnavailable, WriteConflict
from ..field import Field
from ..file_names import check_file_name
from ..lock import LockedField, is_field_name
from ..names import ARCHIVE_SUFFIX, is_debris
from ..system_errors import reason_of

_PIECE_BYTES = 1024 * 1024


def write_out(locked: LockedField, field: Field, folder: Path, *, replace: bool) -> Path:
    """Write a field to a folder: `NAME.memoryfield.zip`, or for what is no archive `NAME/`.

    Arguments:
        locked: the field, as the lock file has it.
        field: the same, open; it proves what it hands out.
        folder: where it goes; it is made if need be.
        replace: whether it may take the place of something else.

    Returns:
        The path, at which the field stands now; one that is there already is let be.

    Raises:
        WriteConflict: something else stands there.
        SourceUnavailable: it cannot be written, or the archive is not here whole.
        MemoryfieldError: a file cannot be read; as `Field.page` raises. Nothing is written then.
    """
    pin = locked.archive_pin
    if pin is None:
        return write_folder(locked.name, field, folder, replace=replace)
    return write_archive(locked.name, field.archive_chunks(), pin.sha256, folder, replace=replace)


def write_archive(
    name: str, pieces: Iterable[bytes], sha256: str, folder: Path, *, replace: bool
) -> Path:
    """Write an archive to `NAME.memoryfield.zip` in a folder, with the very bytes it has.

    Arguments:
        name: the name of the field.
        pieces: the bytes of the archive, which have been proved.
        sha256: their SHA-256.
        folder: where it goes; it is made if need be.
        replace: whether it may take the place of something else.

    Returns:
        The path, at which the archive stands now; one that is there already is let be.

    Raises:
        WriteConflict: something else stands there.
        SourceUnavailable: it cannot be written.
    """
    target = _target(folder, name, ARCHIVE_SUFFIX)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        clean(target)
        if _sha256_of(target) == sha256:
            return target
        _may_be_replaced(target, replace=replace)
        with beside(target, folder=False) as made:
            digest = hashlib.sha256()
            with made.open("wb") as file:
                for piece in pieces:
                    digest.update(piece)
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            if digest.hexdigest() != sha256:  # but pages of it may be in the cache
                raise SourceUnavailable(
                    "the archive itself is not in the cache, and nothing may be fetched",
                    location=str(target),
                    hint="`memoryfield fetch` brings it here",
                )
            put_in_place(made, target)
    except OSError as error:
        raise _unwritten(error, target) from error
    return target


def write_folder(name: str, field: Field, folder: Path, *, replace: bool) -> Path:
    """Write pages, attachments and vector indexes to the folder `NAME` in a folder.

    Arguments:
        name: the name of the field.
        field: the field, which proves what it hands out.
        folder: where it goes; it is made if need be.
        replace: whether it may take the place of something else.

    Returns:
        The path, at which the field stands now; one that is there already is let be.

    Raises:
        WriteConflict: something else stands there; also with `replace`, if it holds more than a
            field has: sub-directories, or what is no regular file.
        SourceUnavailable: it cannot be written.
        MemoryfieldError: a file cannot be read; as `Field.page` raises. Nothing is written then.
    """
    target = _target(folder, name, "")
    names = (*field.pages, *field.attachments, *field.indexes)
    for each in names:
        check_file_name(each, str(target))
    field.prepare_all()
    hashes = {each: field.sha256(each) for each in names}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        clean(target)
        if _hashes_in(target) == hashes:
            return target
        _may_be_replaced(target, replace=replace)
        with beside(target, folder=True) as made:
            for each in names:
                with (made / each).open("xb") as file:
                    for piece in field.chunks(each):
                        file.write(piece)
            put_in_place(made, target)
    except OSError as error:
        if _hashes_in(target) == hashes:  # another process has done the same meanwhile
            return target
        raise _unwritten(error, target) from error
    return target


def _target(folder: Path, name: str, suffix: str) -> Path:
    if not is_field_name(name):  # a lock file says so, and it may come from anyone
        raise LocationError(f"{shown(name)} is no name for a field")
    return folder / (name + suffix)


def _may_be_replaced(target: Path, *, replace: bool) -> None:
    """Let nothing be written over what is there, unless that was asked for, and is a field's place.

    Raises:
        WriteConflict: something stands there that stays.
    """
    try:
        mode = os.lstat(target).st_mode
    except FileNotFoundError:
        return
    if not replace:
        raise WriteConflict(
            "something else stands there",
            location=str(target),
            hint="--replace puts what was fetched in its place",
        )
    if stat.S_ISREG(mode) or stat.S_ISLNK(mode):
        return
    if not stat.S_ISDIR(mode):
        raise WriteConflict(
            "what stands there is neither a file nor a folder", location=str(target)
        )
    with os.scandir(target) as entries:
        for entry in entries:
            if not entry.is_file(follow_symlinks=False):
                raise WriteConflict(
                    f"the folder that stands there holds {shown(entry.name)}, which no field has",
                    location=str(target),
                    hint="move it away yourself if it may go",
                )


def _hashes_in(folder: Path) -> Mapping[str, str] | None:
    """The hashes of the files in a folder, less debris; None if it is no folder of a field."""
    hashes: dict[str, str] = {}
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            return None
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: name_key(entry.name))
        for entry in entries:
            if is_debris(entry.name):
                continue
            digest = _sha256_of(Path(entry.path))
            if digest is None:
                return None
            hashes[entry.name] = digest
    except OSError:
        return None
    return hashes


def _sha256_of(path: Path) -> str | None:
    """The hash of a regular file; None for whatever else stands there, and for nothing."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _unwritten(error: OSError, target: Path) -> SourceUnavailable:
    return SourceUnavailable(f"cannot be written: {reason_of(error)}", location=str(target))
