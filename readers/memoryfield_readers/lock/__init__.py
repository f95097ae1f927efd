"""The lock file: which fields are meant, where they come from, and the pins that prove them."""

from __future__ import annotations

from .finding import LOCK_VARIABLE, find_lock, lock_or_here
from .making import check_name, location_of, lock_field, stored_location
from .names import locked_field
from .reading import parse_lock, read_lock
from .typed import STATE_VARIABLE, is_trusted, remember
from .values import LOCK_NAME, LockedField, LockFile, is_field_name
from .writing import Change, changing, render_lock

__all__ = [
    "LOCK_NAME",
    "LOCK_VARIABLE",
    "STATE_VARIABLE",
    "Change",
    "LockFile",
    "LockedField",
    "changing",
    "check_name",
    "find_lock",
    "is_field_name",
    "is_trusted",
    "location_of",
    "lock_field",
    "lock_or_here",
    "locked_field",
    "parse_lock",
    "read_lock",
    "remember",
    "render_lock",
    "stored_location",
]
