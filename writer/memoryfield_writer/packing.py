"""A field packed into an archive: the same field gives the same bytes on every machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from memoryfield_readers import (
    ARCHIVE_SUFFIX,
    DEFAULT_LIMITS,
    Field,
    Limits,
    LocationError,
    SourceChanged,
    Watch,
    is_side_file,
    local_path,
    open_field,
    unwatched,
)
from memoryfield_readers.canonical_archive import names_packed
from memoryfield_readers.locations import LocalLocation, S3Location, parse_location
from memoryfield_readers.system_errors import error_of
from memoryfield_readers.transfer.options import TransferOptions

from .archives.canonical import Writable, Written, write_canonical
from .archives.delivering import Delivered, Delivery, Old, deliver
from .archives.verifying import check_structure

Place: TypeAlias = "Path | S3Location"
"""Where an archive can be written."""


@dataclass(frozen=True, slots=True)
class Packed:
    """An archive that was packed.

    Attributes:
        path: where it is, as it was named.
        archive_pin: its archive pin.
        digest: the field pin of what is in it.
        entries: how many files are in it.
        bytes: its size.
        left_out: how many files and folders were left out, as they are no part of the field.
        unchanged: whether this very archive was there before.
        notes: what a person should know, one line each.
    """

    path: Path | str
    archive_pin: str
    digest: str
    entries: int
    bytes: int
    left_out: int
    unchanged: bool
    notes: tuple[str, ...] = ()


def pack(
    location: str | os.PathLike[str] | bytes | BinaryIO,
    target: Path | str | None = None,
    *,
    indexes: bool = False,
    replace: bool = False,
    checksum: bool = True,
    limits: Limits = DEFAULT_LIMITS,
    storage_options: Mapping[str, Any] | None = None,
    watch: Watch = unwatched,
) -> Packed:
    """Pack a field into an archive in the form that is the same everywhere (SPEC.md).

    Pages and attachments are packed, under their names and with their bytes; debris and
    sub-directories are left out and counted. What is there already stays, unless it is that very
    archive.

    Arguments:
        location: the field, as `open_field` takes it; a folder is to be as it is meanwhile.
        target: the archive, on this machine or in S3 (`s3://…zip`); None for
            `NAME.memoryfield.zip` in the working directory.
        indexes: whether to pack the vector indexes, too.
        replace: whether another file may go for it.
        checksum: whether to write `TARGET.sha256` beside it, for `sha256sum -c`; never in S3.
        limits: how much to take (MF607).
        storage_options: how what is elsewhere is reached.
        watch: is told how far a long transfer is.

    Raises:
        LocationError: one of the two is no location, or the archive would be part of the field.
        EmptyField: there is neither page nor attachment.
        PageError: an entry is no regular file (MF105).
        UnsafeArchive: a name must not stand in an archive (MF603).
        WriteConflict: there is another file already.
        SourceChanged: a file was changed while the field was being packed.
        MemoryfieldError: the field cannot be read, or the archive not be written.
    """
    if target is not None:
        place_of(target)  # what is no place is told before anything is read
    with open_field(location, limits=limits, storage_options=storage_options, watch=watch) as field:
        named = _usual_target(field) if target is None else target
        place = place_of(named)
        folder = _folder_of(location, field)
        if isinstance(place, Path):
            check_outside(place, location, field, folder)
        return packed_to(
            field,
            place,
            named,
            indexes=indexes,
            replace=replace,
            checksum=checksum,
            limits=limits,
            storage_options=storage_options,
            settle=lambda names: _check_still(field, folder, names, limits),
        )


def packed_to(
    field: Field,
    place: Place,
    target: Path | str,
    *,
    indexes: bool,
    replace: bool,
    checksum: bool,
    limits: Limits,
    storage_options: Mapping[str, Any] | None = None,
    settle: Callable[[Iterable[str]], None] | None = None,
    old: Old | None = None,
) -> Packed:
    """Pack an open field; see `pack`.

    Arguments:
        field: the field.
        place: where the archive goes.
        target: the same, as it was named.
        indexes, replace, checksum, limits, storage_options: as `pack` has them.
        settle: given the names of what was packed, raises if that is no longer the field.
        old: the archive at that place, if it is held already.
    """
    names = names_packed(field, indexes=indexes)

    def write(out: Writable) -> Written:
        return write_canonical(_files(field, names), out)

    def settled() -> None:
        if settle is not None:
            settle(names)

    if isinstance(place, S3Location):
        delivered = _put_elsewhere(
            place, write, settled, limits, TransferOptions.of(storage_options), replace=replace
        )
    else:
        real = Path(os.path.realpath(place))
        delivery = Delivery(real, str(target), write, settled, limits, replace, checksum)
        delivered = deliver(delivery, old)
    return Packed(
        path=target,
        archive_pin=f"sha256:{delivered.sha256}",
        digest=field.digest(),
        entries=len(names),
        bytes=delivered.size,
        left_out=_left_out(field, indexes=indexes),
        unchanged=delivered.unchanged,
        notes=delivered.notes,
    )


def place_of(target: Path | str) -> Place:
    """Where an archive is to be written.

    Raises:
        LocationError: it is no place where one can be.
    """
    if isinstance(target, Path):
        return _archive(target)
    parsed = parse_location(target)
    if isinstance(parsed, LocalLocation):
        return _archive(parsed.path)
    if isinstance(parsed, S3Location):
        return parsed
    raise LocationError(
        "can be read, not written",
        location=parsed.shown,
        hint="write the archive to this machine or to S3 (s3://…zip)",
    )


def _archive(path: Path) -> Path:
    """The path, if its name is one of an archive: no reader would take another one for a field.

    Raises:
        LocationError: it is none.
    """
    if path.name.lower().endswith(".zip"):
        return path
    raise LocationError(
        "is no name of an archive",
        location=str(path),
        hint=f"let it end in {ARCHIVE_SUFFIX}",
    )


def _left_out(field: Field, *, indexes: bool) -> int:
    side_files = sum(map(is_side_file, field.indexes)) if indexes else 0
    return len(field.debris) + len(field.folders) + side_files


def _files(field: Field, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    field.prepare(names)
    for name in names:
        yield name, field.content(name)


def _usual_target(field: Field) -> Path:
    name = field.name
    if not name or name in (".", "..") or {"/", "\\", "\0"} & set(name):
        raise LocationError(
            "the field has no name that its archive could have",
            location=field.location,
            hint="name the archive: -o NAME.memoryfield.zip",
        )
    return Path(name + ARCHIVE_SUFFIX)


def _folder_of(location: object, field: Field) -> Path | None:
    """The folder that is packed, if it is one on this machine."""
    if field.archive_name is not None or not isinstance(location, str | os.PathLike):
        return None
    if field.location != os.fspath(location):  # it was a name of a lock file
        return None
    path = local_path(location) if isinstance(location, str) else Path(location)
    return path if path is not None and path.is_dir() else None


def check_outside(place: Path, location: object, field: Field, folder: Path | None) -> None:
    """Refuse to write an archive over, or into, what it is made of.

    Arguments:
        place: where it would be written.
        location: the field, as it was named.
        field: the field.
        folder: the folder that it is in, if it is one on this machine.

    Raises:
        LocationError: it would be.
    """
    real = Path(os.path.realpath(place))
    try:
        if folder is not None:
            inside = os.stat(folder)
            for each in real.parents:
                if each.exists() and os.path.samestat(os.stat(each), inside):
                    raise LocationError(
                        "would be in the field that is packed",
                        location=str(place),
                        hint="name a place elsewhere: -o ../NAME.memoryfield.zip",
                    )
        elif isinstance(location, str | os.PathLike) and field.archive_name is not None:
            source = local_path(os.fspath(location))
            there = source is not None and real.exists() and source.exists()
            if source is not None and there and os.path.samefile(source, real):
                raise LocationError(
                    "is the archive that is packed",
                    location=str(place),
                    hint="`memoryfield repack` writes an archive anew in its place",
                )
    except OSError as error:
        raise error_of(error, location=str(place)) from error


def _check_still(field: Field, folder: Path | None, names: Iterable[str], limits: Limits) -> None:
    """See that a folder still lists what was packed.

    Raises:
        SourceChanged: it does not.
    """
    if folder is None:
        return
    with open_field(folder, limits=limits) as now:
        before = field.entries
        for name in names:
            if now.entries.get(name) != before[name]:
                raise _changed(field, name)
        if (now.pages, now.attachments) != (field.pages, field.attachments):
            raise _changed(field, None)


def _changed(field: Field, name: str | None) -> SourceChanged:
    return SourceChanged(
        "was changed while the field was being packed; nothing was written",
        location=field.location,
        entry=name,
        hint="try again",
    )


def _put_elsewhere(
    place: S3Location,
    write: Callable[[Writable], Written],
    settle: Callable[[], None],
    limits: Limits,
    options: TransferOptions,
    *,
    replace: bool,
) -> Delivered:
    from .targets.s3_archive import put_new

    def checked(out: BinaryIO) -> None:
        written = write(out)
        check_structure(out, written.paths, written.size, limits)
        settle()

    stored = put_new(place, checked, options, replace=replace)
    return Delivered(stored.archive_pin.removeprefix("sha256:"), stored.size, stored.unchanged)
