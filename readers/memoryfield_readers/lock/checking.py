"""Whether a lock file is still true of the sources that it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import EmptyField, MemoryfieldError, PageError, PinMismatch, UnsafeArchive
from ..limits import Limits
from ..opening import open_field
from ..pins.diagnosis import hint_for_locked
from ..transfer.side_by_side import side_by_side
from .differing import Difference
from .making import place_of
from .origins import is_path
from .renewing import renewed
from .typed import is_trusted
from .values import LockedField, LockFile

AT_ONCE = 4
"""So many fields are read side by side."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Whether the lock of a field is still true of its source.

    Attributes:
        name: the name of the field.
        difference: what differs; None where it could not be had.
        resolved: the location with the commit or version that was read now, where there is one.
        error: why it could not be had; None where it could.
    """

    name: str
    difference: Difference | None = None
    resolved: str | None = None
    error: MemoryfieldError | None = None

    @property
    def is_true(self) -> bool:
        """Whether the lock is true."""
        return self.difference is not None and not self.difference


def check_fields(
    lock: LockFile,
    names: Iterable[str],
    *,
    limits: Limits,
    storage_options: Mapping[str, Any] | None,
    at_once: int = AT_ONCE,
) -> Iterator[Checked]:
    """Compare fields with their sources as these are now, several at a time, as they are ready.

    Raises:
        LocationError: there is no field of such a name.
    """
    fields = [lock.field(name) for name in dict.fromkeys(names)]

    def check(locked: LockedField) -> Checked:
        reading: dict[str, Any] = {"limits": limits, "storage_options": storage_options}
        try:
            with renewed(lock, locked, **reading) as now:
                return Checked(locked.name, now.difference, now.after.resolved)
        except (PageError, UnsafeArchive, EmptyField) as error:  # it was a field when it was locked
            raise _mismatch(lock, locked, **reading) or error from error

    for locked, found in side_by_side(check, fields, at_once):
        if isinstance(found, MemoryfieldError):
            yield Checked(locked.name, error=found)
        else:
            yield found


def _mismatch(
    lock: LockFile,
    locked: LockedField,
    *,
    limits: Limits,
    storage_options: Mapping[str, Any] | None,
) -> PinMismatch | None:
    """What came in the place of a field, as its pin tells it; None if nothing wrong comes now."""
    place = place_of(locked.location, lock.path)
    try:
        with open_field(
            Path(place) if is_path(locked.location) else place,
            pin=locked.archive_pin or locked.field_pin,
            limits=limits,
            storage_options=storage_options,
            cache=None,
            trusted=is_trusted(lock, locked),
        ):
            return None
    except PinMismatch as error:
        hint_for_locked(error, locked.name)
        return error
    except MemoryfieldError:
        return None


def worst(found: Iterable[Checked]) -> int:
    """The exit code for all of it: a lock that is not true outweighs what could not be had."""
    codes = [0]
    for one in found:
        if one.error is not None:
            codes.append(one.error.exit_code)
        elif not one.is_true:
            return PinMismatch.exit_code
    return PinMismatch.exit_code if PinMismatch.exit_code in codes else max(codes)
