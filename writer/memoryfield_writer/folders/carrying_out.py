"""What a journal says, done: all of it, whatever part of it was done before."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Iterator
from enum import Enum

from memoryfield_readers import WriteConflict
from memoryfield_readers.atomic import Directory
from memoryfield_readers.journal import Before, Journal, JournalFile
from memoryfield_validator.naming import folded

from . import disk
from .failing import at_entry
from .root import Root, Staging


class State(Enum):
    """How far a file of a journal is."""

    DONE = "done"
    WAITING = "waiting"
    FOREIGN = "foreign"
    """It is neither what it was before nor what it is to be, or what is to come is damaged."""


def states_of(
    root: Root, staging: Staging, journal: Journal
) -> Iterator[tuple[JournalFile, State]]:
    """Each file of a journal, in the order of what is done, and how far it is when its turn comes.

    Raises:
        StepFailed: that cannot be found out.
    """
    spellings = Counter(folded(file.path) for file in journal.files)
    for file in in_order(journal):
        with at_entry(file.path):
            state = _state_of(root, staging, file, alone=spellings[folded(file.path)] == 1)
        yield file, state


def _state_of(root: Root, staging: Staging, file: JournalFile, *, alone: bool) -> State:
    """How far a file is, by what stands at its path and what is staged for it.

    Arguments:
        root: the folder.
        staging: where what is to come is.
        file: the file.
        alone: whether no other file of the batch has a name that some systems take for the same.

    Raises:
        OSError: that cannot be found out.
    """
    place = root.place_if_there(file.path)
    if place is None:
        return State.DONE if file.new is None else State.FOREIGN
    status = place.status()
    is_moved = status is not None and Before.of(status) != file.before
    if is_moved and not alone and not place.is_written_so():
        status = None  # it is another name's, where the system ignores case
    if file.new is None:
        if status is None:
            return State.DONE
        return State.WAITING if Before.of(status) == file.before else State.FOREIGN
    as_before = file.before is None if status is None else Before.of(status) == file.before
    if as_before and has_bytes(staging.directory, file.new, file.sha256):
        return State.WAITING
    if status is not None and has_bytes(place.directory, place.name, file.sha256):
        return State.DONE
    return State.FOREIGN


def has_bytes(directory: Directory, name: str, sha256: str | None) -> bool:
    """Whether there is a regular file of that name with these bytes."""
    try:
        if not stat.S_ISREG(directory.status(name).st_mode):
            return False
    except FileNotFoundError:
        return False
    return disk.seen(directory, name).sha256 == sha256


def in_order(journal: Journal) -> list[JournalFile]:
    """The files of a journal: what goes comes first, as a new name may differ in case alone."""
    goes = [file for file in journal.files if file.new is None]
    return goes + [file for file in journal.files if file.new is not None]


def finish(root: Root, staging: Staging, journal: Journal, location: str) -> list[str]:
    """Do what a journal says and is not done yet; the paths where something was done.

    Raises:
        WriteConflict: a file was changed by somebody else since; nothing was done.
        OSError: it cannot be done; the journal is still there.
    """
    waiting = []
    for file, state in states_of(root, staging, journal):
        if state is State.FOREIGN:
            raise WriteConflict(
                "was changed after a batch had begun that was cut off, and cannot be finished",
                location=location,
                entry=file.path,
                hint="put the file aside, and run `memoryfield recover --discard` to go back to "
                "what the others were",
            )
        if state is State.WAITING:
            waiting.append(file)
    for file in waiting:
        carry_out(root, staging, file, location)
    sync_all(root, [file.path for file in journal.files])
    return [file.path for file in waiting]


def finish_what_is_ours(root: Root, staging: Staging, journal: Journal, location: str) -> list[str]:
    """The same, but leave files as they are that somebody else has changed since."""
    done = []
    for file, state in states_of(root, staging, journal):
        if state is State.WAITING:
            carry_out(root, staging, file, location)
            done.append(file.path)
    sync_all(root, [file.path for file in journal.files])
    return done


def carry_out(root: Root, staging: Staging, file: JournalFile, location: str) -> None:
    """Put one file in its place, or out of it, if what stands there is still what was seen.

    Raises:
        WriteConflict: it is not.
        OSError: it cannot be done.
    """
    with at_entry(file.path):
        place = root.place(file.path)
        status = place.status()
        before = None if status is None else Before.of(status)
        if before != file.before and not (file.before is None and not place.is_written_so()):
            raise WriteConflict(
                "was changed by another program while the batch was applied",
                location=location,
                entry=file.path,
                hint="read the field anew, and try again",
            )
        if file.new is not None:
            disk.move(staging.directory, file.new, place.directory, place.name)
        elif file.old is None or staging.has(file.old):
            disk.remove(place.directory, place.name)
        else:  # so that it can be put back as it was, be it a link
            disk.move(place.directory, place.name, staging.directory, file.old)


def sync_all(root: Root, paths: list[str]) -> None:
    """Have on the disk which names the folders have that these files stand in.

    Raises:
        OSError: the disk says that it cannot.
    """
    for directory in root.touched(paths):
        with at_entry(None):
            disk.sync_folder(directory)
