"""Where fields are written to below a folder: each to a place of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..display import shown
from ..errors import LocationError
from ..lock import LockedField
from ..names import ARCHIVE_SUFFIX

_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"}
_DEVICES |= {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}


def target_name(locked: LockedField) -> str:
    """The name under which a field is written: `NAME.memoryfield.zip`, or `NAME` for no archive."""
    return locked.name + (ARCHIVE_SUFFIX if locked.archive_pin is not None else "")


def check_targets(
    fields: Iterable[LockedField],
    folder: Path,
    *,
    on_windows: bool = os.name == "nt",
    ignores_case: bool | None = None,
) -> None:
    """See that each field can have a place of its own, before anything is written.

    Arguments:
        fields: the fields.
        folder: where they are to go; it need not be there yet.
        on_windows: whether names are those of Windows, where some are those of devices.
        ignores_case: whether names that differ in case alone are one; None to find that out.

    Raises:
        LocationError: two would be written to one place, or one can have none.
    """
    ignores_case = _ignores_case(folder) if ignores_case is None else ignores_case
    taken: dict[str, LockedField] = {}
    for locked in fields:
        name = target_name(locked)
        if on_windows and (name.endswith(".") or name.partition(".")[0].lower() in _DEVICES):
            raise LocationError(
                f"the field {shown(locked.name)} cannot be written here: Windows has no file of "
                f"the name {shown(name)}",
                location=str(folder),
                hint="lock it under another name, or fetch it without --out",
            )
        other = taken.setdefault(name.lower() if ignores_case else name, locked)
        if other is not locked:
            raise LocationError(
                f"the fields {shown(other.name)} and {shown(locked.name)} would both be written to "
                f"{shown(name)}",
                location=str(folder),
                hint="write them to two folders, or lock one of them under another name",
            )


def _ignores_case(folder: Path) -> bool:
    """Whether case makes no difference there, by the nearest folder that exists and has letters."""
    here = Path(os.path.abspath(folder))
    for each in (here, *here.parents):
        other = each.name.swapcase()
        if other != each.name and each.exists():
            try:
                return os.path.samefile(each, each.with_name(other))
            except OSError:
                return False
    return os.name == "nt"
