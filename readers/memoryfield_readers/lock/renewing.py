"""Fields of a lock file read anew from their sources: what the lock would say today."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import WriteConflict
from ..field import Field
from ..limits import Limits
from ..opening import open_field
from ..transfer.progress import Watch, unwatched
from .differing import Difference, difference
from .making import lock_field, place_of
from .moving import moved
from .origins import is_path
from .typed import is_trusted, remember_typed, require_trust
from .values import LockedField, LockFile
from .writing import changing


@dataclass(frozen=True, slots=True)
class Renewal:
    """A field as it is at its source now, beside what was locked.

    Attributes:
        before: what was locked.
        after: what would be.
        field: the field as it is now, which is open.
    """

    before: LockedField
    after: LockedField
    field: Field

    @property
    def changed(self) -> bool:
        """Whether anything of the entry would be another."""
        return self.before != self.after

    @property
    def difference(self) -> Difference:
        """The names of what differs."""
        return difference(self.before, self.after)


@contextmanager
def renewed(
    lock: LockFile,
    locked: LockedField,
    *,
    to: str | None = None,
    limits: Limits,
    storage_options: Mapping[str, Any] | None,
    watch: Watch = unwatched,
) -> Iterator[Renewal]:
    """Read a field anew, all of it, from its source and not from a cache.

    Arguments:
        lock: the lock file.
        locked: the field in it.
        to: another branch, tag, commit or version to read; see `moved`.
        limits: how much to take.
        storage_options: how the source is reached.
        watch: is told how far a long transfer is.

    Raises:
        LocationError: the location may not come from someone else, or has no such `to`.
        MemoryfieldError: it cannot be read; as `open_field` raises.
    """
    wanted = locked if to is None else replace(locked, location=moved(locked, to))
    place = place_of(wanted.location, lock.path)
    with open_field(
        Path(place) if is_path(wanted.location) else place,
        limits=limits,
        storage_options=storage_options,
        cache=None,
        trusted=require_trust(lock, locked, place),
        watch=watch,
    ) as field:
        entry = lock_field(locked.name, wanted.location, field)
        yield Renewal(locked, replace(entry, rest=locked.rest), field)


def write_renewed(
    path: Path, renewals: Sequence[tuple[LockedField, LockedField]], *, limits: Limits
) -> None:
    """Put the new entries of fields in the place of the old ones: all of them, or none.

    Arguments:
        path: the lock file.
        renewals: what was locked, and what is to be.
        limits: how many files a field may have.

    Raises:
        WriteConflict: one of them is not in the lock file any more as it was.
        LockFileError: it cannot be read or written.
    """
    with changing(path, limits=limits) as change:
        lock = change.lock
        for before, after in renewals:
            if lock.fields.get(before.name) != before:
                raise WriteConflict(
                    f"{before.name} was changed in it meanwhile, and nothing is written",
                    location=str(path),
                    hint="run it again",
                )
            lock = lock.with_field(after)
        change.write(lock)


def keep_trust(lock: LockFile, before: LockedField, after: LockedField) -> bool:
    """Remember a location with another ref, if a person chose the one before it; whether it is."""
    if before.location == after.location or not is_trusted(lock, before):
        return True
    return remember_typed(lock, after)
