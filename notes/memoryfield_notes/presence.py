"""Whether there is a store at a path: what cannot be looked at is not the same as nothing."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import StoreError


def is_there(path: Path) -> bool:
    """Whether something is at the path of a store.

    Arguments:
        path: where to look.

    Raises:
        StoreError: it cannot be looked at, so that there may be notes.
    """
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        from memoryfield_readers.system_errors import reason_of

        reason = reason_of(error) if isinstance(error, OSError) else "it is no path"
        raise StoreError(
            f"cannot be looked at: {reason}",
            location=str(path),
            hint="see that its folder is one, and that you may enter it",
        ) from error
    return True
