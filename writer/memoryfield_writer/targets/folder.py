"""A folder on this machine as a place where a field is written (MF906, MF908)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from memoryfield_readers import Field, Limits, LocationError, WriteConflict
from memoryfield_readers.holding import held_field
from memoryfield_readers.system_errors import error_of

from ..archives.reading import opened_path
from ..folders.root import Root
from ..folders.settling import Settled, settle
from ..folders.writing import write_plan
from ..plan import Plan
from .target import Persisted, Waiting

_EARLIER = {
    "finished": "a batch that was cut off was finished first",
    "undone": "what a batch that was cut off had begun was undone first",
}


class FolderTarget:
    """A folder.

    Attributes:
        location: as messages show it.
    """

    def __init__(self, path: Path, location: str, limits: Limits) -> None:
        """Name a folder; nothing is opened yet.

        Arguments:
            path: where it is.
            location: as messages show it.
            limits: how much to take (MF607).
        """
        self.location = location
        self._path = path
        self._limits = limits

    @contextmanager
    def held(self, wait: float, waiting: Waiting | None) -> Iterator[HeldFolder]:
        """The folder, locked; see `Target.held`.

        Raises:
            LockTimeout: another writer had it for longer.
            NotFound: there is no such folder.
            WriteConflict: a batch was cut off, and cannot be finished.
            MemoryfieldError: it cannot be read, or not be locked.
        """
        with ExitStack() as stack:
            root = stack.enter_context(
                held_root(self._path, wait=wait, location=self.location, waiting=waiting)
            )
            settled = settle(root, self.location)
            field = stack.enter_context(opened_path(root.top.path, self.location, self._limits))
            if not root.is_at_its_path():
                raise WriteConflict(
                    "another folder has its name by now", location=self.location, hint="try again"
                )
            yield HeldFolder(root, field, self.location, settled)

    @contextmanager
    def seen(self) -> Iterator[Field]:
        """The folder as it is; see `Target.seen`.

        Raises:
            NotFound: there is no such folder.
            MemoryfieldError: it cannot be read.
        """
        with opened_path(self._path, self.location, self._limits) as field:
            yield field


class HeldFolder:
    """A folder that is locked.

    Attributes:
        field: what it holds, read anew under the lock.
    """

    def __init__(self, root: Root, field: Field, location: str, settled: Settled) -> None:
        self.field = field
        self._root = root
        self._location = location
        self._settled = settled

    def persist(self, plan: Plan) -> Persisted:
        """Carry out a plan, whole or not at all; see `Held.persist`.

        Raises:
            WriteConflict: the folder is no longer what was read.
            AccessDenied: something may not be written.
            SourceUnavailable: it cannot be written. The field is as it was; if the message says
                that it could not be put back, `memoryfield recover` is to be run.
        """
        earlier = _EARLIER.get(self._settled.action)
        notes: tuple[str, ...] = () if earlier is None else (earlier,)
        if plan.puts or plan.removes:
            notes += write_plan(self._root, plan, self.field, self._location)
        return Persisted(None, notes)


@contextmanager
def held_root(
    path: Path, *, wait: float, location: str, waiting: Waiting | None = None
) -> Iterator[Root]:
    """A folder, locked and open.

    Arguments:
        path: where it is.
        wait: seconds to wait for another writer.
        location: as messages show it.
        waiting: told once that one is waited for.

    Raises:
        LockTimeout: another writer had it for longer.
        LocationError: it is no folder.
        MemoryfieldError: it cannot be locked or not be opened.
    """
    with held_field(path, wait=wait, location=location, waiting=waiting) as hold:
        if not hold.is_folder:
            raise LocationError("is no folder", location=location)
        try:
            root = Root(hold.path, hold.descriptor)
        except OSError as error:
            raise error_of(error, location=location) from error
        with root:
            yield root
