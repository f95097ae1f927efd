"""Fields of a lock file as sources: from the cache, or from where they are and then proved."""

from __future__ import annotations

from .opening import locked_source
from .reviewed import keep_reviewed, locked_version, reviewed_copies

__all__ = ["keep_reviewed", "locked_source", "locked_version", "reviewed_copies"]
