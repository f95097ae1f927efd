"""A plan carried out in a folder: whole, or not at all (MF906)."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import NamedTuple

from memoryfield_readers import Field, MemoryfieldError, SourceUnavailable
from memoryfield_readers.journal import FOLDER, JOURNAL, InvalidJournal
from memoryfield_readers.system_errors import reason_of

from ..plan import Plan
from . import disk
from .carrying_out import carry_out, finish, finish_what_is_ours, in_order, sync_all
from .failing import StepFailed, at_entry, told
from .root import UNDO, Root, Staging, found_staging
from .settling import clean, read_journal, recover_hint
from .staging import Staged, check_rights, commit, stage
from .unchanged import check_unchanged

_NOTHING_CHANGED = "nothing was changed"
_PUT_BACK = "the field was put back as it was"
_NOT_PUT_BACK = "the field could not be put back as it was"


def write_plan(root: Root, plan: Plan, field: Field, location: str) -> tuple[str, ...]:
    """Carry out a plan in a folder that is locked, and in which nothing is pending.

    What goes wrong before the journal is there leaves the field as it was; after that, the batch is
    taken back. An interrupt after that (`KeyboardInterrupt`, `SystemExit`) is raised when the batch
    is done, which takes as long as renaming the files.

    Arguments:
        root: the folder.
        plan: what to do.
        field: the field as it was read under the lock.
        location: as messages show it.

    Returns:
        What a person should know, one line each.

    Raises:
        WriteConflict: the field is no longer what was read.
        AccessDenied: something may not be written.
        SourceUnavailable: something cannot be written.
    """
    try:
        check_rights(root, plan, location)
    except StepFailed as failed:
        raise told(failed, location, _NOTHING_CHANGED) from failed.error
    batch = _Writing(root, plan, field, location)
    try:
        return batch.run()
    except BaseException as error:
        return batch.broken_off(error)


class _Prepared(NamedTuple):
    """A batch that is on the disk, and may count by now."""

    staging: Staging
    staged: Staged

    def counts(self) -> bool:
        """Whether its journal is there."""
        try:
            return self.staging.is_committed()
        except OSError:  # then it is better to go by what would be the worse
            return True


class _Writing:
    """One plan that is being carried out."""

    def __init__(self, root: Root, plan: Plan, field: Field, location: str) -> None:
        self._root = root
        self._plan = plan
        self._field = field
        self._location = location
        self._prepared: _Prepared | None = None
        self._carried_out = False

    def run(self) -> tuple[str, ...]:
        """Do it; what is raised is for `broken_off`."""
        root, location = self._root, self._location
        staging = self._made_staging()
        staged = stage(root, staging, self._plan, self._field, location)
        check_unchanged(root, self._field, location)
        self._prepared = prepared = _Prepared(staging, staged)
        commit(staging)
        for file in in_order(staged.journal):
            carry_out(root, staging, file, location)
        return self._end(prepared)

    def broken_off(self, error: BaseException) -> tuple[str, ...]:
        """Undo or end what was begun, and raise what ended it; notes if it had come through."""
        ending = _NOTHING_CHANGED
        if self._prepared is not None and self._prepared.counts():
            if not isinstance(error, Exception):
                self._finish(self._prepared)
                raise error
            ending = self._taken_back(self._prepared)
        else:
            self._clean()
            if self._carried_out and isinstance(error, StepFailed):
                return (f"all is written, but perhaps not on the disk yet: {error}",)
        hint = recover_hint(self._location) if ending == _NOT_PUT_BACK else None
        if isinstance(error, StepFailed | OSError):
            raise told(error, self._location, ending, hint) from error
        if hint is not None:
            raise SourceUnavailable(
                f"{error}; {ending}", location=self._location, hint=hint
            ) from error
        raise error

    def _made_staging(self) -> Staging:
        with at_entry(FOLDER):
            with suppress(FileExistsError):  # somebody's, who keeps other things in it
                disk.make_folder(self._root.top, FOLDER, self._root.status())
            staging = found_staging(self._root, self._location)
            if staging is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return staging

    def _end(self, prepared: _Prepared) -> tuple[str, ...]:
        """All is where it should be: let the journal go, and then what was kept."""
        sync_all(self._root, [file.path for file in prepared.staged.journal.files])
        self._carried_out = True
        with at_entry(None):
            disk.remove(prepared.staging.directory, JOURNAL)
            disk.sync_folder(prepared.staging.directory)
        return self._clean()

    def _clean(self) -> tuple[str, ...]:
        """Remove what is ours; what cannot be removed is in nobody's way, and told."""
        try:
            clean(self._root)
        except OSError as error:
            what = f"{FOLDER}/ cannot be removed: {reason_of(error)}"
            return (f"{what}; the next change of the field removes it",)
        return ()

    def _finish(self, prepared: _Prepared) -> None:
        """Bring an interrupted batch to its end."""
        try:
            finish(self._root, prepared.staging, prepared.staged.journal, self._location)
            self._end(prepared)
        except (StepFailed, OSError, MemoryfieldError) as error:
            if prepared.counts():
                raise SourceUnavailable(
                    f"interrupted, and cannot be brought to its end: {error}",
                    location=self._location,
                    hint=recover_hint(self._location),
                ) from error

    def _taken_back(self, prepared: _Prepared) -> str:
        """Go back to what was before; what has become of the field."""
        try:
            go_back(self._root, prepared, self._location)
            self._end(prepared)
        except (StepFailed, OSError, InvalidJournal, MemoryfieldError):
            if prepared.counts():
                return _NOT_PUT_BACK
        return _PUT_BACK


def go_back(root: Root, prepared: _Prepared, location: str) -> None:
    """Take back what was done of a batch that counts.

    The way back was written down with the batch. It takes the journal's place in one step, so that
    readers see all of the batch until then, and nothing of it from then on. Links cannot be in it,
    as a journal speaks of regular files alone: they come first, while they are still hidden.

    Raises:
        StepFailed, MemoryfieldError: it cannot be done.
    """
    staging = prepared.staging
    for file in prepared.staged.links:
        with at_entry(file.path):
            place = root.place(file.path)
            if file.old is not None and staging.has(file.old) and place.status() is None:
                disk.move(staging.directory, file.old, place.directory, place.name)
    with at_entry(None):
        disk.move(staging.directory, UNDO, staging.directory, JOURNAL)
        disk.sync_folder(staging.directory)
        way_back = read_journal(staging)
    finish_what_is_ours(root, staging, way_back, location)
