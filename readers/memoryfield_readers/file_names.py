"""Names of files of a field, before a file is made under one."""

from __future__ import annotations

import os

from .display import shown
from .errors import SourceUnavailable
from .names import is_debris

_NOT_IN_NAME = frozenset("/\\\0")
_NOT_ON_WINDOWS = frozenset('<>:"|?*')


def fits_windows(name: str) -> bool:
    """Whether a file can have a name on Windows, but for those of devices (MF107)."""
    return not name.endswith((".", " ")) and _NOT_ON_WINDOWS.isdisjoint(name)


def check_file_name(name: str, target: str) -> None:
    """Let no name through that is more than one component of a path, on any system.

    Arguments:
        name: the name.
        target: where the file would be made, for the message.

    Raises:
        SourceUnavailable: no file can have it here.
    """
    is_component = name not in ("", ".", "..") and _NOT_IN_NAME.isdisjoint(name)
    if not is_component or is_debris(name) or (os.name == "nt" and not fits_windows(name)):
        raise SourceUnavailable(f"{shown(name)} cannot be the name of a file here", location=target)
