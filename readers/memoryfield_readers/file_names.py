"""Names of files of a field, before a file is made under one."""

from __future__ import annotations

import os

from .display import shown
from .errors import SourceUnavailable
from .names import is_debris

_NOT_IN_NAME = frozenset("/\\\0")
_NOT_ON_WINDOWS = frozenset('<>:"|?*')


def check_file_name(name: str, target: str) -> None:
    """Let no name through that is more than one component of a path, on any system.

    Arguments:
        name: the name.
        target: where the file would be made, for the message.

    Raises:
        SourceUnavailable: no file can have it here.
    """
    unfit = _NOT_IN_NAME | _NOT_ON_WINDOWS if os.name == "nt" else _NOT_IN_NAME
    if name in ("", ".", "..") or unfit & set(name) or is_debris(name):
        raise SourceUnavailable(f"{shown(name)} cannot be the name of a file here", location=target)
