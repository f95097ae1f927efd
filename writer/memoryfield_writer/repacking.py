"""An archive brought into the form that is the same everywhere, in its place or elsewhere."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from memoryfield_readers import (
    DEFAULT_LIMITS,
    Field,
    Limits,
    LocationError,
    NotFound,
    WriteConflict,
    local_path,
    open_field,
    shown,
    topmost_debris,
    visible,
)
from memoryfield_readers.holding import DEFAULT_WAIT
from memoryfield_readers.journal import FOLDER, JOURNAL, PACKED_HALF_WAY
from memoryfield_readers.names import PAGE_SUFFIX

from .archives.delivering import Old
from .packing import Packed, check_outside, packed_to, place_of
from .targets.archive_file import held_archive


def repack(
    path: str | os.PathLike[str],
    target: Path | str | None = None,
    *,
    root: str | None = None,
    indexes: bool = True,
    replace: bool = False,
    checksum: bool = True,
    limits: Limits = DEFAULT_LIMITS,
    wait: float = DEFAULT_WAIT,
    waiting: Callable[[str], None] | None = None,
) -> Packed:
    """Write an archive in the canonical form: without debris, folders, comments and times.

    Pages and attachments stay what they are, and so does the field pin, but with `root`.

    Arguments:
        path: the archive.
        target: where to write it; None for its own place, under the lock.
        root: the folder in the archive that is the field, with `/` between components (MF608).
        indexes: whether to keep the vector indexes.
        replace: whether another file may go for it; its own place needs no such leave.
        checksum: whether to write `TARGET.sha256` beside it.
        limits: how much to take (MF607).
        wait: seconds to wait for another writer of the archive.
        waiting: is told in a line that one is waited for.

    Raises:
        UnsafeArchive: it is not safe to read (MF601, MF603-MF607).
        LocationError: it is no archive, not here, or its pages lie in a folder and `root` is not
            given.
        NotFound: it is not there, or has no such folder.
        WriteConflict: there is another file already, or it was changed meanwhile; or a batch was
            under way in the folder when it was packed.
        MemoryfieldError: it cannot be read or written; it is as it was.
    """
    location = os.fspath(path)
    here = local_path(path) if isinstance(path, str) else Path(path)
    if here is not None and here.is_dir():
        raise LocationError(
            "is a folder, not an archive",
            location=location,
            hint="`memoryfield pack` makes an archive of a folder",
        )
    if target is not None and not _is_same(target, here):
        place = place_of(target)
        with open_field(path, limits=limits) as whole:
            if whole.archive_name is None:
                raise LocationError("is no archive", location=location)
            field = _field_in(whole, root)
            if isinstance(place, Path):
                check_outside(place, path, whole, None)
            return packed_to(
                field,
                place,
                target,
                indexes=indexes,
                replace=replace,
                checksum=checksum,
                limits=limits,
            )
    if here is None:
        raise LocationError(
            "cannot be written anew in its place: it is not on this machine",
            location=location,
            hint="say where to write it: -o NAME.memoryfield.zip",
        )
    with ExitStack() as stack:
        held = stack.enter_context(held_archive(here, location, limits, wait=wait, waiting=waiting))
        return packed_to(
            _field_in(held.field, root),
            held.path,
            location if target is None else target,
            indexes=indexes,
            replace=True,
            checksum=checksum,
            limits=limits,
            old=Old(held.descriptor, held.status, held.let_go),
        )


def _is_same(target: Path | str, here: Path | None) -> bool:
    """Whether an archive is to be written to its own place."""
    there = local_path(target) if isinstance(target, str) else target
    if here is None or there is None:
        return False
    try:
        return os.path.samefile(here, there)
    except OSError:
        return False


def _field_in(whole: Field, root: str | None) -> Field:
    """The field that is packed: the archive itself, or a folder in it.

    Raises:
        NotFound: there is no such folder.
        LocationError: the pages lie in a folder that was not named.
    """
    _check_whole(whole, root)
    if root is not None:
        try:
            return whole.within(root.rstrip("/"))
        except NotFound as error:
            if error.hint is None and (folder := _folder_of_pages(whole)) is not None:
                error.hint = f"its pages lie in {shown(folder)}"
            raise
    if not whole.pages:
        folder = _folder_of_pages(whole)
        if folder is not None:
            raise LocationError(
                f"has no page at its root: its pages lie in the folder {shown(folder)}",
                location=whole.location,
                hint=f"make that folder the field: --root {shlex.quote(visible(folder))}",
            )
    return whole


def _check_whole(whole: Field, root: str | None) -> None:
    """Refuse what was packed while a batch was under way: it may be neither before nor after.

    Raises:
        WriteConflict: there is a journal of a batch in the folder of the field.
    """
    above = "" if root is None else root.rstrip("/") + "/"
    journal = f"{above}{FOLDER}/{JOURNAL}"
    if any(entry.path == journal for entry in whole.nested()):
        raise WriteConflict(
            PACKED_HALF_WAY,
            location=whole.location,
            hint="see which pages are right, and pack the folder anew with `memoryfield pack`",
        )


def _folder_of_pages(whole: Field) -> str | None:
    """The folder with most pages in it that is nearest to the root; None where there are none."""
    counts: Counter[str] = Counter()
    for entry in whole.nested():
        folder, _, name = entry.path.rpartition("/")
        if name.endswith(PAGE_SUFFIX) and folder and topmost_debris(entry.path) is None:
            counts[folder] += 1
    if not counts:
        return None
    return min(counts, key=lambda folder: (folder.count("/"), -counts[folder], folder))
