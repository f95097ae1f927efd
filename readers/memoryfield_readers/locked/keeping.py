"""The files of a field that is open, put into a cache one by one."""

from __future__ import annotations

from ..cache import Cache
from ..field import Field


def keep_files(field: Field, cache: Cache) -> bool:
    """Put pages, attachments and vector indexes into a cache; whether that could be written."""
    for name in (*field.pages, *field.attachments, *field.indexes):
        if cache.put(field.chunks(name)) is None:
            return False
    return True
