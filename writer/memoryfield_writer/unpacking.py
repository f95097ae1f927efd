"""A field unpacked into a folder of its own: whole, or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from memoryfield_readers import (
    DEFAULT_LIMITS,
    Field,
    Limits,
    LocationError,
    NotFound,
    Watch,
    WriteConflict,
    is_side_file,
    open_field,
    shown,
    unwatched,
)
from memoryfield_readers.atomic import Directory, opened_directory
from memoryfield_readers.beside import beside, clean
from memoryfield_readers.file_names import check_file_name

from .archives.new_file import told

_NEW_FILE_FLAGS: Final = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
_SYNC_FLAGS: Final = (
    (os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
_MODE: Final = 0o644
"""Of every file, less what the umask takes; no archive has a say in it."""

_NOTHING: Final = "nothing was written"
_NOT_SYNCED: Final = "it is there, but perhaps not on the disk yet"


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A field that was unpacked.

    Attributes:
        path: the folder.
        digest: its field pin.
        files: how many files it has.
    """

    path: Path
    digest: str
    files: int


def unpack(
    location: str | os.PathLike[str] | bytes | BinaryIO,
    folder: str | os.PathLike[str],
    *,
    indexes: bool = True,
    limits: Limits = DEFAULT_LIMITS,
    storage_options: Mapping[str, Any] | None = None,
    watch: Watch = unwatched,
) -> Unpacked:
    """Write a field to a folder that is not there, or empty.

    Pages and attachments are written under their names, with their times; debris and
    sub-directories are not. The folder is made under another name beside its place, and takes it at
    once. No link is made, and none in it is followed.

    Arguments:
        location: the field, as `open_field` takes it.
        folder: where it goes; the folder that it lies in must be there.
        indexes: whether to write the vector indexes, too.
        limits: how much to take (MF607).
        storage_options: how a location elsewhere is reached.
        watch: is told how far a long transfer is.

    Raises:
        WriteConflict: there is something already.
        LocationError: the folder cannot be put there.
        EmptyField: there is neither page nor attachment.
        PageError: an entry is no regular file (MF105).
        MemoryfieldError: the field cannot be read, or the folder not be written.
    """
    named = Path(folder)
    text = os.fspath(folder)
    with told(text, _NOTHING):
        target = Path(os.path.realpath(named))
        _check_free(target, text)
    with open_field(location, limits=limits, storage_options=storage_options, watch=watch) as field:
        for entry in field.irregular:
            raise field.error_for(entry)
        names = [*field.pages, *field.attachments, *(_whole_indexes(field) if indexes else ())]
        for name in names:
            check_file_name(name, text)
        field.prepare(names)
        with told(text, _NOTHING):
            clean(target)
            with beside(target, folder=True) as made:
                with opened_directory(made) as inside:
                    for name in names:
                        _write(field, name, inside)
                    for name in names:
                        _sync(inside, name)
                    inside.sync()
                digest = field.digest()
                _put(made, target, text)
        with told(text, _NOT_SYNCED), opened_directory(target.parent) as outside:
            outside.sync()
    return Unpacked(named, digest, len(names))


def _whole_indexes(field: Field) -> Iterator[str]:
    """The vector indexes, without what stood beside them while a program had them open (MF508)."""
    return (name for name in field.indexes if not is_side_file(name))


def _check_free(target: Path, location: str) -> None:
    """See that a folder can be put there, before anything is read.

    Raises:
        WriteConflict: there is something.
        NotFound: there is no folder that it would lie in.
        LocationError: the empty folder that is there cannot be replaced.
        OSError: it cannot be seen.
    """
    if not target.parent.is_dir():
        raise NotFound("there is no folder to make it in", location=location)
    try:
        mode = os.lstat(target).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(mode):
        raise _taken(location, "there is a file already")
    with os.scandir(target) as found:
        for entry in found:
            raise _taken(location, f"the folder is not empty: it holds {shown(entry.name)}")
    if os.path.ismount(target) or os.path.samefile(target, os.curdir):
        raise LocationError(
            "this folder cannot be replaced while it is in use",
            location=location,
            hint="name a folder in it, or elsewhere",
        )


def _taken(location: str, what: str) -> WriteConflict:
    return WriteConflict(
        f"{what}; {_NOTHING}", location=location, hint="name a folder that is not there, or empty"
    )


def _write(field: Field, name: str, inside: Directory) -> None:
    descriptor = os.open(inside.at(name), _NEW_FILE_FLAGS, _MODE, dir_fd=inside.descriptor)
    try:
        rest = memoryview(field.content(name))
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        modified_ns = field.entry(name).modified_ns
        if modified_ns is not None and os.utime in os.supports_fd:
            os.utime(descriptor, ns=(modified_ns, modified_ns))
    finally:
        os.close(descriptor)
    if modified_ns is not None and os.utime not in os.supports_fd:
        os.utime(inside.at(name), ns=(modified_ns, modified_ns))


def _sync(inside: Directory, name: str) -> None:
    """Have a file on the disk; all are written first, since the first to be synced brings most."""
    descriptor = os.open(inside.at(name), _SYNC_FLAGS, dir_fd=inside.descriptor)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _put(made: Path, target: Path, location: str) -> None:
    """Give the folder its place; an empty folder there goes, and what came meanwhile stays.

    Raises:
        WriteConflict: something came.
        OSError: it cannot be moved.
    """
    try:
        status: os.stat_result | None = os.lstat(target)
    except FileNotFoundError:
        status = None
    if status is not None and stat.S_ISDIR(status.st_mode):
        with suppress(OSError):  # it is another one's, whose mode ours need not have
            os.chmod(made, stat.S_IMODE(status.st_mode))
        if os.name == "nt":  # where no folder takes the place of another one
            os.rmdir(target)
    try:
        os.rename(made, target)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise _taken(location, "something came there meanwhile") from error
        raise
