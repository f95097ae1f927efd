"""A canonical archive and its checksum, put where a person wants them: whole, or not at all."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from memoryfield_readers import (
    Limits,
    LocationError,
    MemoryfieldError,
    WriteConflict,
    shown,
)
from memoryfield_readers.holding import DEFAULT_WAIT, held_field

from ..checksums import checksum_line, checksum_path, is_checksum
from .canonical import Writable, Written
from .new_file import (
    NewFile,
    check_place,
    new_file,
    put_in_place_of,
    put_over,
    put_where_none_is,
    told,
)
from .reading import open_binary
from .verifying import check_structure, opened_again, sha256_read_again, unlike

_NOTHING: Final = "nothing was changed"


class Old(NamedTuple):
    """An archive that is to be replaced, and locked.

    Attributes:
        descriptor: it, open.
        status: when it was opened.
        let_go: closes it where what is open cannot be replaced.
    """

    descriptor: int
    status: os.stat_result
    let_go: Callable[[], None]


class Delivered(NamedTuple):
    """An archive that is where it is wanted.

    Attributes:
        sha256: its SHA-256, in hexadecimal.
        size: its bytes.
        unchanged: whether it was there before.
        notes: what a person should know, one line each.
    """

    sha256: str
    size: int
    unchanged: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Delivery:
    """What is to be put where.

    Attributes:
        target: the place, with links resolved.
        location: the same, as messages show it.
        write: writes the archive.
        settle: raises if what was written is no longer what is to be packed.
        limits: how much a reader takes.
        replace: whether another file may go for it.
        checksum: whether to write the checksum beside it.
    """

    target: Path
    location: str
    write: Callable[[Writable], Written]
    settle: Callable[[], None]
    limits: Limits
    replace: bool
    checksum: bool


def deliver(delivery: Delivery, old: Old | None = None) -> Delivered:
    """Write an archive to its place; the same one that is there already is let be.

    Arguments:
        delivery: what, and where.
        old: the archive that is there, if it is held already.

    Raises:
        WriteConflict: another file is there, or came meanwhile.
        LocationError: what is there is no file.
        LimitExceeded, UnsafeArchive: no reader would take the archive.
        AccessDenied, SourceUnavailable: it cannot be written; nothing was changed.
        LockTimeout: another writer holds the archive that is to be replaced.
        MemoryfieldError: as `write` and `settle` raise.
    """
    target, location = delivery.target, delivery.location
    with ExitStack() as stack:
        there = old is not None or _is_there(target, location)
        check_place(target, location, replaced=there and delivery.replace)
        if delivery.checksum:
            _check_checksum(checksum_path(target))
        if there and old is None and delivery.replace:
            old = stack.enter_context(_held(target, location))
        stack.enter_context(told(location, _NOTHING))
        made = stack.enter_context(new_file(target, private=old is not None))
        sha256, size = _made(delivery, made, old)
        delivery.settle()
        unchanged = there and _holds(target, old, sha256, size)
        if there and not unchanged and old is None:
            raise _taken(location)
        check = None
        if delivery.checksum:
            line = checksum_line(target.name, sha256)
            check = _checksum_made(checksum_path(target), line, stack)
        note = None
        if not unchanged:
            try:
                note = _put(made, delivery, old)
            except FileExistsError:  # somebody was quicker, with the same archive perhaps
                unchanged = _holds(target, None, sha256, size)
                if not unchanged:
                    raise _taken(location) from None
        if check is not None:
            note = _put_checksum(check, checksum_path(target)) or note
    return Delivered(sha256, size, unchanged, () if note is None else (note,))


def _made(delivery: Delivery, made: NewFile, old: Old | None) -> tuple[str, int]:
    """The SHA-256 and the size of the new archive, which is on the disk and was read again."""
    hashing = _Hashing(made)
    written = delivery.write(hashing)
    made.finish(None if old is None else old.descriptor)
    sha256 = hashing.digest.hexdigest()
    try:
        if made.size != written.size or sha256_read_again(made, made.size) != sha256:
            raise unlike()
        with opened_again(made) as archive:
            check_structure(archive, written.paths, written.size, delivery.limits)
    except MemoryfieldError as error:
        error.location = error.location or delivery.location
        raise
    return sha256, written.size


class _Hashing:
    """Hashes what is written."""

    def __init__(self, made: NewFile) -> None:
        self.digest = hashlib.sha256()
        self._made = made

    def write(self, data: bytes, /) -> None:
        self.digest.update(data)
        self._made.write(data)


def _is_there(target: Path, location: str) -> bool:
    with told(location, _NOTHING):
        try:
            mode = os.lstat(target).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return False
    if stat.S_ISREG(mode):
        return True
    what = "a folder" if stat.S_ISDIR(mode) else "no file"
    raise LocationError(f"is {what}", location=location, hint="name a file: -o NAME.zip")


@contextmanager
def _held(target: Path, location: str) -> Iterator[Old]:
    """The archive that is to be replaced, held so that no edit of it gets lost."""
    with held_field(target, wait=DEFAULT_WAIT, location=location) as hold:
        with told(location, _NOTHING):
            file = open_binary(hold.descriptor, target)
        with file:
            yield Old(file.fileno(), os.fstat(file.fileno()), file.close)


def _holds(target: Path, old: Old | None, sha256: str, size: int) -> bool:
    """Whether a file has these bytes already."""
    if old is not None and old.status.st_size != size:
        return False
    descriptor = None if old is None else old.descriptor
    with open_binary(descriptor, target) as file:
        if file.seek(0, os.SEEK_END) != size:
            return False
        file.seek(0)
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


def _put(made: NewFile, delivery: Delivery, old: Old | None) -> str | None:
    if old is not None:
        if os.name == "nt":
            old.let_go()
        return put_in_place_of(made, delivery.target, old.status, delivery.location)
    return put_where_none_is(made, delivery.target)


def _taken(location: str) -> WriteConflict:
    return WriteConflict(
        "there is another file already", location=location, hint="--replace replaces it"
    )


def _check_checksum(path: Path) -> None:
    """See that the checksum can be written, before anything is.

    Raises:
        WriteConflict: something else has its name.
        SourceUnavailable: no file can have it.
    """
    with told(str(path), _NOTHING):
        try:
            os.lstat(path)
        except FileNotFoundError:
            return
        if not is_checksum(path):
            raise WriteConflict(
                f"{shown(path.name)} is no checksum of an archive, and stays",
                location=str(path),
                hint="move it away, or write none with --no-checksum",
            )


def _checksum_made(path: Path, line: bytes, stack: ExitStack) -> NewFile | None:
    """The new checksum, not yet in its place; None if it is there already."""
    if path.exists() and path.read_bytes() == line:
        return None
    made = stack.enter_context(new_file(path, private=False))
    made.write(line)
    made.finish(None)
    return made


def _put_checksum(made: NewFile, path: Path) -> str | None:
    with told(str(path), "the archive itself is written"):
        return put_over(made, path)
