"""From a field and a batch of edits to a new field, whole or not at all; archives, packed anew.

from memoryfield_writer import AddPage, Batch, ReplaceText, apply

applied = apply("my-field/", Batch([AddPage("x.md", "# X\n"), ReplaceText("old", "new")]))
print(applied.digest, applied.changes)
"""

from __future__ import annotations

from .batch import (
    AddAttachment,
    AddPage,
    Batch,
    Operation,
    RemoveAttachment,
    RemovePage,
    RenameAttachment,
    RenamePage,
    ReplaceAttachment,
    ReplacePage,
    ReplaceText,
)
from .result import Applied, Change

__all__ = [
    "AddAttachment",
    "AddPage",
    "Applied",
    "Batch",
    "Change",
    "Operation",
    "RemoveAttachment",
    "RemovePage",
    "RenameAttachment",
    "RenamePage",
    "ReplaceAttachment",
    "ReplacePage",
    "ReplaceText",
]
