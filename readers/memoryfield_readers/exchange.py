"""Two names that lead to each other's file or folder from one moment to the next."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_HERE = -100  # AT_FDCWD of Linux
_SWAP = 2  # RENAME_EXCHANGE of Linux, and RENAME_SWAP of macOS


def exchange(one: Path, other: Path) -> bool:
    """Exchange two names at once; False where the system or the file system cannot."""
    if sys.platform not in ("linux", "darwin"):
        return False
    import ctypes

    first, second = os.fsencode(one), os.fsencode(other)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            failed = library.renamex_np(first, second, ctypes.c_uint(_SWAP))
        else:
            failed = library.renameat2(_HERE, first, _HERE, second, ctypes.c_uint(_SWAP))
    except (AttributeError, OSError):  # an older library
        return False
    return not failed
