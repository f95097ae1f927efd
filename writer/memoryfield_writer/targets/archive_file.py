"""An archive on this machine as a place where a field is written (MF906, MF908)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path

from memoryfield_readers import (
    ArchiveImage,
    Field,
    Limits,
    MemoryfieldError,
    SourceChanged,
    SourceUnavailable,
    shown,
)
from memoryfield_readers.holding import held_field
from memoryfield_readers.system_errors import error_of

from ..archives.building import Layout, Run, laid_out
from ..archives.new_file import (
    PIECE_BYTES,
    NewFile,
    check_place,
    new_file,
    put_in_place_of,
    told,
)
from ..archives.reading import open_binary, opened, opened_path
from ..archives.verifying import verified
from ..checksums import checksum_path
from ..plan import Plan
from .target import Persisted, Waiting

AS_BEFORE = "the archive is as it was"


class ArchiveTarget:
    """An archive that is a file.

    Attributes:
        location: as messages show it.
    """

    def __init__(self, path: Path, location: str, limits: Limits) -> None:
        """Name an archive; nothing is opened yet.

        Arguments:
            path: where it is; links are followed, and stay.
            location: as messages show it.
            limits: how much to take (MF607).
        """
        self.location = location
        self._path = path
        self._limits = limits

    @contextmanager
    def held(self, wait: float, waiting: Waiting | None) -> Iterator[HeldArchiveFile]:
        """The archive, locked; see `Target.held`.

        Raises:
            LockTimeout: another writer had it for longer.
            NotFound: there is no such file.
            UnsafeArchive, LimitExceeded: it is refused, as `open_field` does.
            MemoryfieldError: it cannot be read, or not be written.
        """
        with held_archive(
            self._path, self.location, self._limits, wait=wait, waiting=waiting
        ) as held:
            yield held

    @contextmanager
    def seen(self) -> Iterator[Field]:
        """The archive as it is; see `Target.seen`.

        Raises:
            NotFound: there is no such file.
            UnsafeArchive, LimitExceeded: it is refused, as `open_field` does.
            MemoryfieldError: it cannot be read.
        """
        with opened_path(self._path, self.location, self._limits) as field:
            yield field


class HeldArchiveFile:
    """An archive that is locked.

    Attributes:
        field: the field in it.
        path: where it is, with links resolved.
        status: of the file when it was read.
    """

    def __init__(
        self,
        field: Field,
        path: Path,
        file: FileIO,
        status: os.stat_result,
        location: str,
        limits: Limits,
    ) -> None:
        """Take what is locked and open.

        Arguments:
            field: the field in it.
            path: where it is, with links resolved.
            file: the archive that the field is read from.
            status: of that file, before it was read.
            location: as messages show it.
            limits: how much to take.
        """
        self.field = field
        self.path = path
        self.status = status
        self._file = file
        self._location = location
        self._limits = limits

    @property
    def descriptor(self) -> int:
        """The file, open."""
        return self._file.fileno()

    def persist(self, plan: Plan) -> Persisted:
        """Write the edited archive and put it in the place of this one; see `Held.persist`.

        Raises:
            WriteConflict: the path leads to another file by now, or the file was changed.
            AccessDenied: it may not be written.
            LimitExceeded, UnsafeArchive: no reader would take the edited one.
            SourceUnavailable: it cannot be written. It is as it was.
        """
        if not plan.puts and not plan.removes:
            return Persisted(self.field.archive_digest())
        image = self.field.archive_image()
        if image is None:
            raise SourceUnavailable("cannot be looked into as an archive", location=self._location)
        check_place(self.path, self._location, replaced=True)
        layout = laid_out(image, plan, ratio=self._limits.ratio)
        with told(self._location, AS_BEFORE), new_file(self.path, private=True) as made:
            self._write(layout, image, made)
            made.finish(self.descriptor)
            try:
                sha256 = verified(made, layout, image, self._limits)
            except MemoryfieldError as error:
                error.location = error.location or self._location
                raise
            notes = tuple(self._notes())
            note = self._swap(made)
        notes = notes if note is None else (*notes, note)
        return Persisted(f"sha256:{sha256}", notes)

    def let_go(self) -> None:
        """Close the file; the lock is kept. The field cannot be read any more."""
        self._file.close()

    def _swap(self, made: NewFile) -> str | None:
        if os.name == "nt":  # what is open cannot be replaced there
            self.let_go()
        return put_in_place_of(made, self.path, self.status, self._location)

    def _write(self, layout: Layout, image: ArchiveImage, made: NewFile) -> None:
        for piece in layout.pieces:
            if not isinstance(piece, Run):
                made.write(piece)
            elif not made.copy(self.descriptor, piece.start, piece.end):
                for at in range(piece.start, piece.end, PIECE_BYTES):
                    made.write(image.read_at(at, min(PIECE_BYTES, piece.end - at)))

    def _notes(self) -> Iterator[str]:
        beside = checksum_path(self.path)
        if os.path.lexists(beside):
            yield (
                f"{shown(beside.name)} is of the archive as it was: `memoryfield repack` writes it "
                "anew"
            )


@contextmanager
def held_archive(
    path: Path, location: str, limits: Limits, *, wait: float, waiting: Waiting | None = None
) -> Iterator[HeldArchiveFile]:
    """An archive, locked, and read from the very file that is locked.

    Arguments:
        path: where it is; links are followed.
        location: as messages show it.
        limits: how much to take (MF607).
        wait: seconds to wait for another writer.
        waiting: told once that one is waited for.

    Raises:
        LockTimeout: another writer had it for longer.
        MemoryfieldError: as `ArchiveTarget.held`.
    """
    with ExitStack() as stack:
        hold = stack.enter_context(held_field(path, wait=wait, location=location, waiting=waiting))
        if hold.is_folder:
            raise SourceChanged("is a folder by now; nothing was changed", location=location)
        try:
            file = stack.enter_context(open_binary(hold.descriptor, hold.path))
        except OSError as error:
            raise error_of(error, location=location) from error
        status = os.fstat(file.fileno())
        field = stack.enter_context(opened(file, path, location, limits))
        yield HeldArchiveFile(field, hold.path, file, status, location, limits)
