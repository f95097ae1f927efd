"""Two fields compared, as a person reviews them before a pin moves.

with open_field("notes.memoryfield.zip") as before, open_field("notes/") as after:
    comparison = compare(before, after)
print(comparison.same, [change.name for change in comparison.changes])
"""

from __future__ import annotations

from .comparing import compare
from .comparison import Change, Comparison, Side, Version
from .differences import Effort
from .page_diff import PageDiff
from .seeming_same import Remark
from .words import Word, WordHunk, WordKind, words_of

__all__ = [
    "Change",
    "Comparison",
    "Effort",
    "PageDiff",
    "Remark",
    "Side",
    "Version",
    "Word",
    "WordHunk",
    "WordKind",
    "compare",
    "words_of",
]
