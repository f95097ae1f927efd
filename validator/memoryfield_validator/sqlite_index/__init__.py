"""SQLite indexes: opened so that nothing in them can act, and read row by row (MF504 to MF509)."""

from .judging import IndexReview, IndexVerdict, review_indexes
from .library import HOW_TO_INSTALL, ROW_RULES, why_not_run
from .rows import RowFaults, Tally
from .soundness import HEADER as SQLITE_HEADER

__all__ = [
    "HOW_TO_INSTALL",
    "ROW_RULES",
    "SQLITE_HEADER",
    "IndexReview",
    "IndexVerdict",
    "RowFaults",
    "Tally",
    "review_indexes",
    "why_not_run",
]
