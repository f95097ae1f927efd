"""A field after a writer was killed: what it began is brought to its end, or is undone (MF906)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoryfield_readers import LocationError, as_unicode, local_path
from memoryfield_readers.beside import clean
from memoryfield_readers.holding import DEFAULT_WAIT, held_field

from .folders.settling import Action, settle
from .targets.folder import held_root


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was done about a writer that was killed.

    Attributes:
        location: the field's location, as messages show it.
        action: "nothing": there was nothing to do; "finished": a batch that counted is applied;
            "undone": one that did not count, or was being taken back, has left no trace;
            "discarded": one that could not be finished is given up.
        files: the paths of the files that were changed; of an archive, what was removed beside it.
    """

    location: str
    action: Action
    files: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The answer of `memoryfield recover --format json`."""
        return {
            "version": 1,
            "location": as_unicode(self.location),
            "action": self.action,
            "files": [as_unicode(path) for path in self.files],
        }


def recover(
    location: str | os.PathLike[str], *, discard: bool = False, wait: float = DEFAULT_WAIT
) -> Recovered:
    """Finish or undo what a writer left that was killed; done again, it does nothing (MF906).

    Of a folder, a batch whose journal is there is finished, and others leave no trace. Of an
    archive, which is replaced in one step, what is left of new ones beside it is removed. Every
    writer does this by itself before it writes.

    Arguments:
        location: a folder or an archive on this machine.
        discard: whether to give up a batch that cannot be finished, because a file was changed
            since by somebody else: what was done of it is taken back, and what somebody else
            changed stays as it is. A batch that can be finished is finished all the same.
        wait: seconds to wait for another writer.

    Raises:
        LocationError: it is elsewhere, where a batch leaves nothing behind.
        NotFound: there is no such field.
        LockTimeout: another writer has it.
        WriteConflict: a batch cannot be finished; nothing was done.
        AccessDenied, SourceUnavailable: it cannot be done.
    """
    text = os.fspath(location)
    path = Path(text) if isinstance(location, os.PathLike) else local_path(text)
    if path is None:
        raise LocationError(
            "is not on this machine: a batch leaves nothing behind there", location=text
        )
    if path.is_dir():
        with held_root(path, wait=wait, location=text) as root:
            settled = settle(root, text, discard=discard)
        return Recovered(text, settled.action, settled.files)
    return _recovered_archive(path, text, wait)


def _recovered_archive(path: Path, location: str, wait: float) -> Recovered:
    """Remove what is left of new archives beside one; those that are being made are held."""
    with held_field(path, wait=wait, location=location) as hold:
        left = clean(hold.path)
    return Recovered(location, "undone" if left else "nothing", left)
