"""When files were made, where the system keeps that."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from .missing_fields import Born


def births_in(folder: Path) -> Born:
    """What tells when a file in a folder was made, by its name; None where that is not known."""

    def born(name: str) -> datetime | None:
        try:
            seconds = getattr(os.stat(folder / name), "st_birthtime", None)
        except OSError:
            return None
        return _as_time(seconds)

    return born


def _as_time(seconds: float | None) -> datetime | None:
    """Seconds since 1970 as a time in UTC; None for none and for what no calendar holds."""
    if not seconds or seconds < 0:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
