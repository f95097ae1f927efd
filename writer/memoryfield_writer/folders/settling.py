"""What a killed writer left: brought to its end if it counts, thrown away if it does not."""

from __future__ import annotations

import errno
import os
import shlex
import stat
from typing import Literal, NamedTuple, TypeAlias

from memoryfield_readers import WriteConflict, is_debris
from memoryfield_readers.journal import (
    FOLDER,
    JOURNAL,
    MOST_JOURNAL_BYTES,
    InvalidJournal,
    Journal,
    JournalFile,
    parse_journal,
)

from . import disk
from .carrying_out import finish, finish_what_is_ours, has_bytes, sync_all
from .failing import StepFailed, at_entry, told
from .root import Root, Staging, found_staging

Action: TypeAlias = Literal["nothing", "finished", "undone", "discarded"]

_JOURNAL_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


class Settled(NamedTuple):
    """What was done about a batch that was cut off.

    Attributes:
        action: "nothing": there was none; "finished": it counted, and is applied; "undone": it did
            not count, or was being taken back, and has left no trace; "discarded": it could not be
            finished, and what could be put back is as it was.
        files: the paths of the files that were changed now.
    """

    action: Action
    files: tuple[str, ...] = ()


def settle(root: Root, location: str, *, discard: bool = False) -> Settled:
    """Finish or undo what is pending in a folder that is locked.

    Arguments:
        root: the folder.
        location: as messages show it.
        discard: whether a batch that cannot be finished is given up: files that are as it made them
            get back what they were, files that somebody changed since stay as they are.

    Raises:
        WriteConflict: a file was changed since by somebody else, or the journal is not of this
            folder or damaged; nothing was done.
        AccessDenied, SourceUnavailable: it cannot be done; it can be tried again.
    """
    try:
        staging = found_staging(root, location)
        if staging is None:
            return Settled("nothing")
        if not staging.is_committed():
            left: Action = "finished" if staging.has_counted() else "undone"
            return Settled(left if clean(root) else "nothing")
        settled = _settled(root, staging, location, discard=discard)
        clean(root, given_up=settled.action == "discarded")
    except (StepFailed, OSError) as failed:
        ending = "a batch that was cut off is pending"
        raise told(failed, location, ending, recover_hint(location)) from failed
    return settled


def clean(root: Root, *, given_up: bool = False) -> bool:
    """Remove what is ours and not needed; whether there was anything.

    Arguments:
        root: the folder.
        given_up: whether a batch that counts is given up with it.

    Raises:
        OSError: it cannot be removed.
    """
    try:
        if not stat.S_ISDIR(root.top.status(FOLDER).st_mode):
            return False
    except FileNotFoundError:
        return False
    staging = Staging(root.place(f"{FOLDER}/{JOURNAL}").directory)
    was_there = staging.clear(given_up=given_up or not staging.has_counted())
    root.forget(FOLDER)
    try:
        disk.remove_folder(root.top, FOLDER)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):  # somebody keeps other things in it
            raise
    return was_there


def read_journal(staging: Staging) -> Journal:
    """The journal of a batch.

    Raises:
        InvalidJournal: it is damaged, or none.
        OSError: it cannot be read.
    """
    directory = staging.directory
    if not stat.S_ISREG(directory.status(JOURNAL).st_mode):
        raise InvalidJournal("is no file")
    descriptor = os.open(directory.at(JOURNAL), _JOURNAL_FLAGS, dir_fd=directory.descriptor)
    with open(descriptor, "rb") as file:
        return parse_journal(file.read(MOST_JOURNAL_BYTES + 1))


def recover_hint(location: str) -> str:
    """What to do about a batch that was cut off."""
    return f"run `{_command(location)}`"


def _command(location: str) -> str:
    return f"memoryfield recover {shlex.quote(location)}"


def _settled(root: Root, staging: Staging, location: str, *, discard: bool) -> Settled:
    try:
        journal = read_journal(staging)
    except InvalidJournal as error:
        if discard:
            return Settled("discarded")
        raise _not_ours(location, f"the journal {error}") from error
    is_ours = journal.folder == root.status().st_ino
    if not is_ours and not discard:
        raise _not_ours(location, "the journal is of another folder, which this is a copy of")
    way_back = all(_goes_back(file) for file in journal.files)
    if is_ours:
        try:
            done = finish(root, staging, journal, location)
        except WriteConflict:
            if not discard:
                raise
        else:
            return Settled("undone" if way_back else "finished", tuple(done))
    files = [file for file in journal.files if is_ours or _is_plain(file.path)]
    if way_back:
        done = finish_what_is_ours(root, staging, journal, location) if is_ours else []
    else:
        done = [file.path for file in files if _was_put_back(root, staging, file)]
        sync_all(root, done)
    return Settled("discarded", tuple(done))


def _goes_back(file: JournalFile) -> bool:
    """Whether this is a file of the way back: nothing is kept on it, and nothing new comes."""
    return file.old is None and (file.new is None or file.new.startswith("old-"))


def _is_plain(path: str) -> bool:
    """Whether a path is a name at the root: all that a folder from elsewhere may have us change."""
    return "/" not in path and not is_debris(path)


def _was_put_back(root: Root, staging: Staging, file: JournalFile) -> bool:
    """Put back what a file was, if it is as a batch made it."""
    with at_entry(file.path):
        place = root.place_if_there(file.path)
        if place is None:
            return False
        if file.new is None:
            as_made = place.status() is None
        else:
            as_made = has_bytes(place.directory, place.name, file.sha256)
        if not as_made:
            return False
        if file.old is not None and staging.has(file.old):
            disk.move(staging.directory, file.old, place.directory, place.name)
            return True
        if file.new is not None and file.before is None:
            disk.remove(place.directory, place.name)
            return True
        return False


def _not_ours(location: str, why: str) -> WriteConflict:
    return WriteConflict(
        f"a batch was under way here, and it cannot be finished: {why}",
        location=location,
        entry=FOLDER,
        hint=f"see what the folder holds, then run `{_command(location)} --discard`",
    )
